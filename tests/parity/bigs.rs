//! Integers of all sizes, where the fast machine changes how it keeps them and how it computes.

use gmachine::machine::{MachineKind, Stress};
use gmachine::optimise::Passes;

use super::common::{Mode, run_in};

/// Powers of three from one word to more limbs than a node has, and their neighbours: every
/// operation on every pair, brought back to small numbers.
const PROGRAM: &str = "
(defn main[] (pairs xs))
(defn xs[] (near (map (pow 3) [0 39 41 500 1400 20000 80000 165300 165400])))
(defn near[xs] (case xs [Nil Nil] [(Cons x xt) (Cons x (Cons (sub -1 x) (near xt)))]))
(defn pow[b n]
  (if (eq n 0) 1
    (let ([half (pow b (div n 2))])
      (if (eq (mod n 2) 0) (mul half half) (mul b (mul half half))))))
(defn pairs[ys] (case ys [Nil Nil] [(Cons y yt) (Cons (with y xs) (pairs yt))]))
(defn with[y xs] (case xs [Nil 0] [(Cons x xt) (mod (add (mul 31 (with y xt)) (hash x y)) 1000003)]))
(defn hash[x y]
  (foldl (fn [h n] (mod (add (mul h 31) n) 1000003)) 7
    [(add x y) (sub x y) (mul x y) (div x y) (rem x y) (floordiv x y) (mod x y) (negate x)
     (mul x 12345) (add x 1) (sub 5 y) (div x 1000003) (mod y -4294967296)
     (lt x y) (eq x y) (le y x)]))
";

#[test]
fn integers_of_all_sizes_are_the_same_on_both_machines() {
    let run = |machine, stress, passes| {
        let run = run_in(Mode { machine, stress }, PROGRAM, "", passes);
        assert_eq!(run.failure, None, "{}", run.output);
        run.output
    };
    let wanted = run(MachineKind::Reference, Stress::None, Passes::NONE);
    assert!(wanted.len() > 40, "{wanted}");
    // Passes leave most of the arithmetic as it is.
    for (stress, passes) in
        Stress::ALL.into_iter().zip([Passes::ALL, Passes::NONE].into_iter().cycle())
    {
        assert_eq!(run(MachineKind::Fast, stress, passes), wanted, "{stress:?} {passes:?}");
    }
}
