//! Listings of the tutorial's functions.

use super::{check, read};
use gmachine::base::source::SourceMap;
use gmachine::compile::compile;
use gmachine::gcode::print;

pub const TUTORIAL: &str = "(def main () (take 20 fibs))
(def take (n l)
  (switch l
    (Nil Nil)
    ((Cons x xs) (if (le n 0) Nil (Cons x (take (sub n 1) xs))))))
(def fibs () (Cons 0 (Cons 1 (zipWith add fibs (tail fibs)))))
(def tail (l) (switch l ((Cons _ xs) xs) (_ nomatch)))
(def zipWith (op l1 l2)
  (switch l1
    (Nil Nil)
    ((Cons x xs)
      (switch l2
        (Nil Nil)
        ((Cons y ys) (Cons (op x y) (zipWith op xs ys)))))))
";

#[test]
fn the_listing_of_the_tutorial() {
    let (core, names) = read::read(TUTORIAL);
    let program = compile(&core, &names);
    check(&program);
    let mut sources = SourceMap::new();
    sources.add("fibs.core", None, TUTORIAL, false).unwrap();
    let listing = print::program(&program, &mut |span| {
        let first = sources.text(span).lines().next()?;
        Some(format!("{}  {first}", sources.place(span)?))
    });
    insta::with_settings!({ snapshot_path => "../golden/gcode", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("tutorial", listing);
    });
}
