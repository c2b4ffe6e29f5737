//! The effects: what the instruction `Effect` does, each by one row of a table.

use super::Primitive;

/// Bytes of a byte string that are written before the output may take them.
pub const PIECE: usize = 1 << 16;

macro_rules! effects {
    ($($(#[doc = $doc:literal])+ $name:ident [$($operand:ident)*] $of:expr;)+) => {
        /// What the instruction `Effect` does.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Effect {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Effect {
            /// All effects, in the order of the table.
            pub const ALL: &[Effect] = &[$(Effect::$name),+];

            /// Returns its name in listings.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Effect::$name => stringify!($name),)+ }
            }

            /// Returns for each operand whether it is evaluated before the effect.
            #[inline]
            #[must_use]
            pub const fn operands(self) -> &'static [bool] {
                match self { $(Effect::$name => &[$(effects!(@strict $operand)),*],)+ }
            }

            /// Returns the primitive whose actions it performs; `None` of a step of the
            /// performer's own.
            #[inline]
            #[must_use]
            pub const fn primitive(self) -> Option<Primitive> {
                match self { $(Effect::$name => $of,)+ }
            }
        }
    };
    (@strict lazy) => { false };
    (@strict value) => { true };
}

// The last operand of the effect of a primitive is the number of the thread: 0 of input and output,
// else that of the state thread.
effects! {
    /// Makes a cell.
    NewCell [lazy value] Some(Primitive::NewCell);
    /// Reads a cell.
    ReadCell [value value] Some(Primitive::ReadCell);
    /// Writes a cell; its result is `Nil`.
    WriteCell [value lazy value] Some(Primitive::WriteCell);
    /// 1 if two cells are the same one, else 0.
    SameCell [value value value] Some(Primitive::SameCell);
    /// Makes a mutable array of so many elements, each the second operand.
    NewArray [value lazy value] Some(Primitive::NewArray);
    /// Reads an element.
    ReadArray [value value value] Some(Primitive::ReadArray);
    /// Writes an element; its result is `Nil`.
    WriteArray [value value lazy value] Some(Primitive::WriteArray);
    /// The number of elements.
    SizeOfArray [value value] Some(Primitive::SizeOfArray);
    /// An immutable array of the present elements.
    FreezeArray [value value] Some(Primitive::FreezeArray);
    /// A mutable array of the elements of an immutable one.
    ThawArray [value value] Some(Primitive::ThawArray);
    /// Copies elements: from an array and an index, to an array and an index, so many; its result
    /// is `Nil`.
    CopyArray [value value value value value value] Some(Primitive::CopyArray);
    /// Reads a line of the input: `Nil` at its end, else a list of the line alone.
    InputLine [value] Some(Primitive::InputLine);
    /// The rest of the input, as a list that is read as it is demanded.
    InputText [value] Some(Primitive::InputText);
    /// Appends the first [`PIECE`] bytes of a byte string to the output; 1 if that is all of it.
    PutBytes [value value] Some(Primitive::PutBytes);
    /// Reads so many bytes of the input, fewer at its end.
    InputBytes [value value] Some(Primitive::InputBytes);
    /// The arguments of the program.
    Arguments [value] Some(Primitive::Arguments);
    /// Ends the program with an exit status.
    Exit [value value] Some(Primitive::Exit);
    /// Bytes of a file, from an index on, so many.
    FileRead [value value value value] Some(Primitive::FileRead);
    /// The number of bytes of a file.
    FileSize [value value] Some(Primitive::FileSize);
    /// What is at a path: 0 nothing, 1 a file, 2 a directory, 3 something else.
    FileKind [value value] Some(Primitive::FileKind);
    /// Writes a file; its result is `Nil`.
    FileWrite [value value value] Some(Primitive::FileWrite);
    /// Writes at the end of a file; its result is `Nil`.
    FileAppend [value value value] Some(Primitive::FileAppend);
    /// Removes a file; its result is `Nil`.
    FileRemove [value value] Some(Primitive::FileRemove);
    /// Gives a file another path; its result is `Nil`.
    FileRename [value value value] Some(Primitive::FileRename);
    /// The list of the names in a directory.
    DirectoryList [value value] Some(Primitive::DirectoryList);
    /// Makes a directory; its result is `Nil`.
    DirectoryMake [value value] Some(Primitive::DirectoryMake);
    /// Removes a directory; its result is `Nil`.
    DirectoryRemove [value value] Some(Primitive::DirectoryRemove);
    /// A variable of the environment: `Nil` if there is none, else a list of it alone.
    EnvironmentVariable [value value] Some(Primitive::EnvironmentVariable);
    /// Nanoseconds since 1970 began.
    WallClock [value] Some(Primitive::WallClock);
    /// Nanoseconds since a fixed moment.
    MonotonicClock [value] Some(Primitive::MonotonicClock);
    /// So many random bytes.
    RandomBytes [value value] Some(Primitive::RandomBytes);
    // The results of the effects on threads are actions that the performer goes on with: `Park` if
    // another thread is to run.
    /// Makes a thread that performs an action.
    Fork [lazy value] Some(Primitive::Fork);
    /// The thread that runs.
    MyThread [value] Some(Primitive::MyThread);
    /// The number of a thread.
    ThreadNumber [value value] Some(Primitive::ThreadNumber);
    /// Lets the other threads run.
    Yield [value] Some(Primitive::Yield);
    /// Makes an empty `MVar`.
    NewMVar [value] Some(Primitive::NewMVar);
    /// Takes the value of an `MVar`, or waits for one.
    TakeMVar [value value] Some(Primitive::TakeMVar);
    /// Puts a value into an `MVar`, or waits until it is empty.
    PutMVar [value lazy value] Some(Primitive::PutMVar);
    /// The value of an `MVar`, which stays there, or waits for one.
    ReadMVar [value value] Some(Primitive::ReadMVar);
    /// Takes the value of an `MVar`, as a list of it alone; `Nil` if it is empty.
    TryTakeMVar [value value] Some(Primitive::TryTakeMVar);
    /// The value of an `MVar`, which stays there, as a list of it alone; `Nil` if it is empty.
    TryReadMVar [value value] Some(Primitive::TryReadMVar);
    /// Puts a value into an `MVar` and is 1; 0 if there is one.
    TryPutMVar [value lazy value] Some(Primitive::TryPutMVar);
    /// Throws a value in another thread.
    ThrowTo [value value value] Some(Primitive::ThrowTo);
    /// Masks what other threads throw, or unmasks it; 1 if it was masked.
    SetMask [value value] Some(Primitive::SetMask);
    /// Counts a bind; 0 if another thread is to run.
    Tick [] None;
    /// Appends a character to the output, and of the evaluated ones that the rest of the text, the
    /// second operand, begins with as many as the machine likes. Its result is the action that writes
    /// what is left; where nothing is, it may be a `return` of `Nil`. The number -1 is no character,
    /// and ends the text.
    PutCharacters [value lazy value] None;
    /// The same to the output of messages.
    PutErrorCharacters [value lazy value] None;
    /// The number of a new state thread.
    NewState [] None;
    /// Fails with a value.
    Throw [value] None;
    /// Fails because a value is no action.
    NoAction [value] None;
    /// Fails again: with the value, if it was thrown, and the failure that was caught.
    FailAgain [lazy value] None;
}

