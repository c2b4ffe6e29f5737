//! Chooses how the fast machine goes from instruction to instruction.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if makes_jumps_of_calls() {
        println!("cargo:rustc-cfg=gmachine_threaded");
    }
}

/// Returns whether the compiler makes a jump of a call that is the last act of a function: LLVM
/// does so where it optimises well, on processors with enough registers for the arguments.
fn makes_jumps_of_calls() -> bool {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let arch = variable("CARGO_CFG_TARGET_ARCH");
    ["2", "3"].contains(&variable("OPT_LEVEL").as_str())
        && std::env::var("CARGO_CFG_MIRI").is_err()
        && variable("CARGO_CFG_TARGET_FAMILY") == "unix"
        && (arch == "x86_64" || arch == "aarch64")
}
