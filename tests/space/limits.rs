//! What a program of a certain size may take in all, on the fast machine: heap, stack and big
//! integers. `tests/space/run` measures the same programs at ten times the size.

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::Passes;

use gmachine_testing::common::{code_in, compile_after};

const MB: u64 = 1_000_000;

/// Programs with what they print and the bytes that have to be enough.
const PROGRAMS: &[(&str, &str, u64)] = &[
    (
        "(defn main[] (nth' 300000 fibs))
         (defn nth'[n l] (case l [(Cons x xs) (seq x (if (eq n 0) x (nth' (sub n 1) xs)))]))
         (defn fibs[] (Cons 0 (Cons 1 (zipWith addm fibs (tail fibs)))))
         (defn addm[x y] (rem (add x y) 1000000007))",
        "283241216",
        8 * MB,
    ),
    ("(defn main[] (foldr add 0 (range 1 1000000)))", "500000500000", 40 * MB),
    (
        "(defn main[] (chain 1000000 0)) (defn chain[n x] (if (eq n 0) x (chain (sub n 1) (add x 1))))",
        "1000000",
        50 * MB,
    ),
    (
        "(defn main[] (ping 1000000)) (defn ping[n] (if (eq n 0) 0 (pong (sub n 1))))
         (defn pong[n] (if (eq n 0) 1 (ping (sub n 1))))",
        "0",
        8 * MB,
    ),
    (
        "(defn main[] (let ([p (break (lt 100000) (range 1 200000))] [a (fst p)] [b (snd p)])
           (let ([n (length a)]) (seq n (add n (length b))))))",
        "200000",
        8 * MB,
    ),
];

#[test]
fn what_a_program_takes_is_within_its_bound() {
    for &(text, prints, bytes) in PROGRAMS {
        for passes in [Passes::NONE, Passes::ALL] {
            let program = compile_after(text, passes).expect("no mistake");
            // What the schemes alone make may take half as much again.
            let bytes = if passes == Passes::NONE { bytes + bytes / 2 } else { bytes };
            let config = Config { heap_limit: Some(bytes), ..Config::default() };
            let run = code_in(MachineKind::Fast, &program, "", Format::Default, config);
            let found = (run.output.trim_end(), run.failure);
            assert_eq!(found, (prints, None), "{text} in {bytes} bytes with {passes:?}");
        }
    }
}
