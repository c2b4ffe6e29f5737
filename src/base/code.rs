//! The codes of reports: one table, from which `gmachine explain` and the reference are made.

/// Makes [`Code`] and its tables from the list of codes.
macro_rules! codes {
    ($($code:ident $name:ident $title:literal $explanation:literal;)+) => {
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
                match self { $(Code::$name => $explanation,)+ }
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
    G0101 UnknownCharacter "a character that starts no token"
"A character stands where no token can start with it: an operator sign, a comma, an invisible or control character, a curly quote. Operators have names in CoreF, and parts of a form are separated by blanks.

```coref
(defn main[] (+ 1 2))
```

Write `(add 1 2)`. Inside CHAR and STRING literals and in comments any character may stand.
";
    G0102 BadNumber "a number that runs into a name, or is too large a float"
"A number is directly followed by a letter, a quote, a point or a minus sign. That could be read as one token or as two, so it is refused. A float has digits on both sides of its point: `0.5`, `2.0`, `6.02e23`. One that is larger than any float is refused too.

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
"The braces `{` and `}` enclose directives, which front ends write: `{at \"Main.hs\" 12 5}`, `{name \"Data.Map.insert\"}`. They have no other meaning.

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
    G0110 BadDirective "a directive of the wrong form, or before nothing"
"A directive stands before the form that it is about. `{at \"FILE\" LINE COLUMN}` says where a definition or an expression comes from in the text that a front end has translated; a second line and column say where that ends, and without a file it is the one named last. `{name \"TEXT\"}` says how a definition, a data type or a constructor is called there.

```coref
(defn main[] {at 12} (add 1 2))
```

Write the file, the line and the column, which count from 1.
";
    G0111 BadJson "JSON that is no program"
"A program that is given in JSON follows the schema `gmachine-program`, which the page docs/targeting.md describes. This text is no JSON, or has something that the schema does not have.

```coref
; A file for --from json:
{\"schema\": \"gmachine-program\", \"version\": 1, \"items\": [{\"defn\": \"main\"}]}
```

`gmachine dump --stage parsed --format json` shows any program in that form.
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

Write one expression; an application stands in parentheses: `(f 1 2)`.
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
"A data declaration has a name and at least one constructor. Each constructor stands in parentheses with names for its fields.

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
    G0404 NotAFunction "an application of what is no function" r#"Something that can be seen to be no function is applied: an integer, a character, a list, or the result of a primitive or a definition that has all its arguments. The program runs, and fails if the application is demanded.

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
    G0407 FunctionMain "a program whose value is a function" r#"The body of `main` applies a function to fewer arguments than it takes. That is a function again, which prints as its name alone.

```coref
(defn main[] (if (eq 1 1) 5))
```

Give it all its arguments:

```coref
(defn main[] (if (eq 1 1) 5 6))
```"#;
    G0408 PartialCase "a case that does not match all values" r#"Some values that may come to this case have no alternative. The program runs, and fails if one of them comes. A case may be meant so: `gmachine check` alone says it, and of a case with a single alternative, which selects a field, nothing is said.

```coref
(data Shape (Circle r) (Square a) (Dot))
(defn area[s] (case s [(Circle r) (mul r r)] [(Square a) a]))
```

Add the alternatives that are missing, or one with `_` for all others:

```coref
(data Shape (Circle r) (Square a) (Dot))
(defn area[s] (case s [(Circle r) (mul r r)] [(Square a) a] [Dot 0]))
```"#;
    G0409 FreeName "an unknown argument with nearly the name of a definition" r#"`gmachine specialise` takes a name that nothing binds for an argument that is not known. This one is spelled nearly as a name that is bound, so that was probably meant.

```coref
(lenght xs)
```

Correct the name, or give the argument another one:

```coref
(length xs)
```"#;
    G0501 ErrorCalled "the program called error"
"The program called `error`. Its argument is the message of the report: the first part of it, if it is long.

```coref
(defn main[] (error \"no such key\"))
```

Look at what waited for the call, which the report lists, and handle the case that leads there.
";
    G0502 DivisionByZero "a division by zero"
"`div`, `rem`, `floordiv` or `mod` was given 0 as its second operand. No integer is the answer.

```coref
(defn main[] (div 1 0))
```

Ask first: `(if (eq n 0) other (div m n))`.
";
    G0503 WrongKind "an operand of the wrong kind"
"A primitive was given a value that it does not work on: arithmetic takes integers, a comparison two integers or two characters, `ord` a character, `chr` an integer, `error` a text; primitives that begin with `f`, such as `fadd` and `flt`, take floats, and no others do.

```coref
(defn main[] (add 1 'a'))
```

Convert it: `(add 1 (ord 'a'))`, `(fadd 0.5 (itof n))`, `(add n (ftoi x))`. If the operand should have been of the right kind, look where it comes from.
";
    G0504 AppliedNonFunction "an application of what is no function"
"Something is applied that is an integer or a character and not a function. Often a function was given more arguments than it takes, so that its result is applied to those left over; or parentheses stand around a value, `(3)` is 3 but `(3 4)` applies it.

```coref
(defn main[] (negate 1 2))
```

Remove the arguments that are too many, or make the value a function.
";
    G0505 NoAlternative "no alternative matches"
"A `case` met a value that none of its alternatives matches.

```coref
(defn head[l] (case l [(Cons x _) x]))
(defn main[] (head Nil))
```

Add an alternative for it, or one with `_` for all others.
";
    G0506 OverappliedConstructor "a constructor given too many arguments"
"A constructor has as many arguments as its `data` declaration gives it fields. Here it got more.

```coref
(data Pair (Pair first second))
(defn main[] (Pair 1 2 3))
```

Remove the arguments that are too many, or declare more fields.
";
    G0507 ChrOutOfRange "chr of a number that is no code point"
"`chr` makes a character of its code point. Code points are the numbers from 0 to 1114111 (10FFFF in hexadecimal) without the surrogates 55296 to 57343.

```coref
(defn main[] (chr -1))
```

Check the number before: `(if (lt n 0) other (chr n))`.
";
    G0508 SelfDependent "a value that depends on itself"
"To compute a value, the value itself was needed. So there is none. Lists and functions may refer to themselves, because a constructor's fields and a function's body are not needed to make them; an integer cannot.

```coref
(defn main[] (letrec ([x (add x 1)]) x))
```

Break the circle: pass what changes as an argument, or put a constructor between, as in `(letrec ([ones (Cons 1 ones)]) ones)`.
";
    G0509 NotText "a text with an element that is no character"
"A list whose first element is a character prints as text, and this one has an element that is no character.

```coref
(defn main[] (Cons 'a' (Cons 1 Nil)))
```

Convert the element to text, or wrap the list in a constructor if it is meant to be printed as values.
";
    G0510 WrongScrutinee "a case on a value of the wrong kind"
"A `case` looks for values of one kind: of one data type, or integers, or characters. It met a value of another kind, which is neither a match nor a reason to try the next alternative.

```coref
(defn isNil[l] (case l [(Nil) 1] [(Cons _ _) 0]))
(defn main[] (isNil 3))
```

Look where the value comes from; the report lists what waited for it.
";
    G0511 NotBoolean "a condition that is neither 1 nor 0"
"The first argument of `if` must be 1, which is true, or 0, which is false. Nothing else is taken for either.

```coref
(defn main[] (if 2 \"yes\" \"no\"))
```

Compare: `(if (neq n 0) \"yes\" \"no\")`.
";
    G0512 Unprintable "a value that the format cannot write"
"With `--format sexpr` a value is written as an expression that reads back. Some values are none: a function without a name, a function or constructor whose name the program has given to something else.

```coref
(defn main[] (fn [x] x))
```

Use the default format or `--format json`, or give the function a name with `defn`.
";
    G0513 NoInteger "an integer of a float that has none"
"`ftoi`, `fdigits` or `fexponent` was given an infinity or the NaN. No integer is nearest to it, and it has no digits.

```coref
(defn main[] (ftoi (fdiv 1.0 0.0)))
```

Ask first: `(flt (fabs x) +inf.0)` is 1 for every float but those.
";
    G0514 NegativeOperand "a negative operand where none can be"
"The count of a shift was negative, or `popcount` was given a negative integer, in which infinitely many bits are 1.

```coref
(defn main[] (shl 1 -3))
```

Shift the other way: `(shr 1 3)`. Of a negative integer of 64 bits, `(popcount (tou64 n))` counts the bits.
";
    G0515 Uncaught "a value that was thrown and not caught"
"The program threw a value with `throw`, and no action around had a handler for it. The report shows what of the value was evaluated, and what waited for it.

```coref
(data Problem (TooLarge n))
(defn check[n] (if (lt n 10) n (throw (TooLarge n))))
(defn main[] (check 12))
```

Catch it in an action: `(catch m h)` of the module `io` performs `m`, and if that fails `(h e)`, where `e` is `(Thrown value trace)` or `(Failure code text trace)`.
";
    G0516 ForeignEffect "an effect that a state thread cannot have"
"What `runState` performs can make, read and write cells of its own, and nothing else: so its value does not depend on when it is evaluated. Here it reads or writes outside, or uses a cell that was made elsewhere; or the cell of a state thread is used after its end.

```coref
(defn main[] (runState (putText \"hello\")))
```

Return what is to be written, and write it outside. Give the state thread the value of a cell instead of the cell.
";
    G0517 NoElement "an index that no element has"
"`arrayIndex`, `bytesIndex` or `bytesChar` was given an index that is negative, or not less than the length.

```coref
(defn main[] (arrayIndex (arrayFromList [1 2 3]) 3))
```

Indices begin at 0. `(arrayLength a)` and `(bytesLength b)` are the first that are too large.
";
    G0518 NotEncoded "bytes that are no character or no number"
"`bytesChar` was given an index at which no character in UTF-8 begins, or `bytesToInt` a byte string that is not a decimal integer: digits, with a `-` before them or not.

```coref
(defn main[] (bytesToInt (bytesFromText \"12 apples\")))
```

The number ends where the digits end: `(bytesToInt (bytesTake 2 b))`.
";
    G0519 InputTaken "input that is read in two ways"
"The action `inputText` (or a `main` with a parameter) gives the rest of the input as a list that is read as it is demanded. What is read by another action afterwards would be missing there, or not, depending on what was demanded by then.

```coref
(defn main[] (bind inputText (fn [text] (bind inputLine (fn [line] (putText text))))))
```

Read lines first, or take them from the list.
";
    G0520 NotGranted "an action that the program was not granted"
"A program has its standard streams and its arguments, and nothing else unless whoever runs it grants it: files of a directory, variables of the environment, clocks, random numbers. The message says what would grant it.

```coref
(defn main[] (bind (fileRead (bytesFromText \"/etc/passwd\") 0 1000) putBytes))
```

`gmachine run` grants by `--allow-read DIR`, `--allow-write DIR`, `--allow-env NAME`, `--allow-time` and `--allow-random`; an embedding program by `Store::set_system`. A path that leads out of a granted directory, by `..` or by a symbolic link, is not granted.
";
    G0521 NoFile "a file that is not there"
"An action on a file or directory, which the program may use, found none of that name.

```coref
(defn main[] (bind (fileRead (bytesFromText \"missing.txt\") 0 1000) putBytes))
```

Ask `fileKind` first, or handle the failure: `(catch m h)` of the module `io`.
";
    G0522 SystemFailed "a file or device that failed"
"The system did not do what an action asked for, and says why: the disk is full, say, or what should be a file is a directory. Of what was to be written a part may be there.

```coref
(defn main[] (bind (directoryList (bytesFromText \"notes.txt\")) (fn [names] (return Nil))))
```

Look at the message. The failure can be handled: `(catch m h)` of the module `io`.
";
    G0523 Blocked "a program that waits for ever"
"`main` waits for a value in an `MVar`, or for room for one, and no other thread can run that would see to it: each waits itself, or has ended.

```coref
(defn main[] (bind newMVar (fn [v] (takeMVar v))))
```

Look for a thread that ends, or fails, before it puts what others wait for, and for two threads that take the same two in another order. `main` can handle the failure; the others wait on.
";
    G0524 ThrownTo "a value that was thrown to a thread and not caught"
"A thread threw a value to `main` with `throwTo`, and no action around what `main` was doing had a handler for it. Any other thread simply ends.

```coref
(defn main[] (bind myThread (fn [me] (throwTo me 5))))
```

Handle it: `(catch m h)` of the module `io`.
";
    G0601 HeapLimit "the memory limit"
"The evaluation needs more memory than it may use. The limit counts everything: the graph, large integers, and the stack of a deep recursion. It is reported after a last collection that freed too little.

```coref
(defn from[n] (Cons n (from (add n 1))))
(defn length[l] (case l [(Nil) 0] [(Cons _ t) (add 1 (length t))]))
(defn main[] (length (from 0)))
```

Raise it with `--max-heap`. If the program should need less: a recursion whose calls wait for one another can carry its result along in an argument that is forced with `seq`, and a long list that is used twice is kept whole between the two uses.
";
    G0602 FuelLimit "the fuel limit"
"The evaluation has executed as many instructions as `--fuel` allows. The count is the same in every run.

```coref
(defn loop[n] (loop (add n 1)))
(defn main[] (loop 0))
```

Raise it with `--fuel`, or look in the report for what was being evaluated.
";
    G0603 TimeLimit "the time limit"
"The evaluation took longer than `--timeout` allows.

```coref
(defn loop[n] (loop (add n 1)))
(defn main[] (loop 0))
```

Raise it with `--timeout`, or look in the report for what was being evaluated.
";
    G0604 TooManyCaptures "functions that capture too many variables"
"The variables that a local function uses from outside become parameters of it, and of every function around it that does not bind them. Thousands of functions, each in the next one, that use the variables of all the others would become code many times as large as the program. Generated programs do this; it is found when a program is compiled, not by `gmachine check`.

```coref
(defn main[] (fn [a] (I (fn [b] (I (fn [c] [a b c]))))))
```

Continue this nest to some three thousand functions and it is refused. Put the variables into one structure, like a list, and hand that over.
";
    G0605 TooManyParameters "functions or constructors with too many parameters"
"A function has at most 1,048,576 parameters, the variables that it uses from outside counted, a constructor as many fields, and a host function as many arguments. Generated programs may have more; it is found when a program is compiled, not by `gmachine check`.

```coref
(data Row (Row a b c))
(defn main[] (Row 1 2 3))
```

Continue these fields to more than a million and the program is refused. Put them into one structure, like a list, and hand that over.
";
    G0606 Interrupted "an interrupt"
"Someone has asked for a stop, with Ctrl-C, while the program ran. It is no mistake of the program; the report says what was being evaluated, and what waited for that, which shows where a program spends its time that does not come to an end.

```coref
(defn loop[n] (loop (add n 1)))
(defn main[] (loop 0))
```

What was printed before is there, and `--stats` counts up to the interrupt. In `gmachine repl` the session goes on, and `:force` goes on with the value.
";
    G0701 CannotRead "a file that cannot be read"
"The program or a file that it imports cannot be read: it does not exist, is a directory, or may not be read. Imported files are looked up beside the file that imports them.

```coref
(import \"missing.core\")
```

Check the path and the permissions.
";
    G0702 InputNotUtf8 "standard input that is not UTF-8"
"A program whose `main` has a parameter reads standard input as text, and text is UTF-8. Here are bytes that are none.

```coref
(defn main[input] input)
```

Convert the input to UTF-8 before.
";
    G0703 InputFailed "standard input that cannot be read"
"Standard input could not be read: it is a directory, say, or the device failed.

```coref
(defn main[input] input)
```

Check what standard input is connected to.
";
    G0704 OutputFailed "output that cannot be written"
"What the program printed could not be written: the disk is full, say. What was written before is kept. A reader that has closed the pipe is no error.

```coref
(defn main[] \"hello\")
```

Make room, or write to somewhere else.
";
    G0801 HostFailed "a host function that failed"
"A function of the embedding program failed, and says why in the message. It may have been given a value of a kind that it does not work on.

```coref
(defn main[] (readSensor \"kitchen\"))
```

Look at the message, and at the arguments of the call.
";
    G0802 HostDepth "host functions that call back too deeply"
"A function of the embedding program may evaluate values while it runs, and that may call such functions again. A hundred of these calls waited for each other here. Unlike a recursion of the program, which is limited by memory alone, each of them uses the stack of the embedding program.

```coref
(defn f[n] (hostApply f (sub n 1)))
(defn main[] (f 1000))
```

Let the program recurse, and call the function outside the recursion.
";
    G0901 CallRecursive "a call that is not inlined because the function calls itself"
"The optimiser puts the body of a small function in the place of its call. A function that calls itself would be put in its own place without end, so its calls stay calls, unless what is known of the arguments decides how it goes on: then there is a variant of the function for it.

```coref
(defn main[n] (add 1 (count n)))
(defn count[xs] (case xs [Nil 0] [(Cons _ t) (add 1 (count t))]))
```

A loop is a call for each time round, and needs no change. If the function takes something along that never changes, like a pattern or a table, write it out in the call, so that a variant is made for it:

```coref
(defn main[] (power 3 2))
(defn power[n x] (if (eq n 0) 1 (mul x (power (sub n 1) x))))
```
";
    G0902 CallLarge "a call that is not inlined because the function is large"
"The optimiser puts the body of a function in the place of its call if it is small, or if this is the only call. The body of a larger one that is called in several places would be written several times.

```coref
(defn main[n] (add (shape (length n)) (shape (add 1 (length n)))))
(defn shape[n] (add (mul (add n 1) (sub n 2)) (add (mul n (mul n n)) (mul (sub n 3) (sub n 4)))))
```

Split off what is decided in each call, as a small function that calls the rest. A call of something of this size costs little.
";
    G0903 CallBudget "a call that is left because a budget is used up"
"Partial evaluation does work of the run when the program is compiled, and writes code for what is left. How much of both is limited: the steps that a function may take, the variants that it may have (40), the size of what may be known of an argument (200 parts), the size of the whole program. Where a limit is reached calls stay calls, and the program is right, but slower.

```coref
(defn main[n] (find \"the quick brown fox jumps over the lazy dog\" n))
(defn find[pattern text] (try pattern text pattern text))
(defn try[ps ts pattern text]
  (case ps
    [Nil 1]
    [(Cons p pt)
      (case ts
        [Nil 0]
        [(Cons t tt) (if (eq p t) (try pt tt pattern text) (next pattern text))])]))
(defn next[pattern text] (case text [Nil 0] [(Cons _ rest) (try pattern rest pattern rest)]))
```

Make what is known smaller, or split the function, so that each part has a budget of its own.
";
    G0904 CallShared "two functions that are not fused because what is between them is used twice"
"Where one function makes a list or a tree and another one takes it apart, they become one loop, and nothing is made in between. That would do the work of the first one twice if the second one were not all that uses its value, and so it is not done then.

```coref
(defn main[n] (let ([xs (map square (range 1 (length n)))]) (div (sum xs) (product xs))))
```

If the list is cheap to make, make it for each use; otherwise let one function compute both:

```coref
(defn main[n] (add (sum (map square (range 1 (length n)))) 1))
```
";
    G0905 CallNoProducer "two functions that are not fused because the first one is no producer"
"Where one function makes a list or a tree and another one takes it apart, they become one loop. The first one has to be a *producer*: in each of its branches it ends in a constructor, perhaps after some calls of itself, and it is not large (60 parts).

```coref
(defn main[n] (foldr add 0 (down (length n) Nil)))
(defn down[n xs] (if (eq n 0) xs (down (sub n 1) (Cons n xs))))
```

One that collects its result in an accumulator has nothing to give before its end. Let the function give its first element before it computes the others:

```coref
(defn main[n] (foldr add 0 (down (length n))))
(defn down[n] (if (eq n 0) Nil (Cons n (down (sub n 1)))))
```
";
    G0906 CallGrows "a call that is specialised for less than is known, because an argument grows"
"There is a variant of a function for what is known of its arguments. If the function calls itself with something known that is larger each time, there would be a variant for each time round; so what grows is taken for unknown.

```coref
(defn main[n] (grow 2 (length n) 1))
(defn grow[x n acc] (if (eq n 0) acc (grow x (sub n 1) (mul acc x))))
```

That is right for a counter or an accumulator. If what grows is a list of pairs, an environment say, keep its form: change a pair in its place instead of putting a new one in front.
";
    G0907 CallUnknown "a call of a function that is not known"
"What is called here is a value that only the run has: an argument that no variant was made for, a field of a constructor, the result of a call. It can be neither inlined nor specialised.

```coref
(defn main[n] (done (map (fn [k] (if (gt k 2) square succ)) (range 1 (length n))) 3))
(defn done[fs x] (case fs [Nil x] [(Cons f t) (let ([y (f x)]) (seq y (done t y)))]))
```

Pass data instead of functions, and call the functions by name where the data is looked at:

```coref
(defn main[n] (done (range 1 (length n)) 3))
(defn done[ks x]
  (case ks
    [Nil x]
    [(Cons k t) (let ([y (if (gt k 2) (square x) (succ x))]) (seq y (done t y)))]))
```
";
    G0908 CallLazy "a call that is not inlined because its value may not be needed"
"The value of an argument is computed when it is needed, if it ever is. Until then a call is one node in memory. The body of the function in its place would be several nodes, all of them made for nothing if nobody asks for the value. So a call that is not certainly needed stays one, unless the body is no larger than a call.

```coref
(defn main[n] (case n [Nil 0] [(Cons c _) (step (ord c) 1)]))
(defn step[n x] (if (eq n 0) 1 (if (eq n 1) x (step (div n 2) (mixed n)))))
(defn mixed[n] (add (mul n 3) (sub n 1)))
```

If the value is always needed and cannot fail, evaluate it first:

```coref
(defn main[n] (case n [Nil 0] [(Cons c _) (step (ord c) 1)]))
(defn step[n x] (if (eq n 0) 1 (if (eq n 1) x (let ([m (mixed n)]) (seq m (step (div n 2) m))))))
(defn mixed[n] (add (mul n 3) (sub n 1)))
```
";
}
