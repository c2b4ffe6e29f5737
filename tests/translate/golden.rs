//! Listings of small functions: what the translation makes of what.

use gmachine::machine::fast::code::listing;

use super::{common, translated};
use gmachine::optimise::Passes;

/// Each piece is about one thing; the names say which.
const PROGRAM: &str = "
(data Shape (Dot) (Line length) (Box width height) (Block width height depth))

(defn main[i]
  [(join 1 i) (calls 1 2 i) (strict i) (sum [1]) (group i) (shape i) (depth i) (letter i)
   (large i) (over id) (unknown id) (both (Pair 1 i)) (partial i) (nested 1 i) (fails i)
   (compares 1 i) (literals i) (counts 1 i)])

(defn join[a b] (mul 2 (if (lt a b) a (if (lt 5 b) 7 b))))
(defn calls[a b c] (add (calls b c a) (calls c a (calls a b c))))
(defn strict[n] (if (le n 0) n (strict (sub n 1))))
(defn sum[xs] (case xs [(Nil) 0] [(Cons x rest) (add x (sum rest))]))
(defn group[n] (letrec ([ones (Cons n twos)] [twos (Cons (add n 1) ones)] [f (fn [x] (f (g x)))]
                        [g (fn [x] (add x (length ones)))]) (Pair ones f)))
(defn shape[s]
  (case s [(Dot) 0] [(Line l) l] [(Box w _) w] [(Block w h d) (mul w (mul h d))]))
(defn depth[s] (case s [(Block _ _ d) d] [_ 0]))
(defn letter[c] (case c ['a' 1] ['b' 2] [_ (ord c)]))
(defn large[n] (add (mul n 9000000000000000000) 123456789012345678901234567890))
(defn over[f] (id f 1))
(defn unknown[f] (add 1 (f 2 3)))
(defn both[p] (case p [(Pair a b) (Pair b a)]))
(defn partial[n] (map (add n) [n]))
(defn nested[a b] [(add a (mul b 2)) (id (id a)) (strict (add a b))])
(defn fails[n] (if (eq n 0) (error \"no\") n))
(defn compares[a b] [(eq a b) (lt 3 a)])
(defn literals[n] (sub 10 (div (rem n 3) (add 0 n))))
(defn counts[k n] (if (gt k n) Nil (Cons k (counts (add k 1) n))))
";

#[test]
fn the_listing_of_small_functions() {
    for (level, passes) in [("plain", Passes::NONE), ("optimised", Passes::ALL)] {
        let gcode = common::compile_after(PROGRAM, passes).expect("a program");
        let program = translated(gcode);
        let mut text = String::new();
        for (id, global) in program.gcode.globals.enumerate() {
            if PROGRAM.contains(&format!("(defn {}[", global.symbol)) {
                text += &listing::global(&program, id, &mut |_| None);
                text.push('\n');
            }
        }
        insta::with_settings!({ snapshot_path => "../golden/fast", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(level, text);
        });
    }
}
