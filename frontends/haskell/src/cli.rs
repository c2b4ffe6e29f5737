//! Arguments, files and processes of the command.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use gmachine_haskell::dump::Dump;
use gmachine_haskell::translate;

/// The exit status of a source with errors, as that of `gmachine`.
const SOURCE: u8 = 3;

/// The exit status when a file, or another program that is needed, cannot be used.
pub const FAILED: u8 = 5;

/// The modules of this front end that are compiled with MicroHs and its library.
const MODULES: [(&str, &str); 4] = [
    ("MicroHs/EncodeData.hs", include_str!("../mhs/MicroHs/EncodeData.hs")),
    ("MicroHs/Exp.hs", include_str!("../mhs/MicroHs/Exp.hs")),
    ("GMachine/Top.hs", include_str!("../mhs/GMachine/Top.hs")),
    ("GMachine/Library.hs", include_str!("../mhs/GMachine/Library.hs")),
];

/// Runs programs of Haskell on gmachine, by way of MicroHs.
///
/// `gmachine-haskell setup DIR` comes first, once: DIR has the sources of MicroHs.
#[derive(Parser)]
#[command(name = "gmachine-haskell", version)]
struct Cli {
    #[command(subcommand)]
    command: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build MicroHs for this command from its sources (minutes, once).
    Setup {
        /// The folder with the sources of MicroHs, in which `make` has built it.
        dir: PathBuf,
    },
    /// Run a program; gmachine performs its main.
    Run {
        #[command(flatten)]
        program: Source,
        #[command(flatten)]
        grants: Grants,
        /// An option for `gmachine run`; any number of times.
        #[arg(long = "gmachine", value_name = "OPTION", allow_hyphen_values = true)]
        options: Vec<OsString>,
        /// What the program finds as its arguments.
        #[arg(last = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Translate a program to CoreF, which `gmachine run` takes.
    Compile {
        #[command(flatten)]
        program: Source,
        /// The file to write.
        #[arg(short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Print the desugared core of a program's modules, as MicroHs dumps it.
    Dump {
        #[command(flatten)]
        program: Source,
    },
}

#[derive(Args)]
struct Source {
    /// The file with the module that has main.
    file: PathBuf,
    /// A folder to look for modules in, besides the program's; any number of times.
    #[arg(short, value_name = "DIR")]
    include: Vec<PathBuf>,
}

/// What the program may reach besides its streams and arguments; `gmachine run` has these options.
#[derive(Args)]
struct Grants {
    /// A directory in which the program may read files; any number of times.
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<OsString>,
    /// A directory in which the program may write files; any number of times.
    #[arg(long, value_name = "DIR")]
    allow_write: Vec<OsString>,
    /// A variable of the environment that the program may read; any number of times.
    #[arg(long, value_name = "NAME")]
    allow_env: Vec<OsString>,
    /// Let the program read the clocks.
    #[arg(long)]
    allow_time: bool,
}

impl Grants {
    fn options(self) -> impl Iterator<Item = OsString> {
        let all = [
            ("--allow-read", self.allow_read),
            ("--allow-write", self.allow_write),
            ("--allow-env", self.allow_env),
        ];
        let named = all.into_iter().flat_map(|(option, values)| {
            values.into_iter().flat_map(move |value| [OsString::from(option), value])
        });
        named.chain(self.allow_time.then(|| "--allow-time".into()))
    }
}

/// Writes a line to standard error.
pub fn say(line: &str) {
    // Whoever closed it does not want to know.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be used, or another program fails.
pub fn main() -> Result<ExitCode> {
    match Cli::parse().command {
        Verb::Setup { dir } => setup(&dir),
        Verb::Dump { program } => {
            let Some(dumped) = dumped(&program)? else { return Ok(ExitCode::from(SOURCE)) };
            std::io::stdout().write_all(dumped.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Verb::Compile { program, output } => {
            let Some(text) = compiled(&program)? else { return Ok(ExitCode::from(SOURCE)) };
            write(&output, &text)?;
            Ok(ExitCode::SUCCESS)
        }
        Verb::Run { program, grants, options, arguments } => {
            let Some(text) = compiled(&program)? else { return Ok(ExitCode::from(SOURCE)) };
            // The file stays for as long as the program runs, and reports read it.
            let file = Temporary::new("run", "core")?;
            write(&file.0, &text)?;
            let mut command = Command::new(beside("gmachine"));
            command.arg("run").args(grants.options()).args(options);
            command.arg(&file.0).arg("--").args(arguments);
            let status = command.status().context("cannot run `gmachine`")?;
            Ok(ended(status))
        }
    }
}

/// Returns the exit code that tells how another program ended.
fn ended(status: std::process::ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let killed = std::os::unix::process::ExitStatusExt::signal(&status).map(|by| 128 + by);
    #[cfg(not(unix))]
    let killed = None;
    let code = status.code().or(killed).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Returns the path of a command that is installed with this one, else of one of the search path.
fn beside(name: &str) -> PathBuf {
    if let Some(path) = env::var_os("GMACHINE") {
        return path.into();
    }
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let here = env::current_exe().ok().and_then(|path| Some(path.parent()?.join(&name)));
    here.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

/// A file or folder that is removed in the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(what: &str, ending: &str) -> Result<Temporary> {
        let dir = cache()?.join("tmp");
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        Ok(Temporary(dir.join(format!("{what}-{}.{ending}", std::process::id()))))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed stays; nobody looks for it.
        let _ = fs::remove_file(&self.0);
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the folder of this command in the user's cache directory.
fn cache() -> Result<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".cache"));
    let cache = absolute("XDG_CACHE_HOME").or_else(home);
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join("gmachine-haskell"))
}

/// Runs a program to its end, without its output.
fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = output.spawn().and_then(std::process::Child::wait_with_output);
    let output = output.with_context(|| format!("cannot run `{name}`"))?;
    if !output.status.success() {
        bail!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Builds a MicroHs that keeps constructors visible, and with it the dump of its library.
fn setup(sources: &Path) -> Result<ExitCode> {
    let sources = sources.canonicalize();
    let sources = sources.context("there is no such folder with the sources of MicroHs")?;
    let mhs = sources.join("bin/mhs");
    if !mhs.is_file() {
        bail!("{} is not there: run `make bin/mhs` in {} first", mhs.display(), sources.display());
    }
    let cache = cache()?;
    let own = cache.join("modules");
    for (name, text) in MODULES {
        let path = own.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&own))?;
        write(&path, text)?;
    }
    let library = sources.join("lib");
    let include = |path: &Path| {
        let mut option = OsString::from("-i");
        option.push(path);
        option
    };
    say("building MicroHs (some minutes)");
    let (code, made) = (cache.join("mhs.c"), cache.join("mhs"));
    let mut build = Command::new(&mhs);
    build.current_dir(&cache).env("MHSDIR", &sources).arg("-i").arg(include(&own));
    for dir in ["mhs", "src", "lib"] {
        build.arg(include(&sources.join(dir)));
    }
    run(build.arg("-z").arg("MicroHs.Main").arg("-o").arg(&code))?;
    let runtime = sources.join("src/runtime");
    let mut cc = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-w", "-O2"]);
    for dir in [runtime.clone(), runtime.join("unix")] {
        let mut option = OsString::from("-I");
        option.push(dir);
        cc.arg(option);
    }
    cc.arg(runtime.join("main.c")).arg(runtime.join("eval.c")).arg(&code).args(["-lm", "-o"]);
    run(cc.arg(&made))?;
    say("reading its library (some minutes)");
    let dump = fs::File::create(cache.join("library.part"))?;
    let mut read = Command::new(&made);
    read.current_dir(&cache).env("MHSDIR", &sources).arg("-i").arg(include(&own));
    read.arg(include(&library)).args(["-CW", "-ddump-desugar", "GMachine.Library", "-oout.comb"]);
    let status = read.stdin(Stdio::null()).stdout(dump).status();
    if !status.context("cannot run the MicroHs that was built")?.success() {
        bail!("the library of MicroHs could not be read");
    }
    // Where the sources are; it is there when all else is.
    fs::rename(cache.join("library.part"), cache.join("library.dump"))?;
    let sources = sources.to_str().context("the folder's name is no text")?;
    write(&cache.join("sources"), sources)?;
    say("ready");
    Ok(ExitCode::SUCCESS)
}

/// What setting up has left.
struct Setup {
    cache: PathBuf,
    sources: PathBuf,
}

impl Setup {
    fn find() -> Result<Setup> {
        let cache = cache()?;
        let Ok(sources) = fs::read_to_string(cache.join("sources")) else {
            bail!("run `gmachine-haskell setup DIR` first; DIR has the sources of MicroHs");
        };
        Ok(Setup { cache, sources: sources.into() })
    }
}

/// Returns the folders with a program's modules, as the user names them.
fn named(source: &Source) -> impl Iterator<Item = &Path> {
    let dir = source.file.parent().filter(|dir| !dir.as_os_str().is_empty());
    let own = dir.unwrap_or(Path::new("."));
    std::iter::once(own).chain(source.include.iter().map(PathBuf::as_path))
}

/// Returns the folders with a program's modules.
fn folders(source: &Source) -> Result<Vec<PathBuf>> {
    let found =
        |dir: &Path| dir.canonicalize().with_context(|| format!("there is no {}", dir.display()));
    named(source).map(found).collect()
}

/// Returns the dump of a program; `None` if MicroHs finds mistakes in it, which it has said then.
fn dumped(source: &Source) -> Result<Option<String>> {
    let setup = Setup::find()?;
    let file = source.file.canonicalize();
    let file = file.with_context(|| format!("cannot read {}", source.file.display()))?;
    let out = Temporary::new("out", "comb")?;
    let mut command = Command::new(setup.cache.join("mhs"));
    command.current_dir(&setup.cache).env("MHSDIR", &setup.sources).arg("-i");
    let library = setup.sources.join("lib");
    let own = setup.cache.join("modules");
    for dir in folders(source)?.iter().chain([&own, &library]) {
        let mut option = OsString::from("-i");
        option.push(dir);
        command.arg(option);
    }
    // Only a module that is looked for may be a literate one.
    let module = file.file_stem().filter(|_| file.extension().is_some_and(|of| of == "lhs"));
    let module = module.unwrap_or(file.as_os_str());
    command.args(["-CR", "-ddump-desugar"]).arg(module).arg("-o").arg(&out.0);
    let output = command.stdin(Stdio::null()).output().context("cannot run MicroHs")?;
    if !output.status.success() {
        say(String::from_utf8_lossy(&output.stderr).trim_end());
        return Ok(None);
    }
    let mut text = String::from_utf8(output.stdout).context("the dump is no text")?;
    // MicroHs runs in another folder; what a program says of its files is as the user names them.
    for (given, folder) in named(source).zip(folders(source)?) {
        if let (Some(given), Some(folder)) = (given.to_str(), folder.to_str()) {
            text = text.replace(&format!("\\\"{folder}/"), &format!("\\\"{given}/"));
        }
    }
    Ok(Some(text))
}

/// Returns a program in CoreF; `None` if MicroHs finds mistakes in it.
fn compiled(source: &Source) -> Result<Option<String>> {
    let Some(program) = dumped(source)? else { return Ok(None) };
    let setup = Setup::find()?;
    let library = read(&setup.cache.join("library.dump"))?;
    let mut dump = Dump::default();
    dump.add(&library);
    dump.add(&program);
    let modules = program.lines().filter_map(|line| line.strip_prefix("Tmodule "));
    let main = modules.clone().next_back().context("MicroHs has dumped no module")?;
    let files = files(source, main, modules)?;
    let text = translate(&dump, &format!("{main}.main"), &|module| files.get(module).cloned())?;
    Ok(Some(text))
}

/// Returns the files of a program's own modules.
fn files<'a>(
    source: &Source,
    main: &'a str,
    modules: impl Iterator<Item = &'a str>,
) -> Result<HashMap<&'a str, String>> {
    let folders = folders(source)?;
    let mut files = HashMap::new();
    for module in modules {
        let path = match module == main {
            true => Some(source.file.canonicalize()?),
            false => folders.iter().find_map(|dir| {
                let path = dir.join(module.replace('.', "/"));
                ["hs", "lhs"].iter().map(|of| path.with_extension(of)).find(|path| path.is_file())
            }),
        };
        if let Some(path) = path.as_deref().and_then(Path::to_str) {
            files.insert(module, path.to_owned());
        }
    }
    Ok(files)
}
