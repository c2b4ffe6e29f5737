//! Places, which are one where something flows from one to the other.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::expr::ConId;
use crate::optimise::flow::Constant;

/// A place that values come to.
pub(super) type Place = u32;

/// What is known of a place.
#[derive(Clone, Default)]
struct Node {
    /// Another place that it is one with.
    one: Option<Place>,
    constant: Option<Constant>,
    /// Whether what comes to it is not one constant.
    is_any: bool,
    /// Whether anything may come to it, and to whatever it consists of.
    is_open: bool,
    /// What is given to it, and what it comes to then.
    arrow: Option<(Place, Place)>,
    fields: Vec<(Part, Place)>,
}

/// What a value consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Field(ConId, u32),
    /// The value of an action.
    Value,
}

/// What comes to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comes {
    /// Nothing that is known.
    Nothing,
    Constant(Constant),
    /// What is no constant, or one of several.
    Any,
}

/// The places of a program.
pub(super) struct Places {
    nodes: Vec<Node>,
    /// How many there may be.
    most: usize,
}

impl Places {
    /// Returns no places, of which there may be so many.
    pub fn new(most: usize) -> Places {
        Places { nodes: Vec::new(), most }
    }

    /// Returns whether there are more than there may be.
    pub fn are_too_many(&self) -> bool {
        self.nodes.len() > self.most
    }

    /// Returns what comes to a place.
    pub fn known(&mut self, place: Place) -> Comes {
        let place = self.find(place);
        let node = &self.nodes[place as usize];
        match node.constant {
            _ if node.is_any => Comes::Any,
            None => Comes::Nothing,
            Some(constant) => Comes::Constant(constant),
        }
    }

    pub fn place(&mut self) -> Place {
        self.nodes.push(Node::default());
        self.nodes.len() as Place - 1
    }

    /// Returns a place for what is no constant, and is made of nothing.
    pub fn plain(&mut self) -> Place {
        self.nodes.push(Node { is_any: true, ..Node::default() });
        self.nodes.len() as Place - 1
    }

    /// Returns a place for functions that are no constants.
    pub fn function(&mut self, param: Place, result: Place) -> Place {
        self.nodes.push(Node { is_any: true, arrow: Some((param, result)), ..Node::default() });
        self.nodes.len() as Place - 1
    }

    pub fn find(&mut self, place: Place) -> Place {
        let mut root = place;
        while let Some(one) = self.nodes[root as usize].one {
            root = one;
        }
        let mut at = place;
        while let Some(one) = self.nodes[at as usize].one {
            self.nodes[at as usize].one = Some(root);
            at = one;
        }
        root
    }

