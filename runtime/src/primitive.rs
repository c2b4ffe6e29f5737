//! The primitives: one table of name, arity and meaning.

pub mod advice;
pub mod bytes;
pub mod effect;
pub mod numbers;

/// The values that an operand of a primitive may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// An integer.
    Integer,
    /// A float.
    Float,
    /// An integer or a character, the same for all operands.
    Comparable,
    /// A character.
    Character,
    /// An array.
    Array,
    /// A byte string.
    Bytes,
    /// A list.
    List,
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
    /// An action: lazy in all operands, and with all of them a value.
    Action,
    /// `throw value` and the like: lazy in all operands, code of its own.
    Lazy,
}

impl Shape {
    /// Returns whether a saturated application in a strict context has an operand in a strict
    /// context that the compiler sees to.
    #[must_use]
    pub const fn is_strict(self) -> bool {
        match self {
            Shape::Strict | Shape::If | Shape::Seq => true,
            Shape::Error | Shape::Action | Shape::Lazy => false,
        }
    }
}

/// How far a list is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Walk {
    /// Its cells to the end.
    Cells,
    /// Its cells to the end, and each element to weak head normal form.
    Elements,
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
    BitAnd "bitand" 2 Strict Integer Integer;
    BitOr "bitor" 2 Strict Integer Integer;
    BitXor "bitxor" 2 Strict Integer Integer;
    BitNot "bitnot" 1 Strict Integer Integer;
    Shl "shl" 2 Strict Integer Integer;
    Shr "shr" 2 Strict Integer Integer;
    PopCount "popcount" 1 Strict Integer Integer;
    AddI64 "addi64" 2 Strict Integer Integer;
    SubI64 "subi64" 2 Strict Integer Integer;
    MulI64 "muli64" 2 Strict Integer Integer;
    ShlI64 "shli64" 2 Strict Integer Integer;
    AddU64 "addu64" 2 Strict Integer Integer;
    SubU64 "subu64" 2 Strict Integer Integer;
    MulU64 "mulu64" 2 Strict Integer Integer;
    ShlU64 "shlu64" 2 Strict Integer Integer;
    ToI8 "toi8" 1 Strict Integer Integer;
    ToI16 "toi16" 1 Strict Integer Integer;
    ToI32 "toi32" 1 Strict Integer Integer;
    ToI64 "toi64" 1 Strict Integer Integer;
    ToU8 "tou8" 1 Strict Integer Integer;
    ToU16 "tou16" 1 Strict Integer Integer;
    ToU32 "tou32" 1 Strict Integer Integer;
    ToU64 "tou64" 1 Strict Integer Integer;
    FAdd "fadd" 2 Strict Float Float;
    FSub "fsub" 2 Strict Float Float;
    FMul "fmul" 2 Strict Float Float;
    FDiv "fdiv" 2 Strict Float Float;
    FRem "frem" 2 Strict Float Float;
    FPow "fpow" 2 Strict Float Float;
    FAtan2 "fatan2" 2 Strict Float Float;
    FHypot "fhypot" 2 Strict Float Float;
    FCopySign "fcopysign" 2 Strict Float Float;
    FNeg "fneg" 1 Strict Float Float;
    FAbs "fabs" 1 Strict Float Float;
    FSqrt "fsqrt" 1 Strict Float Float;
    FCbrt "fcbrt" 1 Strict Float Float;
    FExp "fexp" 1 Strict Float Float;
    FExp2 "fexp2" 1 Strict Float Float;
    FExpM1 "fexpm1" 1 Strict Float Float;
    FLog "flog" 1 Strict Float Float;
    FLog2 "flog2" 1 Strict Float Float;
    FLog10 "flog10" 1 Strict Float Float;
    FLog1P "flog1p" 1 Strict Float Float;
    FSin "fsin" 1 Strict Float Float;
    FCos "fcos" 1 Strict Float Float;
    FTan "ftan" 1 Strict Float Float;
    FAsin "fasin" 1 Strict Float Float;
    FAcos "facos" 1 Strict Float Float;
    FAtan "fatan" 1 Strict Float Float;
    FSinh "fsinh" 1 Strict Float Float;
    FCosh "fcosh" 1 Strict Float Float;
    FTanh "ftanh" 1 Strict Float Float;
    FAsinh "fasinh" 1 Strict Float Float;
    FAcosh "facosh" 1 Strict Float Float;
    FAtanh "fatanh" 1 Strict Float Float;
    FFloor "ffloor" 1 Strict Float Float;
    FCeil "fceil" 1 Strict Float Float;
    FTrunc "ftrunc" 1 Strict Float Float;
    FRound "fround" 1 Strict Float Float;
    FRint "frint" 1 Strict Float Float;
    FEq "feq" 2 Strict Float Integer;
    FNeq "fneq" 2 Strict Float Integer;
    FLt "flt" 2 Strict Float Integer;
    FLe "fle" 2 Strict Float Integer;
    FGt "fgt" 2 Strict Float Integer;
    FGe "fge" 2 Strict Float Integer;
    IToF "itof" 1 Strict Integer Float;
    FToI "ftoi" 1 Strict Float Integer;
    FToBits "ftobits" 1 Strict Float Integer;
    BitsToF "bitstof" 1 Strict Integer Float;
    FDigits "fdigits" 1 Strict Float Integer;
    FExponent "fexponent" 1 Strict Float Integer;
    FDecimal "fdecimal" 2 Strict Integer Float;
    Return "return" 1 Action Any Any;
    Bind "bind" 2 Action Any Any;
    Handle "handle" 3 Action Any Any;
    NewCell "newCell" 1 Action Any Any;
    ReadCell "readCell" 1 Action Any Any;
    WriteCell "writeCell" 2 Action Any Any;
    SameCell "sameCell" 2 Action Any Any;
    NewArray "newArray" 2 Action Any Any;
    ReadArray "readArray" 2 Action Any Any;
    WriteArray "writeArray" 3 Action Any Any;
    SizeOfArray "sizeOfArray" 1 Action Any Any;
    FreezeArray "freezeArray" 1 Action Any Any;
    ThawArray "thawArray" 1 Action Any Any;
    CopyArray "copyArray" 5 Action Any Any;
    PutText "putText" 1 Action Any Any;
    PutError "putError" 1 Action Any Any;
    InputLine "inputLine" 0 Action Any Any;
    InputText "inputText" 0 Action Any Any;
    PutBytes "putBytes" 1 Action Any Any;
    InputBytes "inputBytes" 1 Action Any Any;
    Arguments "arguments" 0 Action Any Any;
    Exit "exit" 1 Action Any Any;
    FileRead "fileRead" 3 Action Any Any;
    FileSize "fileSize" 1 Action Any Any;
    FileKind "fileKind" 1 Action Any Any;
    FileWrite "fileWrite" 2 Action Any Any;
    FileAppend "fileAppend" 2 Action Any Any;
    FileRemove "fileRemove" 1 Action Any Any;
    FileRename "fileRename" 2 Action Any Any;
    DirectoryList "directoryList" 1 Action Any Any;
    DirectoryMake "directoryMake" 1 Action Any Any;
    DirectoryRemove "directoryRemove" 1 Action Any Any;
    EnvironmentVariable "environmentVariable" 1 Action Any Any;
    WallClock "wallClock" 0 Action Any Any;
    MonotonicClock "monotonicClock" 0 Action Any Any;
    RandomBytes "randomBytes" 1 Action Any Any;
    Fork "fork" 1 Action Any Any;
    MyThread "myThread" 0 Action Any Any;
    ThreadNumber "threadNumber" 1 Action Any Any;
    Yield "yield" 0 Action Any Any;
    NewMVar "newMVar" 0 Action Any Any;
    TakeMVar "takeMVar" 1 Action Any Any;
    PutMVar "putMVar" 2 Action Any Any;
    ReadMVar "readMVar" 1 Action Any Any;
    TryTakeMVar "tryTakeMVar" 1 Action Any Any;
    TryReadMVar "tryReadMVar" 1 Action Any Any;
    TryPutMVar "tryPutMVar" 2 Action Any Any;
    ThrowTo "throwTo" 2 Action Any Any;
    SetMask "setMask" 1 Action Any Any;
    Throw "throw" 1 Lazy Any Any;
    ThrowAgain "throwAgain" 2 Lazy Any Any;
    RunState "runState" 1 Lazy Any Any;
    UnsafePerform "unsafePerform" 1 Lazy Any Any;
    ArrayFromList "arrayFromList" 1 Strict List Array;
    ArrayLength "arrayLength" 1 Strict Array Integer;
    ArrayIndex "arrayIndex" 2 Strict Any Any;
    BytesFromText "bytesFromText" 1 Strict List Bytes;
    BytesFromList "bytesFromList" 1 Strict List Bytes;
    BytesConcat "bytesConcat" 1 Strict List Bytes;
    BytesFromInt "bytesFromInt" 1 Strict Integer Bytes;
    BytesToInt "bytesToInt" 1 Strict Bytes Integer;
    BytesLength "bytesLength" 1 Strict Bytes Integer;
    BytesIndex "bytesIndex" 2 Strict Any Integer;
    BytesChar "bytesChar" 2 Strict Any Character;
    BytesTake "bytesTake" 2 Strict Any Bytes;
    BytesDrop "bytesDrop" 2 Strict Any Bytes;
    BytesCompare "bytesCompare" 2 Strict Bytes Integer;
    BytesFind "bytesFind" 2 Strict Bytes Integer;
    BytesHash "bytesHash" 1 Strict Bytes Integer;
    BytesBlank "bytesBlank" 1 Strict Bytes Integer;
    BytesWord "bytesWord" 1 Strict Bytes Integer;
}