impl Effect {
    /// Returns how many operands it takes.
    #[inline]
    #[must_use]
    pub const fn arity(self) -> u32 {
        self.operands().len() as u32
    }

    /// Returns whether a state thread may do it: it is on cells and arrays.
    #[must_use]
    pub fn is_of_state(self) -> bool {
        self <= Effect::CopyArray
    }

    /// Returns whether it is on threads: its result is an action that is performed next.
    #[must_use]
    pub fn is_of_threads(self) -> bool {
        (Effect::Fork..=Effect::SetMask).contains(&self)
    }

    /// Returns whether code of the program may do it, in place of the performer: it returns what the
    /// action has for its value, to go on with at once.
    #[must_use]
    pub fn is_direct(self) -> bool {
        self < Effect::Fork && self != Effect::PutBytes
    }

    /// Returns whether its result is in weak head normal form.
    #[must_use]
    pub fn returns_evaluated(self) -> bool {
        self.is_of_state() && !matches!(self, Effect::ReadCell | Effect::ReadArray)
    }

    /// Returns the effect that a primitive is the action of.
    #[must_use]
    pub fn of(primitive: Primitive) -> Option<Effect> {
        Effect::ALL.iter().copied().find(|effect| effect.primitive() == Some(primitive))
    }

    /// Returns the effect that a listing calls so.
    #[must_use]
    pub fn find(name: &str) -> Option<Effect> {
        Effect::ALL.iter().copied().find(|effect| effect.name() == name)
    }
}
