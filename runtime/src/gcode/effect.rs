//! The data type of actions, of which the code of the performer makes use.

use super::program::{ConId, GlobalId, Program};
pub use crate::primitive::effect::{Effect, PIECE};

/// The symbol of the data type of actions. It is no NAME, so no source has patterns of it.
pub const ACTION: &str = "Action$";

/// The symbol of the function that performs actions.
pub const PERFORM: &str = "perform$";

/// The symbol of the function that performs actions where there are several threads.
pub const PERFORM_IN_TURNS: &str = "perform$in$turns";

/// The symbol of the function that fails again with an exception that it is given.
pub const FAIL_AGAIN: &str = "fail$again";

/// The symbols of the functions that go on with a value, for one thread and for several.
pub const RESUME: [&str; 2] = ["resume$", "resume$in$turns"];

/// The symbols of the functions that go on with an exception, for one thread and for several.
pub const UNWIND: [&str; 2] = ["unwind$", "unwind$in$turns"];

/// The symbol of the function that goes on with what an action comes to that is performed at once.
pub const CONTINUE: &str = "continue$";

/// The symbol of the function that goes on with a function of the value alone.
pub const GO_ON: &str = "go$on";

/// Returns which operand a function of the performer applies to so many arguments, in words.
#[must_use]
pub fn applied_operand(symbol: &str, given: usize) -> Option<&'static str> {
    if RESUME.contains(&symbol) || symbol == GO_ON {
        return Some("the second operand of `bind`");
    }
    let handles = UNWIND.contains(&symbol);
    handles.then_some(match given {
        2 => "the second operand of `handle`",
        _ => "the third operand of `handle`",
    })
}

/// The number of a thread in effects that an expression performs (`unsafePerform`). They are those of
/// thread 0, but nothing is returned to the run before their end.
pub const INNER: i64 = -1;

/// What has no number of a thread is taken for one of this number, which no thread has. Like all
/// numbers of threads it fits the words of every machine.
pub const NO_THREAD: i64 = -1 << 48;

/// Returns the thread whose cells and streams those of a number are.
#[must_use]
pub const fn thread_of(number: i64) -> i64 {
    match number {
        INNER => 0,
        NO_THREAD.. if number < -NO_THREAD => number,
        _ => NO_THREAD,
    }
}

macro_rules! action_constructors {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal $arity:literal;)+) => {
        /// A constructor of the data type of actions; actions that are effects come after these, in
        /// the order of [`Effect::ALL`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ActionCon {
            $($(#[doc = $doc])+ $name,)+
        }

        impl ActionCon {
            /// All constructors that are no effect, in the order of their tags.
            pub const ALL: &[ActionCon] = &[$(ActionCon::$name),+];

            /// Returns the name that messages call it by.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(ActionCon::$name => $text,)+ }
            }

            /// Returns its number of fields.
            #[must_use]
            pub const fn arity(self) -> u32 {
                match self { $(ActionCon::$name => $arity,)+ }
            }
        }
    };
}

action_constructors! {
    /// An exception: a value that was thrown, and what is known of the failure.
    Thrown "thrown" 2;
    /// An exception: code and message of a failure, and what is known of it.
    Failed "failed" 3;
    /// What stands for a value that is no action, where one is performed.
    NoAction "no action" 0;
    /// A cell: its value, and the number of the thread that has made it.
    Cell "cell" 2;
    /// A mutable array: the array, and the number of the thread that has made it.
    Array "array" 2;
    /// An `MVar`: its value, or that it is empty, and its number.
    MVar "mvar" 2;
    /// What an `MVar` has for its value that has none.
    Empty "empty" 0;
    /// A thread: its number.
    Thread "thread" 1;
    /// What the performer returns to the run where another thread is to run: the continuation.
    Parked "parked" 1;
    /// What the performer returns to the run at the end: the value of the action.
    Done "done" 1;
    /// What the performer returns to the run where a thread does not handle an exception: that.
    Ended "ended" 1;
    /// What the performer returns to the run where a turn is over: the action and the continuation
    /// to go on with.
    Yield "yielded" 2;
    /// A continuation: goes on with a function of the value.
    ThenBind "then" 2;
    /// A continuation: goes on with a function of the value and the number of the thread.
    ThenEnter "then perform" 2;
    /// A continuation: handles exceptions, by a function of each kind.
    ThenHandle "handler" 3;
    /// The end of all continuations of a run.
    ThenDone "end" 0;
    /// The end of all continuations of a thread but `main`.
    ThenEnd "end of a thread" 0;
    /// The end of all continuations of a state thread.
    ThenState "end of a state thread" 0;
    /// An action: a value.
    Return "return" 1;
    /// An action and a function from its value to the next.
    Bind "bind" 2;
    /// An action, and a function that performs what comes next: of its value and the number of the
    /// thread, to the action that is left. The optimiser makes them of binds.
    Enter "bind and perform" 2;
    /// An action, and functions of the exceptions: of a value that was thrown, of a failure.
    Handle "handle" 3;
    /// An action: writes a text.
    PutText "putText" 1;
    /// An action: writes a message.
    PutError "putError" 1;
    /// An action: another thread is to run. The run knows how this one goes on.
    Park "park" 0;
}

