//! The exit codes of the command.

use std::process::ExitCode;

use gmachine::diagnostic::{Code, Diagnostic};

/// How the command ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// All is well.
    Success,
    /// The program ended itself with this status.
    Status(u8),
    /// The program failed.
    Program,
    /// The command line makes no sense.
    Usage,
    /// The program is no program.
    Source,
    /// Memory, fuel or time ran out.
    Limit,
    /// A file, standard input or standard output failed.
    Io,
    /// Ctrl-C.
    Interrupted,
    /// Whoever read the output is gone: the number that a shell shows for a command that the
    /// signal of a closed pipe has ended.
    ClosedPipe,
    /// A mistake in this program.
    Internal,
}

impl Exit {
    /// Returns the number that the system gets.
    pub const fn number(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Status(status) => status,
            Exit::Program => 1,
            Exit::Usage => 2,
            Exit::Source => 3,
            Exit::Limit => 4,
            Exit::Io => 5,
            Exit::Internal => 101,
            Exit::Interrupted => 130,
            Exit::ClosedPipe => 141,
        }
    }

    /// Ends the process now, from whatever thread.
    pub fn now(self) -> ! {
        super::step::leave_screen();
        std::process::exit(self.number().into())
    }

    /// Returns how a command ends that reported an error of this kind.
    pub fn of(code: Code) -> Exit {
        match code.id().as_bytes().get(2) {
            _ if code == Code::Interrupted => Exit::Interrupted,
            Some(b'5' | b'8') => Exit::Program,
            Some(b'6') => Exit::Limit,
            Some(b'7') => Exit::Io,
            _ => Exit::Source,
        }
    }

    /// Returns how a command ends that reported these: an unreadable file outweighs what follows
    /// from it.
    pub fn of_all(reports: &[Diagnostic]) -> Exit {
        let exits: Vec<Exit> =
            reports.iter().filter(|report| report.is_error()).map(|r| Exit::of(r.code)).collect();
        if exits.contains(&Exit::Io) {
            return Exit::Io;
        }
        exits.first().copied().unwrap_or(Exit::Success)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gmachine::diagnostic::Span;

    #[test]
    fn every_family_of_codes_has_its_exit() {
        assert_eq!(Exit::of(Code::UnclosedBracket), Exit::Source);
        assert_eq!(Exit::of(Code::ErrorCalled), Exit::Program);
        assert_eq!(Exit::of(Code::HostFailed), Exit::Program);
        assert_eq!(Exit::of(Code::FuelLimit), Exit::Limit);
        assert_eq!(Exit::of(Code::OutputFailed), Exit::Io);
    }

    #[test]
    fn warnings_alone_are_a_success() {
        let warning = Diagnostic::warning(Code::NotAFunction, Span::NONE, "w");
        assert_eq!(Exit::of_all(std::slice::from_ref(&warning)), Exit::Success);
        let unbound = Diagnostic::error(Code::UnboundName, Span::NONE, "u");
        let missing = Diagnostic::error(Code::CannotRead, Span::NONE, "m");
        assert_eq!(Exit::of_all(&[warning.clone(), unbound.clone()]), Exit::Source);
        assert_eq!(Exit::of_all(&[warning, unbound, missing]), Exit::Io);
    }
}
