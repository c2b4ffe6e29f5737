//! Chooses how the fast machine goes from instruction to instruction.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if makes_jumps_of_calls() {
        println!("cargo:rustc-cfg=gmachine_threaded");
    }
    if has_native_code() {
        println!("cargo:rustc-cfg=gmachine_native");
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

/// Returns whether native code can be made and run.
fn has_native_code() -> bool {
    let variable = |name| std::env::var(name).unwrap_or_default();
    std::env::var("CARGO_FEATURE_NATIVE").is_ok()
        && std::env::var("CARGO_CFG_MIRI").is_err()
        && std::env::var("CARGO_CFG_GMACHINE_ASAN").is_err()
        && variable("CARGO_CFG_TARGET_FAMILY") == "unix"
        && variable("CARGO_CFG_TARGET_ARCH") == "x86_64"
}