impl Primitive {
    /// Returns the primitive that a program calls by this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Primitive> {
        Primitive::ALL.iter().copied().find(|primitive| primitive.name() == name)
    }

    /// Returns whether no function of an embedding program has its name. The others came later,
    /// when such programs had functions of any name.
    #[must_use]
    pub fn is_reserved(self) -> bool {
        self <= Primitive::Error
    }

    /// Returns whether it is an action on the system: on files, the environment and the like. Its
    /// operands are evaluated when it is performed, and are what [`operand_at`] says.
    ///
    /// [`operand_at`]: Primitive::operand_at
    #[must_use]
    pub const fn is_on_system(self) -> bool {
        let at = self as u32;
        Primitive::FileRead as u32 <= at && at <= Primitive::RandomBytes as u32
    }

    /// Returns whether it is on arrays or byte strings.
    #[must_use]
    pub fn is_on_aggregates(self) -> bool {
        (Primitive::ArrayFromList..=Primitive::BytesWord).contains(&self)
    }

    /// Returns what an operand must be, counted from 0.
    #[must_use]
    pub const fn operand_at(self, at: usize) -> Operand {
        match (self, at) {
            (Primitive::FileRead, 1 | 2) | (Primitive::RandomBytes, _) => Operand::Integer,
            _ if self.is_on_system() => Operand::Bytes,
            (Primitive::ArrayIndex, 0) => Operand::Array,
            (Primitive::BytesIndex | Primitive::BytesChar, 0) => Operand::Bytes,
            (Primitive::BytesTake | Primitive::BytesDrop, 1) => Operand::Bytes,
            (Primitive::ArrayIndex | Primitive::BytesIndex | Primitive::BytesChar, _)
            | (Primitive::BytesTake | Primitive::BytesDrop, _) => Operand::Integer,
            _ => self.operand(),
        }
    }

    /// Returns how far the list that is its only operand is evaluated before it is computed, if
    /// that is farther than its first cell.
    #[must_use]
    pub const fn walks(self) -> Option<Walk> {
        match self {
            Primitive::ArrayFromList => Some(Walk::Cells),
            Primitive::BytesFromText | Primitive::BytesFromList | Primitive::BytesConcat => {
                Some(Walk::Elements)
            }
            _ => None,
        }
    }

    /// Returns whether what its instruction leaves may still have to be evaluated.
    #[must_use]
    pub const fn selects(self) -> bool {
        matches!(self, Primitive::ArrayIndex)
    }

    /// Returns whether one instruction computes it from the values of all its operands.
    #[must_use]
    pub const fn computes(self) -> bool {
        matches!(self.shape(), Shape::Strict)
    }
}
