//! Strongly connected components, after Tarjan ("Depth-first search and linear graph
//! algorithms", SIAM J. Comput. 1, 1972), without recursion.

/// Returns the components of the graph in which `edges[a]` lists what `a` depends on. A component
/// comes after those that it depends on; within one, numbers ascend.
#[must_use]
pub fn components(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let mut number = vec![NEW; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut on_stack = vec![false; edges.len()];
    let mut stack: Vec<u32> = Vec::new();
    let mut count = 0;
    let mut out = Vec::new();
    // A node and how many of its edges have been followed.
    let mut work: Vec<(u32, usize)> = Vec::new();
    for root in 0..edges.len() as u32 {
        if number[root as usize] != NEW {
            continue;
        }
        work.push((root, 0));
        while let Some((node, followed)) = work.pop() {
            let at = node as usize;
            if followed == 0 {
                number[at] = count;
                low[at] = count;
                count += 1;
                stack.push(node);
                on_stack[at] = true;
            }
            match edges[at].get(followed) {
                Some(&next) => {
                    work.push((node, followed + 1));
                    if number[next as usize] == NEW {
                        work.push((next, 0));
                    } else if on_stack[next as usize] {
                        low[at] = low[at].min(number[next as usize]);
                    }
                }
                None => {
                    if let Some(&(parent, _)) = work.last() {
                        low[parent as usize] = low[parent as usize].min(low[at]);
                    }
                    if low[at] == number[at] {
                        let start = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                        let mut component = stack.split_off(start);
                        for &member in &component {
                            on_stack[member as usize] = false;
                        }
                        component.sort_unstable();
                        out.push(component);
                    }
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_depended_on_comes_first() {
        // 0 -> 1 <-> 2 -> 3, 4 -> 4
        let edges = [vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        assert_eq!(components(&edges), [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn a_long_chain_takes_no_native_stack() {
        let length = 1_000_000;
        let edges: Vec<Vec<u32>> =
            (0..length).map(|at| if at + 1 < length { vec![at + 1] } else { vec![] }).collect();
        let found = components(&edges);
        assert_eq!(found.len(), length as usize);
        assert_eq!(found[0], [length - 1]);
    }

    #[test]
    fn a_long_cycle_is_one_component() {
        let length = 100_000;
        let edges: Vec<Vec<u32>> = (0..length).map(|at| vec![(at + 1) % length]).collect();
        assert_eq!(components(&edges).len(), 1);
    }
}