impl ActionCon {
    /// Returns whether it is a continuation that goes on with a function. Its fields are functions, but
    /// for the last one, which is the next continuation.
    #[must_use]
    pub const fn is_continuation(self) -> bool {
        matches!(self, ActionCon::ThenBind | ActionCon::ThenEnter | ActionCon::ThenHandle)
    }

    /// Returns its tag.
    #[must_use]
    pub const fn tag(self) -> u32 {
        self as u32
    }
}

/// A constructor of the data type of actions, as its tag says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// One of the table.
    Con(ActionCon),
    /// The effect of a primitive.
    Effect(Effect),
}

impl ActionKind {
    /// Returns what the constructor with this tag is.
    #[must_use]
    pub fn of_tag(tag: u32) -> Option<ActionKind> {
        let tag = tag as usize;
        match ActionCon::ALL.get(tag) {
            Some(con) => Some(ActionKind::Con(*con)),
            None => {
                let effect = Effect::ALL.get(tag - ActionCon::ALL.len()).copied()?;
                Some(ActionKind::Effect(effect))
            }
        }
    }

    /// Returns whether it is an action, which can be performed.
    #[must_use]
    pub fn is_action(self) -> bool {
        match self {
            ActionKind::Con(con) => con >= ActionCon::Return,
            ActionKind::Effect(_) => true,
        }
    }

    /// Returns what a message calls it, with an article.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            ActionKind::Con(ActionCon::Cell) => "a cell",
            ActionKind::Con(ActionCon::Array) => "a mutable array",
            ActionKind::Con(ActionCon::MVar) => "an MVar",
            ActionKind::Con(ActionCon::Thread) => "a thread",
            _ => "an action",
        }
    }

    /// Returns what values of it print as.
    #[must_use]
    pub fn display_name(self) -> &'static str {
        match self {
            ActionKind::Con(ActionCon::Cell) => "cell",
            ActionKind::Con(ActionCon::Array) => "array",
            ActionKind::Con(ActionCon::MVar) => "mvar",
            ActionKind::Con(ActionCon::Thread) => "thread",
            _ => "action",
        }
    }
}

/// Returns name and number of fields of each constructor of the data type of actions, in the order
/// of their tags.
pub fn action_cons() -> impl Iterator<Item = (&'static str, u32)> {
    let cons = ActionCon::ALL.iter().map(|con| (con.name(), con.arity()));
    let effects = Effect::ALL.iter().map(|effect| match effect.primitive() {
        Some(primitive) => (primitive.name(), primitive.arity() as u32),
        None => (effect.name(), 0),
    });
    cons.chain(effects)
}

/// The numbers that a program has for actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actions {
    /// The first constructor of their data type.
    first: u32,
    /// What performs an action.
    pub perform: GlobalId,
    /// What performs an action where there are several threads; `None` if the program makes none.
    pub perform_in_turns: Option<GlobalId>,
    /// What fails again with an exception.
    pub fail_again: GlobalId,
}

impl Actions {
    /// Finds them in a program; `None` if it has none, or others than those of this table.
    #[must_use]
    pub fn find(program: &Program) -> Option<Actions> {
        let data = program.datas.get(program.action_data()?)?;
        let arities = data.cons.iter().map(|&con| program.cons.get(con).map(|con| con.arity));
        if !arities.eq(action_cons().map(|(_, arity)| Some(arity))) {
            return None;
        }
        let first = data.cons.first()?.0;
        let function = |symbol: &str, arity: u32| {
            let id = program.find(symbol)?;
            (program.globals.get(id)?.arity == arity).then_some(id)
        };
        let (perform, fail_again) = (function(PERFORM, 3)?, function(FAIL_AGAIN, 1)?);
        let perform_in_turns = function(PERFORM_IN_TURNS, 3);
        Some(Actions { first, perform, perform_in_turns, fail_again })
    }

    /// Returns what a constructor of the data type is; `None` for one of another.
    #[must_use]
    pub fn kind(&self, con: ConId) -> Option<ActionKind> {
        ActionKind::of_tag(con.0.checked_sub(self.first)?)
    }

    /// Returns a constructor.
    #[must_use]
    pub fn con(&self, con: ActionCon) -> ConId {
        ConId(self.first + con.tag())
    }
}
