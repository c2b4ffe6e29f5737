//! Text to syntax tree.
//!
//! [`lex`] makes tokens, [`balance`] makes the brackets match, the grammar
//! (`grammar/coref.lalrpop`) defines the language, [`build`] makes the tree and judges
//! shapes. [`print`](mod@print) turns a tree back into text, [`listing`] shows tokens and tree.

pub mod ast;
pub mod balance;
pub mod binary;
pub mod build;
pub mod directive;
pub mod doubt;
pub mod json;
pub mod lex;
pub mod listing;
pub mod literal;
pub mod machine_code;
pub mod parse;
pub mod print;
pub mod report;
pub mod token;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::unwrap_used, missing_docs, unused)]
    grammar,
    "/coref.rs"
);