    pub fn unify(&mut self, a: Place, b: Place) {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            let other = std::mem::take(&mut self.nodes[b as usize]);
            self.nodes[b as usize].one = Some(a);
            let opens = other.is_open != self.nodes[a as usize].is_open;
            let node = &mut self.nodes[a as usize];
            node.is_any |= other.is_any;
            match (node.constant, other.constant) {
                (Some(x), Some(y)) if x != y => node.is_any = true,
                (None, constant) => node.constant = constant,
                _ => {}
            }
            match (node.arrow, other.arrow) {
                (Some(x), Some(y)) => work.extend([(x.0, y.0), (x.1, y.1)]),
                (None, arrow) => node.arrow = arrow,
                _ => {}
            }
            for (part, place) in other.fields {
                match node.fields.iter().find(|(of, _)| *of == part) {
                    Some(&(_, own)) => work.push((own, place)),
                    None => node.fields.push((part, place)),
                }
            }
            if opens {
                self.nodes[a as usize].is_open = false;
                self.open(a);
            }
        }
    }

    /// Notes that anything may come to a place.
    pub fn open(&mut self, place: Place) {
        let mut work = vec![place];
        while let Some(place) = work.pop() {
            let place = self.find(place);
            let node = &mut self.nodes[place as usize];
            if !std::mem::replace(&mut node.is_open, true) {
                node.is_any = true;
                work.extend(node.arrow.into_iter().flat_map(|(param, result)| [param, result]));
                work.extend(node.fields.iter().map(|&(_, place)| place));
            }
        }
    }

    /// Returns what is given to a place, and what it comes to then.
    pub fn arrow(&mut self, place: Place) -> (Place, Place) {
        let place = self.find(place);
        if let Some(arrow) = self.nodes[place as usize].arrow {
            return arrow;
        }
        let arrow = (self.place(), self.place());
        self.nodes[place as usize].arrow = Some(arrow);
        if self.nodes[place as usize].is_open {
            self.open(arrow.0);
            self.open(arrow.1);
        }
        arrow
    }

    pub fn part(&mut self, place: Place, part: Part) -> Place {
        let place = self.find(place);
        if let Some(&(_, found)) =
            self.nodes[place as usize].fields.iter().find(|(of, _)| *of == part)
        {
            return found;
        }
        let new = self.place();
        self.nodes[place as usize].fields.push((part, new));
        if self.nodes[place as usize].is_open {
            self.open(new);
        }
        new
    }

    /// Returns the place of a new value that has a part.
    pub fn made(&mut self, parts: &[(Part, Place)]) -> Place {
        self.nodes.push(Node { is_any: true, fields: parts.to_vec(), ..Node::default() });
        self.nodes.len() as Place - 1
    }

    /// Returns the place of what a function comes to.
    pub fn applied(&mut self, function: Place, args: &[Place]) -> Place {
        let mut at = function;
        for &arg in args {
            let (param, result) = self.arrow(at);
            self.unify(param, arg);
            at = result;
        }
        at
    }

    /// Returns the place of a function that is this constant, which does what another place does.
    pub fn constant(&mut self, of: Place, constant: Constant) -> Place {
        let arrow = self.arrow(of);
        self.nodes.push(Node { constant: Some(constant), arrow: Some(arrow), ..Node::default() });
        self.nodes.len() as Place - 1
    }

    pub fn anything(&mut self) -> Place {
        let place = self.place();
        self.open(place);
        place
    }

    /// Returns the places to which something may come from those who use some values: what is given to functions,
    /// and what that consists of.
    pub fn given(&mut self, values: Vec<Place>) -> FxHashSet<Place> {
        let mut given = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut work: Vec<(Place, bool)> = values.into_iter().map(|place| (place, false)).collect();
        while let Some((place, is_given)) = work.pop() {
            let place = self.find(place);
            if !seen.insert((place, is_given)) {
                continue;
            }
            if is_given {
                given.insert(place);
            }
            let node = &self.nodes[place as usize];
            if let Some((param, result)) = node.arrow {
                work.extend([(param, !is_given), (result, is_given)]);
            }
            work.extend(node.fields.iter().map(|&(_, place)| (place, is_given)));
        }
        given
    }

    /// Has a place have no constant.
    pub fn forget(&mut self, place: Place) {
        let place = self.find(place);
        self.nodes[place as usize].is_any = true;
    }

    /// Returns a copy of a place, and of whatever it consists of.
    pub fn instance(&mut self, place: Place, copies: &mut FxHashMap<Place, Place>) -> Place {
        let mut work = vec![place];
        let first = self.find(place);
        while let Some(place) = work.pop() {
            let place = self.find(place);
            if copies.contains_key(&place) || self.nodes.len() > self.most {
                continue;
            }
            let node = self.nodes[place as usize].clone();
            let copy = self.place();
            copies.insert(place, copy);
            work.extend(node.arrow.iter().flat_map(|&(param, result)| [param, result]));
            work.extend(node.fields.iter().map(|&(_, place)| place));
            // Its parts are copied by then.
            self.nodes[copy as usize] = node;
        }
        self.renamed(first, copies)
    }

    /// Has the copies of places consist of copies.
    fn renamed(&mut self, first: Place, copies: &FxHashMap<Place, Place>) -> Place {
        let mut work = vec![first];
        let mut done = FxHashSet::default();
        while let Some(place) = work.pop() {
            let Some(&copy) = copies.get(&place) else { continue };
            if !done.insert(place) {
                continue;
            }
            let node = self.nodes[place as usize].clone();
            let mut of = |place: Place| {
                let place = self.find(place);
                work.push(place);
                copies.get(&place).copied().unwrap_or(place)
            };
            let arrow = node.arrow.map(|(param, result)| (of(param), of(result)));
            let fields = node.fields.iter().map(|&(part, place)| (part, of(place))).collect();
            let copy = &mut self.nodes[copy as usize];
            (copy.arrow, copy.fields) = (arrow, fields);
        }
        copies.get(&first).copied().unwrap_or(first)
    }
}
