//! Who takes part, and the processes that they run as.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use gmachine::machine::MachineKind;

use gmachine_testing::programs::Peer;

/// Someone who solves the programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contestant {
    /// GHC's code, at a level of optimisation.
    Ghc(u8),
    /// A machine of gmachine, at a level of optimisation.
    Gmachine(MachineKind, u8),
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contestant::Ghc(level) => write!(f, "ghc-O{level}"),
            Contestant::Gmachine(kind, level) => write!(f, "{kind}-O{level}"),
        }
    }
}

/// Reads a name such as `ghc-O2`.
pub fn parse_contestant(name: &str) -> Result<Contestant, String> {
    let levels = |of: fn(u8) -> Contestant| (0..=2).map(of).collect::<Vec<_>>();
    let mut all = levels(Contestant::Ghc);
    for &kind in MachineKind::ALL {
        all.extend((0..=2).map(|level| Contestant::Gmachine(kind, level)));
    }
    let known = || all.iter().map(Contestant::to_string).collect::<Vec<_>>().join(", ");
    let found = all.iter().find(|one| one.to_string() == name);
    found.copied().ok_or_else(|| format!("there are {}", known()))
}

impl Contestant {
    /// Who takes part if nobody says.
    pub fn defaults(ghc: bool) -> Vec<Contestant> {
        let kind = MachineKind::default();
        if ghc {
            return vec![Contestant::Ghc(2), Contestant::Ghc(0), Contestant::Gmachine(kind, 2)];
        }
        let own = [2, 1, 0].map(|level| Contestant::Gmachine(kind, level));
        let others = MachineKind::ALL.iter().filter(|&&other| other != kind);
        own.into_iter().chain(others.map(|&other| Contestant::Gmachine(other, 2))).collect()
    }

    /// The level, if it is GHC's.
    pub fn ghc_level(&self) -> Option<u8> {
        match self {
            Contestant::Ghc(level) => Some(*level),
            Contestant::Gmachine(..) => None,
        }
    }

    /// What solves a program at its full size.
    ///
    /// # Errors
    /// Without the compiler that it takes.
    pub fn command(&self, peer: &Peer, ghc: Option<&Ghc>) -> Result<Command, String> {
        match self {
            Contestant::Ghc(level) => {
                let ghc = ghc.ok_or("without GHC its programs cannot be built")?;
                Ok(Command::new(ghc.program(*level, &peer.name)))
            }
            Contestant::Gmachine(kind, level) => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_gmachine"));
                command.args(["run", "--engine", kind.name(), &format!("-O{level}")]);
                command.arg(&peer.core).args(["-e", &peer.full]);
                Ok(command)
            }
        }
    }
}

/// The compiler of the peers.
pub struct Ghc {
    /// Its version.
    pub version: String,
    /// Where its programs are kept.
    cache: PathBuf,
}

impl Ghc {
    /// The one that is installed, if one is.
    pub fn find() -> Option<Ghc> {
        let output = Command::new("ghc").arg("--numeric-version").output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        // The binary is in `target/PROFILE`.
        let target = Path::new(env!("CARGO_BIN_EXE_gmachine")).parent()?.parent()?;
        let cache = target.join("peers").join(format!("ghc-{version}"));
        output.status.success().then_some(Ghc { version, cache })
    }

    /// Where the program of a peer is once it is built.
    pub fn program(&self, level: u8, name: &str) -> PathBuf {
        self.cache.join(format!("O{level}")).join(name)
    }

    /// Builds what is missing or older than its source.
    ///
    /// # Errors
    /// When a program does not compile.
    pub fn build(&self, levels: impl Iterator<Item = u8>, peers: &[Peer]) -> Result<(), String> {
        for level in levels {
            for peer in peers {
                let program = self.program(level, &peer.name);
                if is_newer(&program, &peer.haskell) {
                    continue;
                }
                let objects = program.with_extension("objects");
                std::fs::create_dir_all(&objects)
                    .map_err(|error| format!("{}: {error}", objects.display()))?;
                let optimise = format!("-O{level}");
                let words = ["-v0", &optimise, "-outputdir"].map(OsStr::new);
                let paths = [objects.as_os_str(), OsStr::new("-o"), program.as_os_str()];
                let status =
                    Command::new("ghc").args(words).args(paths).arg(&peer.haskell).status();
                if !status.is_ok_and(|status| status.success()) {
                    return Err(format!("ghc does not compile {}", peer.haskell.display()));
                }
            }
        }
        Ok(())
    }
}

fn is_newer(program: &Path, source: &Path) -> bool {
    let time = |path: &Path| path.metadata().and_then(|data| data.modified());
    matches!((time(program), time(source)), (Ok(program), Ok(source)) if program > source)
}
