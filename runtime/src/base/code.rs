//! The codes of reports: one table, from which `gmachine explain` and the reference are made. The
//! explanations are beside it, a file for each.

/// Makes [`Code`] and its tables from the list of codes.
macro_rules! codes {
    ($($code:ident $name:ident $title:literal;)+) => {
        /// A kind of report. `G01..` lexical, `G02..` syntax, `G03..` names, `G04..` patterns
        /// and shapes, `G05..` failures of a running program, `G06..` limits, `G07..` input
        /// and output, `G08..` embedding, `G09..` what the optimiser leaves as it is.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(#[doc = $title] $name,)+
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// Returns the code as printed: `G` and four digits.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Code::$name => stringify!($code),)+ }
            }

            /// Returns a short name of the kind.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)+ }
            }

            /// Returns what it means, why it is so, what to do; with an example.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(Code::$name => {
                        include_str!(concat!("explanations/", stringify!($code), ".md"))
                    })+
                }
            }
        }
    };
}

impl Code {
    /// Returns the code that prints as `id`, in either case.
    #[must_use]
    pub fn find(id: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.id().eq_ignore_ascii_case(id))
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

codes! {
    G0101 UnknownCharacter "a character that starts no token";
    G0102 BadNumber "a number that runs into a name, or is too large a float";
    G0103 BadCharacter "a CHAR literal that is no single character";
    G0104 BadEscape "an unknown or malformed escape";
    G0105 UnclosedQuote "a CHAR or STRING literal that is not closed on its line";
    G0106 UnclosedComment "a block comment that is never closed";
    G0107 ReservedBrace "a brace, which CoreF reserves";
    G0108 InvalidUtf8 "a source that is not UTF-8";
    G0109 TooLarge "a source that is too large";
    G0110 BadDirective "a directive of the wrong form, or before nothing";
    G0111 BadJson "JSON that is no program";
    G0112 BadModule "a compiled module that cannot be read";
    G0201 UnclosedBracket "a bracket that is never closed";
    G0202 ExtraBracket "a closing bracket that closes nothing";
    G0203 MismatchedBracket "a bracket closed by one of the other kind";
    G0204 ExpectedItem "something at the top level that is no definition";
    G0205 ExpectedExpression "something that is no expression";
    G0206 ExpectedPattern "something that is no pattern";
    G0207 ExpectedName "a name is missing";
    G0208 BadDefinition "a defn of the wrong form";
    G0209 BadData "a data declaration of the wrong form";
    G0210 BadImport "an import of the wrong form";
    G0211 BadLet "a let or letrec of the wrong form";
    G0212 BadLambda "a fn of the wrong form";
    G0213 BadCase "a case of the wrong form";
    G0214 EmptyApplication "empty parentheses";
    G0215 MisplacedKeyword "a keyword where an expression stands";
    G0216 MisplacedUnderscore "an underscore used as a value";
    G0301 UnboundName "a name that nothing binds";
    G0302 DuplicateDefinition "two definitions of one name";
    G0303 DuplicateParameter "a parameter list that binds a name twice";
    G0304 DuplicatePatternName "a pattern that binds a name twice";
    G0305 DuplicateLetrecName "a letrec that binds a name twice";
    G0306 UnknownConstructor "a pattern with an unknown constructor";
    G0307 ReservedName "a new definition of Nil, Cons or List";
    G0308 MissingMain "a program without main";
    G0309 MainParameters "a main with two or more parameters";
    G0310 UnknownModule "an import of an unknown corelib module";
    G0311 AmbiguousName "a name that two imported modules define";
    G0312 StaleModule "a compiled module that does not fit the program";
    G0401 PatternArity "a pattern with the wrong number of fields";
    G0402 MixedConstructors "constructors of two data types in one column";
    G0403 UnreachableAlternative "an alternative that is never reached";
    G0404 NotAFunction "an application of what is no function";
    G0405 OperandKind "an operand of a kind that the primitive does not take";
    G0406 TooManyArguments "a constructor with too many arguments";
    G0407 FunctionMain "a program whose value is a function";
    G0408 PartialCase "a case that does not match all values";
    G0409 FreeName "an unknown argument with nearly the name of a definition";
    G0410 VariablePattern "a variable in a pattern with nearly the name of a constructor";
    G0411 ActionsPrinted "a program that prints actions";
    G0501 ErrorCalled "the program called error";
    G0502 DivisionByZero "a division by zero";
    G0503 WrongKind "an operand of the wrong kind";
    G0504 AppliedNonFunction "an application of what is no function";
    G0505 NoAlternative "no alternative matches";
    G0506 OverappliedConstructor "a constructor given too many arguments";
    G0507 ChrOutOfRange "chr of a number that is no code point";
    G0508 SelfDependent "a value that depends on itself";
    G0509 NotText "a text with an element that is no character";
    G0510 WrongScrutinee "a case on a value of the wrong kind";
    G0511 NotBoolean "a condition that is neither 1 nor 0";
    G0512 Unprintable "a value that the format cannot write";
    G0513 NoInteger "an integer of a float that has none";
    G0514 NegativeOperand "a negative operand where none can be";
    G0515 Uncaught "a value that was thrown and not caught";
    G0516 ForeignEffect "an effect that a state thread cannot have";
    G0517 NoElement "an index that no element has";
    G0518 NotEncoded "bytes that are no character or no number";
    G0519 InputTaken "input that is read in two ways";
    G0520 NotGranted "an action that the program was not granted";
    G0521 NoFile "a file that is not there";
    G0522 SystemFailed "a file or device that failed";
    G0523 Blocked "a program that waits for ever";
    G0524 ThrownTo "a value that was thrown to a thread and not caught";
    G0601 HeapLimit "the memory limit";
    G0602 FuelLimit "the fuel limit";
    G0603 TimeLimit "the time limit";
    G0604 TooManyCaptures "functions that capture too many variables";
    G0605 TooManyParameters "functions or constructors with too many parameters";
    G0606 Interrupted "an interrupt";
    G0701 CannotRead "a file that cannot be read";
    G0702 InputNotUtf8 "standard input that is not UTF-8";
    G0703 InputFailed "standard input that cannot be read";
    G0704 OutputFailed "output that cannot be written";
    G0801 HostFailed "a host function that failed";
    G0802 HostDepth "host functions that call back too deeply";
    G0901 CallRecursive "a call that is not inlined because the function calls itself";
    G0902 CallLarge "a call that is not inlined because the function is large";
    G0903 CallBudget "a call that is left because a budget is used up";
    G0904 CallShared "two functions that are not fused because what is between them is used twice";
    G0905 CallNoProducer "two functions that are not fused because the first one is no producer";
    G0906 CallGrows "a call that is specialised for less than is known, because an argument grows";
    G0907 CallUnknown "a call of a function that is not known";
    G0908 CallLazy "a call that is not inlined because its value may not be needed";
}
