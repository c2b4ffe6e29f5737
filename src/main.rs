//! The `gmachine` command.

fn main() {}
