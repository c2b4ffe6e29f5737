//! Options of checking and lowering.

/// The purpose of lowering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// To find the diagnostics; the program that comes out has no definitions.
    Check,
    /// To run the program.
    Run,
}

/// The definitions that are kept beside `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntryPoints {
    /// No other definition.
    Main,
    /// The definitions of these names, as the program sees them; names without a definition are
    /// left out.
    Named(Vec<String>),
    /// All that the program itself defines.
    All,
    /// All that has a name in the program's scope: what the program defines, and what of the
    /// prelude and of the modules that it imports is not shadowed.
    InScope,
}

/// The options of lowering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Its purpose.
    pub mode: Mode,
    /// Whether a program without `main` is a mistake, and one with a `main` of two or more
    /// parameters.
    pub needs_main: bool,
    /// The definitions that are kept beside `main`.
    pub roots: EntryPoints,
    /// Whether the corelib modules are checked like the program.
    pub check_corelib: bool,
    /// Whether what each definition mentions is noted, for a compiled module.
    pub mentions: bool,
}

impl Options {
    /// A program to be run from `main`.
    pub const RUN: Options = Options {
        mode: Mode::Run,
        needs_main: true,
        roots: EntryPoints::Main,
        check_corelib: false,
        mentions: false,
    };
    /// Diagnostics alone.
    pub const CHECK: Options = Options { mode: Mode::Check, ..Options::RUN };
}
