//! Writes a generated program to standard output, to measure with.
//!
//! ```text
//! cargo run --release --example generate -- plain 100 > big.core    # 100 MB
//! gmachine check big.core
//! ```

use std::io::Write as _;

use gmachine_testing::shapes::Shape;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let shape = |word: &str| Shape::ALL.iter().find(|(name, _)| *name == word);
    if let [word, size] = arguments.as_slice()
        && let Some((_, shape)) = shape(word)
        && let Ok(megabytes) = size.parse::<f64>()
    {
        let text = shape.program((megabytes * 1e6) as usize);
        return std::io::stdout().write_all(text.as_bytes());
    }
    let shapes: Vec<&str> = Shape::ALL.iter().map(|(name, _)| *name).collect();
    Err(std::io::Error::other(format!("usage: generate {} MEGABYTES", shapes.join("|"))))
}
