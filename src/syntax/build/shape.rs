//! The shapes of forms, and what is said of a wrong one.

use crate::base::code::Code;

/// A form of the language, or a mistake with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `(defn ..)`
    Defn,
    /// `(data ..)`
    Data,
    /// `(import ..)`
    Import,
    /// `(let ..)`
    Let,
    /// `(letrec ..)`
    Letrec,
    /// `(fn ..)`
    Fn,
    /// `(case ..)`
    Case,
    /// `[x e]`
    Binding,
    /// `[pat e]`
    Alternative,
    /// `()` as a pattern
    EmptyPattern,
    /// `(1 x)` as a pattern
    PatternHead,
    /// `[x y]` as a pattern
    ListPattern,
    /// A keyword as a pattern
    KeywordPattern,
    /// A float as a pattern
    FloatPattern,
    /// A primitive as a pattern
    PrimitivePattern,
}

impl Shape {
    /// Returns the code of a mistake in it.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Shape::Defn => Code::BadDefinition,
            Shape::Data => Code::BadData,
            Shape::Import => Code::BadImport,
            Shape::Let | Shape::Letrec | Shape::Binding => Code::BadLet,
            Shape::Fn => Code::BadLambda,
            Shape::Case | Shape::Alternative => Code::BadCase,
            Shape::EmptyPattern | Shape::PatternHead => Code::ExpectedPattern,
            Shape::ListPattern
            | Shape::KeywordPattern
            | Shape::FloatPattern
            | Shape::PrimitivePattern => Code::ExpectedPattern,
        }
    }

    /// Returns its name for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Defn => "defn",
            Shape::Data => "data declaration",
            Shape::Import => "import",
            Shape::Let => "let",
            Shape::Letrec => "letrec",
            Shape::Fn => "fn",
            Shape::Case => "case",
            Shape::Binding => "binding",
            Shape::Alternative => "alternative",
            Shape::EmptyPattern => "empty pattern",
            Shape::PatternHead
            | Shape::ListPattern
            | Shape::KeywordPattern
            | Shape::FloatPattern
            | Shape::PrimitivePattern => "pattern",
        }
    }

    /// Returns a sentence that shows how it is written.
    #[must_use]
    pub const fn form(self) -> &'static str {
        match self {
            Shape::Defn => "a defn is written (defn name[parameter ..] body)",
            Shape::Data => "a data declaration is written (data Name (Con field ..) ..)",
            Shape::Import => "an import is written (import \"file.core\") or (import module)",
            Shape::Let => "a let is written (let ([name value] ..) body)",
            Shape::Letrec => "a letrec is written (letrec ([name value] ..) body)",
            Shape::Fn => "a function is written (fn [parameter ..] body)",
            Shape::Case => "a case is written (case value [pattern body] ..)",
            Shape::Binding => "a binding is written [name value]",
            Shape::Alternative => "an alternative is written [pattern body]",
            Shape::EmptyPattern => "the pattern of the empty list is Nil; of anything, _",
            Shape::PatternHead => "a pattern in brackets is written (Con pattern ..)",
            Shape::ListPattern => "write (Cons x xs) for a list with a first element, Nil for []",
            Shape::KeywordPattern => "choose another name; _ matches anything",
            Shape::FloatPattern => "bind a name, and compare it: (if (feq x 0.5) yes no)",
            Shape::PrimitivePattern => {
                "primitives are functions; a pattern is made of constructors"
            }
        }
    }
}
