//! The command as a person meets it: every command, help page, message and exit code. The
//! sessions are in `tests/cmd`; `TRYCMD=overwrite cargo test --test cli` writes them anew.

#[test]
fn sessions() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("tests/cmd/*.toml");
}
