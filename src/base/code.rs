//! The codes of reports: one table, from which `gmachine explain` and the reference are made.

/// Makes [`Code`] and its tables from the list of codes.
macro_rules! codes {
    ($($code:ident $name:ident $title:literal $explanation:literal;)+) => {
        /// A kind of report. `G01..` lexical, `G02..` syntax, `G03..` names, `G04..` patterns
        /// and shapes, `G05..` failures of a running program, `G06..` limits, `G07..` input
        /// and output, `G08..` embedding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(#[doc = $title] $name,)+
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// The code as printed: `G` and four digits.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Code::$name => stringify!($code),)+ }
            }

            /// A short name of the kind.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)+ }
            }

            /// What it means, why it is so, what to do; with an example.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self { $(Code::$name => $explanation,)+ }
            }
        }
    };
}

impl Code {
    /// The code that prints as `id`, in either case.
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
    G0101 UnknownCharacter "a character that starts no token"
"A character stands where no token can start with it: an operator sign, a comma, an invisible or control character, a curly quote. Operators have names in CoreF, and parts of a form are separated by blanks.

```coref
(defn main[] (+ 1 2))
```

Write `(add 1 2)`. Inside CHAR and STRING literals and in comments any character may stand.
";
    G0102 BadInteger "an integer literal that runs into a name"
"An integer is directly followed by a letter, a quote or a minus sign. That could be read as one token or as two, so it is refused.

```coref
(defn main[] 5-3)
```

Put a blank between the two, or say what is meant: `(sub 5 3)`. A name starts with a letter.
";
    G0103 BadCharacter "a CHAR literal that is no single character"
"A CHAR literal stands for exactly one character; this one holds none or several.

```coref
(defn main[] 'abc')
```

Write a text as a STRING, `\"abc\"`, and a quote as `'\\''`.
";
    G0104 BadEscape "an unknown or malformed escape"
"A backslash in a CHAR or STRING literal starts an escape, and this one is unknown or malformed. The escapes are `\\n \\t \\r \\0 \\\\ \\' \\\"` and `\\u{HEX}`; a code point is at most 10FFFF and no surrogate.

```coref
(defn main[] \"C:\\dir\")
```

Write a backslash itself as `\\\\`.
";
    G0105 UnclosedQuote "a CHAR or STRING literal that is not closed on its line"
"A CHAR or STRING literal starts here and its line ends before it does. A line break cannot stand in a literal.

```coref
(defn main[] \"text)
```

Close it with the same quote; write a line break as `\\n`.
";
    G0106 UnclosedComment "a block comment that is never closed"
"A block comment starts with `#|` and ends with `|#`. They nest, so each start needs its own end; this one has none, and the rest of the file would be comment.

```coref
#| never closed
```

Close it with `|#`, or remove the `#|`. A comment up to the end of the line starts with `;`.
";
    G0107 ReservedBrace "a brace, which CoreF reserves"
"The braces `{` and `}` are reserved and have no meaning yet.

```coref
(defn f[x] {add x 1})
```

Use `( )` for applications and forms, `[ ]` for lists, parameters and bindings.
";
    G0108 InvalidUtf8 "a source that is not UTF-8"
"A source file is UTF-8 text. This one has bytes that are no UTF-8; the report shows where the first of them stands.

```coref
; saved as Latin-1: caf�
```

Save the file as UTF-8.
";
    G0109 TooLarge "a source that is too large"
"All sources of a program together may have 4 GiB, because positions are counted in 32 bits.

```coref
; four thousand million characters
```

Split the program, or generate less of it.
";
    G0201 UnclosedBracket "a bracket that is never closed"
"An opening bracket is not closed before the file ends or the next definition starts. The report points at the innermost one that is open there.

```coref
(defn main[] (add 1 2)
```

Close it. Definitions stand at the top level only, so a definition inside another one is reported this way too.
";
    G0202 ExtraBracket "a closing bracket that closes nothing"
"A closing bracket stands where no bracket is open.

```coref
(defn f[x] x))
```

Remove it, or open a bracket before it.
";
    G0203 MismatchedBracket "a bracket closed by one of the other kind"
"A bracket is closed by one of the other kind. `( )` and `[ ]` are different brackets.

```coref
(defn f[x] (add x 1])
```

Close each bracket with its own kind. The report shows the bracket that is open.
";
    G0204 ExpectedItem "something at the top level that is no definition"
"A file is a row of definitions: `defn`, `data` and `import`. Something else stands between them.

```coref
(add 1 2)
```

Give the program a main: `(defn main[] (add 1 2))`.
";
    G0205 ExpectedExpression "something that is no expression"
"One expression is due, and there is none, more than one, or something else.

```coref
1 2
```

Write one expression; an application stands in brackets: `(f 1 2)`.
";
    G0206 ExpectedPattern "something that is no pattern"
"A pattern is `_`, a name, a literal, or a constructor with patterns for its fields in brackets.

```coref
(defn f[x] (case x [[y] y]))
```

Write `(Cons y Nil)` for a list of one element.
";
    G0207 ExpectedName "a name is missing"
"A name is due here, as a parameter, in a binding, or after `defn` or `data`, and something else stands there: a literal, a keyword or a form in brackets.

```coref
(defn head[(Cons x xs)] x)
```

Bind a name and take the value apart with case: `(defn head[l] (case l [(Cons x xs) x]))`.
";
    G0208 BadDefinition "a defn of the wrong form"
"A definition has a name, a parameter list in square brackets, which may be empty, and one body.

```coref
(defn f 1)
```

Write `(defn f[] 1)`.
";
    G0209 BadData "a data declaration of the wrong form"
"A data declaration has a name and at least one constructor. Each constructor stands in brackets with names for its fields.

```coref
(data Bool True False)
```

Write `(data Bool (True) (False))`.
";
    G0210 BadImport "an import of the wrong form"
"An import names one file, as a STRING, or one module of the corelib, as a name.

```coref
(import \"a.core\" \"b.core\")
```

Write an import for each.
";
    G0211 BadLet "a let or letrec of the wrong form"
"A let or letrec has its bindings in one pair of `( )`, each a name and one value in square brackets, and then one body.

```coref
(defn f[] (let [x 1] x))
```

Write `(let ([x 1]) x)`.
";
    G0212 BadLambda "a fn of the wrong form"
"A fn has at least one parameter, in square brackets, and one body.

```coref
(defn f[] (fn x x))
```

Write `(fn [x] x)`.
";
    G0213 BadCase "a case of the wrong form"
"A case has a value and at least one alternative, each a pattern and one body in square brackets.

```coref
(defn f[x] (case x (Nil) 1))
```

Write `(case x [(Nil) 1])`. A constructor with fields has its own brackets: `[(Cons y ys) y]`.
";
    G0214 EmptyApplication "empty parentheses"
"Empty parentheses are no expression.

```coref
(defn f[] (g ()))
```

Write `[]` or `Nil` for the empty list; a definition without parameters is its name alone, `g`.
";
    G0215 MisplacedKeyword "a keyword where an expression stands"
"A keyword (`defn data import let letrec fn case`) stands where an expression is due. Keywords start forms and name nothing.

```coref
(defn f[] (g let 1))
```

Choose another name, or put the form into brackets: `(let ([x 1]) x)`.
";
    G0216 MisplacedUnderscore "an underscore used as a value"
"`_` may stand where a name is bound and binds nothing, so it cannot be used as a value.

```coref
(defn f[_] (add _ 1))
```

Give the parameter a name: `(defn f[x] (add x 1))`.
";
    G0301 UnboundName "a name that nothing binds" r#"A name in an expression must be bound: as a parameter, by `let`, `letrec`, `fn` or a pattern around it, by a definition of the program or of a module that it imports, or as a function of the prelude or a primitive. Mostly it is misspelled, or used outside its scope: a `let` binds from the next binding on, and a pattern in its own alternative only.

```coref
(defn main[] (add (let ([x 1]) x) x))
```

The last `x` is outside the `let`. Move it inside:

```coref
(defn main[] (let ([x 1]) (add x x)))
```

An unbound name is reported once in each definition."#;
    G0302 DuplicateDefinition "two definitions of one name" r#"A program defines a name once, and the files of a program share one namespace. A `defn` and a constructor may not have the same name either, because a constructor is a function too. Names of data types are apart: only two data types cannot have the same name.

```coref
(defn size[x] 1)
(defn size[x] 2)
```

Rename or remove one of the two. A definition of the prelude, or a primitive, is no obstacle: the program's own definition is used instead of it."#;
    G0303 DuplicateParameter "a parameter list that binds a name twice" r#"The parameters of a function have different names; otherwise it would not be clear which argument the name means.

```coref
(defn first[x x] x)
```

Rename one of them, or write `_` for a parameter that is not used:

```coref
(defn first[x _] x)
```"#;
    G0304 DuplicatePatternName "a pattern that binds a name twice" r#"A pattern binds a name once. It does not compare: a name that stands twice does not mean that the two parts are equal.

```coref
(defn same[p] (case p [(Pair x x) 1] [_ 0]))
```

Bind two names, and compare them:

```coref
(defn same[p] (case p [(Pair x y) (eq x y)]))
```"#;
    G0305 DuplicateLetrecName "a letrec that binds a name twice" r#"The bindings of a `letrec` see each other, so each needs a name of its own.

```coref
(defn main[] (letrec ([x 1] [x 2]) x))
```

Rename one of them. A `let` may bind a name again: there, each binding sees those before it."#;
    G0306 UnknownConstructor "a pattern with an unknown constructor" r#"A pattern in parentheses begins with a constructor: a name that a `data` declaration in scope lists. A function cannot be applied in a pattern.

```coref
(defn f[x] (case x [(Jst y) y] [_ 0]))
```

Correct the name, or declare the constructor:

```coref
(defn f[x] (case x [(Just y) y] [_ 0]))
```"#;
    G0307 ReservedName "a new definition of Nil, Cons or List" r#"`List` with its constructors `Nil` and `Cons` is built into the language: list literals and strings mean them. A program cannot define these three names anew.

```coref
(data List (Nil) (Cons head tail))
```

Remove the declaration, or choose other names."#;
    G0308 MissingMain "a program without main" r#"What a program prints is the value of `main`, so a program that is run must define it. A file that is only imported needs none.

```coref
(defn square[x] (mul x x))
```

Add a definition without parameters, or with one, which is standard input as a list of characters:

```coref
(defn square[x] (mul x x))
(defn main[] (square 7))
```"#;
    G0309 MainParameters "a main with two or more parameters" r#"`main` has no parameter, or one: standard input as a list of characters. There is nothing that a second parameter could be.

```coref
(defn main[input other] input)
```

Remove the others, or give the function another name and call it from `main`."#;
    G0310 UnknownModule "an import of an unknown corelib module"
"The corelib has no module of this name.

```coref
(import mpa)
```

Check the spelling, `(import map)`. A file is imported by its path, as a STRING: `(import \"mpa.core\")`.
";
    G0311 AmbiguousName "a name that two imported modules define" r#"Two modules that are imported define this name, and neither comes before the other.

```coref
(import one)
(import other)
(defn main[] (insert 1 2))
```

Import only one of the modules, or define the name in the program: the program's own definition is always the one that counts."#;
    G0401 PatternArity "a pattern with the wrong number of fields" r#"A constructor pattern has as many fields as the constructor. A constructor with fields cannot stand bare.

```coref
(defn head[xs] (case xs [(Cons x) x]))
```

Give every field a pattern; `_` matches anything:

```coref
(defn head[xs] (case xs [(Cons x _) x]))
```"#;
    G0402 MixedConstructors "constructors of two data types in one column" r#"The patterns in one place of a case are all for values of one kind: constructors of one data type, integers, or characters. A value of another kind would stop the program rather than go on to the next alternative, so a pattern for it could never match.

```coref
(defn f[x] (case x [(Nil) 0] [0 1] [_ 2]))
```

A string pattern is a pattern for a list of characters. If a value may be of several kinds, declare a data type for it:

```coref
(data Value (Number n) (Items list))
(defn f[x] (case x [(Items (Nil)) 0] [(Number 0) 1] [_ 2]))
```"#;
    G0403 UnreachableAlternative "an alternative that is never reached" r#"The alternatives of a case are tried from top to bottom. This one is never reached, because those above it match all that it matches. A name that is no constructor matches everything, so a misspelled constructor has this effect as well.

```coref
(defn f[x] (case x [n 0] [1 1]))
```

Move the alternative up, remove it, or correct the one that hides it:

```coref
(defn f[x] (case x [1 1] [n 0]))
```"#;
    G0404 NotAFunction "an application of what is no function" r#"Something that can be seen to be no function is applied: an integer, a character, a list, or the result of a primitive that has all its arguments. The program runs, and fails if the application is demanded.

```coref
(defn main[] (3 4))
```

Brackets are meant for lists, parentheses for applications:

```coref
(defn main[] [3 4])
```"#;
    G0405 OperandKind "an operand of a kind that the primitive does not take" r#"An operand can be seen to be of a kind that the primitive does not take. Arithmetic is on integers; `eq`, `lt` and the like compare two integers or two characters; the condition of `if` is 1 or 0. The program runs, and fails if the operation is demanded.

```coref
(defn main[] (add 1 '2'))
```

Convert the operand first: `ord` makes an integer of a character, `chr` a character of an integer.

```coref
(defn main[] (add 1 (sub (ord '2') (ord '0'))))
```"#;
    G0406 TooManyArguments "a constructor with too many arguments" r#"A constructor is given more arguments than it has fields. What it makes is no function, so the rest cannot be applied. The program runs, and fails if the application is demanded.

```coref
(defn main[] (Cons 1 2 3))
```

Remove the extra arguments, or nest:

```coref
(defn main[] (Cons 1 (Cons 2 (Cons 3 Nil))))
```"#;
    G0501 ErrorCalled "the program called error" r#"The program called `error`, and this is the message that it gave. The expression that called it is marked; what waited for its value is listed below it.

```coref
(defn item[n xs]
  (case xs
    [(Cons x rest) (if (eq n 0) x (item (sub n 1) rest))]
    [Nil (error "the list is too short")]))
(defn main[] (item 5 [1 2 3]))
```

Calls of `error` mark what a function does not expect. Look at what it was given, or give it an alternative that needs no error."#;
    G0502 DivisionByZero "a division by zero" r#"A number was divided by 0. `div` and `rem`, which round toward zero, and `floordiv` and `mod`, which round toward minus infinity, have no value for a divisor of 0.

```coref
(defn mean[xs] (div (sum xs) (length xs)))
(defn main[] (mean Nil))
```

Ask first: `(if (isNil xs) 0 (div (sum xs) (length xs)))`."#;
    G0503 WrongKind "an operand of the wrong kind" r#"A primitive was given a value of a kind that it does not take: `add` and its like take integers, `ord` takes a character, `eq` and the other comparisons take two integers or two characters. Nothing is converted.

```coref
(defn main[] (map (add 1) [1 2 'c']))
```

Convert it: `(ord 'c')` is the code point of a character, `chr` the character of a code point, `showInt` and `readInt` stand between integers and texts."#;
    G0504 AppliedNonFunction "an application of what is no function" r#"A value that is no function was applied to an argument: an integer, a character, a list, or another constructor that has all its fields. Often a bracket stands in the wrong place, so that a function got too many arguments: the last ones were then applied to its result.

```coref
(defn apply-to-one[f] (f 1))
(defn main[] (apply-to-one 3))
```

Look at the marked application: how many arguments does its function take? `(f)` is `f`, and `[a b]`, not `(a b)`, is a list."#;
    G0505 NoAlternative "no alternative matches" r#"The value of a `case` fits none of its alternatives.

```coref
(defn first[xs] (case xs [(Cons x _) x]))
(defn main[] (first Nil))
```

Add an alternative for the missing values; `[_ ..]` takes all that are left. A message of your own comes from `(error "..")`."#;
    G0506 OverappliedConstructor "a constructor given too many arguments" r#"A constructor was given more arguments than it has fields. With all its fields it is a value and no function, so it cannot take another.

```coref
(defn build[con] (con 1 2))
(defn main[] (build Just))
```

Look at the `data` declaration for the number of fields."#;
    G0507 ChrOutOfRange "chr of a number that is no code point" r#"`chr` takes the code point of a character: 0 to 1114111 (10FFFF in hexadecimal), without the surrogates 55296 to 57343 (D800 to DFFF).

```coref
(defn main[] (chr 1114112))
```

Check the number before, or take `mod` of it."#;
    G0508 SelfDependent "a value that depends on itself" r#"A value was needed to compute itself. A recursive value is fine as long as it can be known in part before it is used, as in `(letrec ([xs (Cons 1 xs)]) xs)`; here nothing of it was known yet.

```coref
(defn main[] (letrec ([x (add x 1)]) x))
```

Was another name meant? In a `letrec` the new name is bound in its own value; in a `let` it is not, there the outer one is meant. A function needs a parameter that changes from call to call."#;
    G0509 NotText "a text with an element that is no character" r#"What a list prints as is decided by its first element: a list that starts with a character is a text, and is written as it is. Later it had an element that is no character.

```coref
(defn main[] (Cons 'a' (Cons 1 Nil)))
```

Turn the numbers into texts with `showInt` and put the pieces together with `append`, or print a list of texts."#;
    G0510 WrongScrutinee "a case on a value of the wrong kind" r#"A `case` met a value of another kind than its patterns: a number where constructors were expected, a character where numbers were, or a constructor of another data type. That is no value that fits no alternative, but one that should never have come there.

```coref
(defn size[xs] (case xs [Nil 0] [(Cons _ rest) (add 1 (size rest))]))
(defn main[] (size 42))
```

Look where the value comes from; what waited for it is listed in the report."#;
    G0511 NotBoolean "a condition that is neither 1 nor 0" r#"A condition is 1 for true or 0 for false. `if` was given something else.

```coref
(defn main[] (if (length [1 2]) 1 0))
```

Compare: `(if (gt (length xs) 0) ..)`, or `(if (not (isNil xs)) ..)`."#;
    G0512 Unprintable "a value that the format cannot write" r#"The format asked for cannot write this value. `--format sexpr` writes what reads back as the same value, and a lambda has no name to read back.

```coref
(defn main[] [(fn [x] x)])
```

Print something else, or take the default format, which writes `<function>`."#;
    G0601 HeapLimit "the memory limit" r#"The program needs more memory than it may use. The limit counts the heap, the stack of evaluations that wait and big integers; by default it is most of the memory that is free.

```coref
(defn count[n] (add 1 (count n)))
(defn main[] (count 0))
```

Raise the limit with `--max-heap 4G`. If the memory should not grow at all: a function that calls itself inside `add` waits for the result, so pass an accumulator along and force it with `seq`; a list that is used twice is kept, so compute it twice or use it once."#;
    G0602 FuelLimit "the fuel limit" r#"The program has executed as many instructions as `--fuel` allows. Fuel is counted the same on every machine and in every run.

```coref
(defn loop[x] (loop x))
(defn main[] (loop 1))
```

Raise it, or leave `--fuel` away. If the program should have ended: `gmachine trace --from N` shows what it does."#;
    G0603 TimeLimit "the time limit" r#"The program has taken as long as `--timeout` allows.

```coref
(defn loop[x] (loop x))
(defn main[] (loop 1))
```

Raise it, or leave `--timeout` away. For a limit that does not depend on the machine take `--fuel`."#;
    G0701 CannotRead "a file that cannot be read"
"The program or a file that it imports cannot be read: it does not exist, is a directory, or may not be read. Imported files are looked up beside the file that imports them.

```coref
(import \"missing.core\")
```

Check the path and the permissions.
";
    G0702 InputNotUtf8 "standard input that is not UTF-8" r#"Standard input is text in UTF-8. A program that reads it met bytes that are none; the report has the offset of the first of them.

```coref
(defn main[input] (length input))
```

Convert the input: `iconv -f LATIN1 -t UTF-8 input.txt | gmachine run program.core`."#;
    G0703 InputFailed "standard input that cannot be read" r#"The system refused to read standard input, with the reason that is given.

```coref
(defn main[input] (length input))
```

Check what standard input is connected to: a directory, for one, cannot be read."#;
    G0704 OutputFailed "output that cannot be written" r#"The system refused to write, with the reason that is given: mostly the disk is full. What was written before stays. (When the reader of a pipe has gone, the run ends without a report.)

```coref
(defn main[] (from 0))
```

Make room, or write to another place."#;
    G0801 HostFailed "a host function that failed" r#"A function of the program that CoreF is embedded in has failed; the message is its own.

```coref
(defn main[] (lookup-user 7))
```

See the documentation of the embedding program."#;
    G0802 HostDepth "host functions that call back too deeply" r#"A function of the embedding program evaluated a value that called such a function again, and so on: each level takes a piece of the native stack, so their number is limited.

```coref
(defn main[] (call-me (call-me (call-me 1))))
```

Let the function return an unevaluated value instead of evaluating it."#;
}
