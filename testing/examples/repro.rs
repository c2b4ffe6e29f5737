use gmachine_testing::{parity, pipelines};
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let t = pipelines::program(seed);
    println!("{:?}", parity::wrong(&t, seed).map(|_| ()));
}
