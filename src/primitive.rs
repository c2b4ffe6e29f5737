//! The primitives: one table of name, arity and meaning.

/// The values that an operand of a primitive may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// An integer.
    Integer,
    /// An integer or a character, the same for all operands.
    Comparable,
    /// A character.
    Character,
    /// Anything.
    Any,
}

/// The way in which a primitive is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Strict in all operands, and one instruction.
    Strict,
    /// `if c t e`.
    If,
    /// `seq a b`.
    Seq,
    /// `error message`.
    Error,
}

macro_rules! primitives {
    ($($name:ident $text:literal $arity:literal $shape:ident $operand:ident $result:ident;)+) => {
        /// A primitive.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Primitive {
            $(#[doc = concat!("`", $text, "`")] $name,)+
        }

        impl Primitive {
            /// All primitives.
            pub const ALL: &[Primitive] = &[$(Primitive::$name),+];

            /// Returns its name in a program.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Primitive::$name => $text,)+ }
            }

            /// Returns its number of operands.
            #[must_use]
            pub const fn arity(self) -> usize {
                match self { $(Primitive::$name => $arity,)+ }
            }

            /// Returns how it is compiled.
            #[must_use]
            pub const fn shape(self) -> Shape {
                match self { $(Primitive::$name => Shape::$shape,)+ }
            }

            /// Returns what its operands must be.
            #[must_use]
            pub const fn operand(self) -> Operand {
                match self { $(Primitive::$name => Operand::$operand,)+ }
            }

            /// Returns what its result is.
            #[must_use]
            pub const fn result(self) -> Operand {
                match self { $(Primitive::$name => Operand::$result,)+ }
            }
        }
    };
}

primitives! {
    Add "add" 2 Strict Integer Integer;
    Sub "sub" 2 Strict Integer Integer;
    Mul "mul" 2 Strict Integer Integer;
    Div "div" 2 Strict Integer Integer;
    Rem "rem" 2 Strict Integer Integer;
    FloorDiv "floordiv" 2 Strict Integer Integer;
    Mod "mod" 2 Strict Integer Integer;
    Negate "negate" 1 Strict Integer Integer;
    Eq "eq" 2 Strict Comparable Integer;
    Neq "neq" 2 Strict Comparable Integer;
    Lt "lt" 2 Strict Comparable Integer;
    Le "le" 2 Strict Comparable Integer;
    Gt "gt" 2 Strict Comparable Integer;
    Ge "ge" 2 Strict Comparable Integer;
    If "if" 3 If Any Any;
    Seq "seq" 2 Seq Any Any;
    Ord "ord" 1 Strict Character Integer;
    Chr "chr" 1 Strict Integer Character;
    Error "error" 1 Error Any Any;
}
