//! What is promised of capabilities: nothing but what was granted, by whatever way a path goes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::*;
use crate::machine::System;

/// A directory `in` that can be granted, with a file `a`, beside a file `secret`.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = Scene { folder };
        fs::create_dir(scene.path("in")).expect("a directory");
        fs::create_dir(scene.path("in/d")).expect("a directory");
        fs::write(scene.path("in/a"), "inside").expect("a file");
        fs::write(scene.path("secret"), "secret").expect("a file");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The path of something, as a program gives it.
    fn bytes(&self, name: &str) -> Vec<u8> {
        self.path(name).into_os_string().into_vec()
    }

    fn grants(&self) -> Grants {
        let mut grants = Grants::new();
        grants.allow_read(&self.path("in")).expect("it is there");
        grants.allow_write(&self.path("in")).expect("it is there");
        grants
    }
}

fn all(grants: &mut Grants, path: &[u8]) -> Result<Vec<u8>, SystemError> {
    grants.read(path, 0, u64::MAX, &mut |_| true)
}

fn is_refused<T>(result: Result<T, SystemError>) -> bool {
    matches!(result, Err(SystemError::NotGranted(Some(_))))
}

/// Whether every operation on a path is refused, and has left everything as it was.
fn is_out_of_reach(scene: &Scene, path: &[u8]) {
    let mut grants = scene.grants();
    assert!(is_refused(all(&mut grants, path)), "read");
    assert!(is_refused(grants.size(path)), "size");
    assert!(is_refused(grants.kind(path)), "kind");
    assert!(is_refused(grants.list(path)), "list");
    assert!(is_refused(grants.write(path, b"x", false)), "write");
    assert!(is_refused(grants.write(path, b"x", true)), "append");
    assert_eq!(fs::read(scene.path("secret")).expect("it is there"), b"secret");
}

#[test]
fn nothing_is_granted_to_begin_with() {
    let scene = Scene::new();
    let mut grants = Grants::new();
    let path = scene.bytes("in/a");
    assert!(is_refused(all(&mut grants, &path)));
    assert!(is_refused(grants.write(&path, b"x", false)));
    assert!(is_refused(grants.remove(&path)));
    assert!(is_refused(grants.rename(&path, &path)));
    assert!(is_refused(grants.make_directory(&scene.bytes("in/new"))));
    assert!(is_refused(grants.remove_directory(&scene.bytes("in/d"))));
    assert!(is_refused(grants.variable(b"PATH")));
    assert!(is_refused(grants.wall_clock()));
    assert!(is_refused(grants.monotonic_clock()));
    assert!(is_refused(grants.random(&mut [])));
    assert_eq!(fs::read(scene.path("in/a")).expect("it is there"), b"inside");
}

#[test]
fn what_is_granted_can_be_done() {
    let scene = Scene::new();
    let mut grants = scene.grants();
    let (a, b) = (scene.bytes("in/a"), scene.bytes("in/d/b"));
    assert_eq!(all(&mut grants, &a), Ok(b"inside".to_vec()));
    assert_eq!(grants.read(&a, 2, 3, &mut |_| true), Ok(b"sid".to_vec()));
    assert_eq!(grants.size(&a), Ok(6));
    assert_eq!(grants.write(&b, b"one", false), Ok(()));
    assert_eq!(grants.write(&b, b" two", true), Ok(()));
    assert_eq!(all(&mut grants, &b), Ok(b"one two".to_vec()));
    assert_eq!(grants.write(&b, b"1", false), Ok(()));
    assert_eq!(all(&mut grants, &b), Ok(b"1".to_vec()));
    assert_eq!(grants.rename(&b, &scene.bytes("in/c")), Ok(()));
    assert_eq!(grants.kind(&b), Ok(FileKind::Missing));
    assert_eq!(grants.kind(&scene.bytes("in/d")), Ok(FileKind::Directory));
    assert_eq!(grants.kind(&scene.bytes("in/c")), Ok(FileKind::File));
    assert_eq!(grants.make_directory(&scene.bytes("in/e")), Ok(()));
    let mut names = grants.list(&scene.bytes("in")).expect("it is granted");
    names.sort();
    assert_eq!(names, [b"a", b"c", b"d", b"e"]);
    assert_eq!(grants.remove_directory(&scene.bytes("in/e")), Ok(()));
    assert_eq!(grants.remove(&a), Ok(()));
    assert_eq!(all(&mut grants, &a), Err(SystemError::Missing));
}

#[test]
fn reading_is_not_writing() {
    let scene = Scene::new();
    let mut reader = Grants::new();
    reader.allow_read(&scene.path("in")).expect("it is there");
    assert!(is_refused(reader.write(&scene.bytes("in/a"), b"x", true)));
    assert!(is_refused(reader.remove(&scene.bytes("in/a"))));
    let mut writer = Grants::new();
    writer.allow_write(&scene.path("in")).expect("it is there");
    assert!(is_refused(all(&mut writer, &scene.bytes("in/a"))));
    assert!(is_refused(writer.list(&scene.bytes("in"))));
    assert_eq!(fs::read(scene.path("in/a")).expect("it is there"), b"inside");
}

/// A file leaves the directory that it is in and changes the one that it comes to.
#[test]
fn renaming_writes_in_both_directories() {
    let scene = Scene::new();
    fs::create_dir(scene.path("read")).expect("a directory");
    fs::write(scene.path("read/b"), "only read").expect("a file");
    let mut grants = scene.grants();
    grants.allow_read(&scene.path("read")).expect("it is there");
    let (a, b) = (scene.bytes("in/a"), scene.bytes("read/b"));
    assert!(is_refused(grants.rename(&a, &scene.bytes("read/a"))));
    assert!(is_refused(grants.rename(&a, &b)));
    assert!(is_refused(grants.rename(&b, &scene.bytes("in/b"))));
    assert_eq!(fs::read(scene.path("in/a")).expect("it is there"), b"inside");
    assert_eq!(fs::read(scene.path("read/b")).expect("it is there"), b"only read");
}

#[test]
fn dots_do_not_lead_out() {
    let scene = Scene::new();
    for path in ["in/../secret", "in/d/../../secret", "in/./.././secret", "secret", ""] {
        is_out_of_reach(&scene, &scene.bytes(path));
    }
    let mut grants = scene.grants();
    assert_eq!(all(&mut grants, &scene.bytes("in/d/../a")), Ok(b"inside".to_vec()));
    assert_eq!(all(&mut grants, &scene.bytes("in/../in/./a")), Ok(b"inside".to_vec()));
}

#[test]
fn a_longer_name_is_not_in_the_directory() {
    let scene = Scene::new();
    fs::create_dir(scene.path("inside")).expect("a directory");
    is_out_of_reach(&scene, &scene.bytes("inside/a"));
}

#[test]
fn symbolic_links_do_not_lead_out() {
    let scene = Scene::new();
    symlink("../secret", scene.path("in/relative")).expect("a link");
    symlink(scene.path("secret"), scene.path("in/absolute")).expect("a link");
    symlink("..", scene.path("in/up")).expect("a link");
    symlink("up/secret", scene.path("in/twice")).expect("a link");
    symlink("/", scene.path("in/root")).expect("a link");
    for path in ["in/relative", "in/absolute", "in/up/secret", "in/twice", "in/root/etc/passwd"] {
        is_out_of_reach(&scene, &scene.bytes(path));
    }
    let mut grants = scene.grants();
    assert!(is_refused(grants.remove(&scene.bytes("in/up/secret"))));
    assert!(is_refused(grants.rename(&scene.bytes("in/up/secret"), &scene.bytes("in/b"))));
    assert!(is_refused(grants.rename(&scene.bytes("in/a"), &scene.bytes("in/up/b"))));
    assert!(is_refused(grants.make_directory(&scene.bytes("in/up/new"))));
    assert!(is_refused(grants.remove_directory(&scene.bytes("in/up/in"))));
    // The link itself is in the directory.
    assert_eq!(grants.remove(&scene.bytes("in/absolute")), Ok(()));
    assert!(scene.path("secret").exists());
}

#[test]
fn symbolic_links_within_the_directory_are_followed() {
    let scene = Scene::new();
    symlink("../a", scene.path("in/d/link")).expect("a link");
    assert_eq!(all(&mut scene.grants(), &scene.bytes("in/d/link")), Ok(b"inside".to_vec()));
}

/// Where the kernel does not help, no link is followed at all.
#[test]
fn name_by_name_no_link_is_followed() {
    let scene = Scene::new();
    symlink("..", scene.path("in/up")).expect("a link");
    symlink("a", scene.path("in/link")).expect("a link");
    let handle = File::open(scene.path("in")).expect("it is there");
    let open = |path: &str| {
        let names = beneath::names(Vec::new(), path.as_bytes());
        let handle = std::os::fd::AsFd::as_fd(&handle);
        beneath::walk(handle, &names, OFlags::RDONLY, Mode::empty())
    };
    assert!(open("a").is_ok());
    assert!(open("d/../a").is_ok());
    assert!(open("d").is_ok());
    assert!(open("up/secret").is_err());
    assert!(open("link").is_err());
}

/// Somebody else puts a link in the place of a directory, again and again: what is opened is in the
/// directory, or nothing is.
#[test]
fn no_race_leads_out() {
    let scene = Scene::new();
    fs::create_dir(scene.path("out")).expect("a directory");
    fs::write(scene.path("out/x"), "secret").expect("a file");
    fs::create_dir(scene.path("in/real")).expect("a directory");
    fs::write(scene.path("in/real/x"), "inside").expect("a file");
    symlink("../out", scene.path("in/link")).expect("a link");
    let over = Arc::new(AtomicBool::new(false));
    let (ends, root) = (over.clone(), scene.path("in"));
    let mover = std::thread::spawn(move || {
        while !ends.load(Ordering::Relaxed) {
            for from in ["real", "link"] {
                let (from, to) = (root.join(from), root.join("now"));
                _ = fs::rename(&from, &to);
                _ = fs::rename(&to, &from);
            }
        }
    });
    let mut grants = scene.grants();
    let path = scene.bytes("in/now/x");
    for _ in 0..20_000 {
        if let Ok(found) = all(&mut grants, &path) {
            assert_eq!(found, b"inside");
        }
        _ = grants.write(&path, b"inside", false);
    }
    over.store(true, Ordering::Relaxed);
    mover.join().expect("it ends");
    assert_eq!(fs::read(scene.path("out/x")).expect("it is there"), b"secret");
}

#[test]
fn a_directory_is_known_by_the_name_it_was_granted_by() {
    let scene = Scene::new();
    symlink("in", scene.path("called")).expect("a link");
    let mut grants = Grants::new();
    grants.allow_read(&scene.path("called")).expect("it is there");
    assert_eq!(all(&mut grants, &scene.bytes("called/a")), Ok(b"inside".to_vec()));
    assert_eq!(all(&mut grants, &scene.bytes("in/a")), Ok(b"inside".to_vec()));
}

#[test]
fn the_granted_directory_itself_stays() {
    let scene = Scene::new();
    let mut grants = scene.grants();
    assert!(is_refused(grants.remove_directory(&scene.bytes("in"))));
    assert!(is_refused(grants.rename(&scene.bytes("in"), &scene.bytes("in/d/in"))));
}

#[test]
fn what_is_no_file_fails_and_nothing_waits_for_it() {
    let scene = Scene::new();
    let pipe = scene.path("in/pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o666), 0)
        .expect("a pipe");
    let mut grants = scene.grants();
    let path = scene.bytes("in/pipe");
    assert!(matches!(all(&mut grants, &path), Err(SystemError::Failed(_))));
    assert!(matches!(grants.write(&path, b"x", false), Err(SystemError::Failed(_))));
    assert_eq!(grants.kind(&path), Ok(FileKind::Other));
    let directory = scene.bytes("in/d");
    assert!(matches!(all(&mut grants, &directory), Err(SystemError::Failed(_))));
    assert!(matches!(grants.write(&directory, b"x", false), Err(SystemError::Failed(_))));
    assert!(matches!(grants.list(&scene.bytes("in/a")), Err(SystemError::Failed(_))));
    let nul = [scene.bytes("in/a"), vec![0]].concat();
    assert!(matches!(all(&mut grants, &nul), Err(SystemError::Failed(_))));
    assert!(Grants::new().allow_read(&scene.path("in/a")).is_err());
}

#[test]
fn a_full_disk_is_a_failure() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let mut grants = Grants::new();
    grants.allow_write("/dev".as_ref()).expect("it is there");
    let written = grants.write(b"/dev/full", b"x", false);
    assert_eq!(written, Err(SystemError::Failed("no space left on device".to_owned())));
}

#[test]
fn what_does_not_fit_is_not_read() {
    let scene = Scene::new();
    fs::write(scene.path("in/large"), vec![b'x'; 1_000_000]).expect("a file");
    let mut grants = scene.grants();
    let path = scene.bytes("in/large");
    let read = grants.read(&path, 0, u64::MAX, &mut |len| len < 1_000_000);
    assert_eq!(read, Err(SystemError::Stopped));
    let read = grants.read(&path, 1, u64::MAX, &mut |len| len < 1_000_000);
    assert_eq!(read.map(|bytes| bytes.len()), Ok(999_999));
    if std::path::Path::new("/dev/zero").exists() {
        grants.allow_read("/dev".as_ref()).expect("it is there");
        let read = grants.read(b"/dev/zero", 0, u64::MAX, &mut |len| len < 5_000_000);
        assert_eq!(read, Err(SystemError::Stopped));
    }
}

/// More than is read at once.
#[test]
fn a_large_file_is_read_piece_after_piece() {
    let scene = Scene::new();
    let bytes: Vec<u8> = (0..3 * PIECE as u32 + 5).map(|at| (at % 251) as u8).collect();
    fs::write(scene.path("in/large"), &bytes).expect("a file");
    let mut grants = scene.grants();
    let path = scene.bytes("in/large");
    assert!(all(&mut grants, &path) == Ok(bytes.clone()));
    let (from, most) = (PIECE as u64 - 1, PIECE as u64 + 2);
    let part = &bytes[PIECE - 1..2 * PIECE + 1];
    assert!(grants.read(&path, from, most, &mut |_| true) == Ok(part.to_vec()));
}

#[test]
fn what_is_made_has_the_permissions_that_the_system_gives() {
    use std::os::unix::fs::PermissionsExt as _;

    let scene = Scene::new();
    let mut grants = scene.grants();
    assert_eq!(grants.write(&scene.bytes("in/made"), b"", false), Ok(()));
    assert_eq!(grants.make_directory(&scene.bytes("in/made-directory")), Ok(()));
    // The standard library asks for the same rights: what the process withholds is withheld here.
    let mode =
        |name: &str| fs::metadata(scene.path(name)).expect("it is there").permissions().mode();
    assert_eq!(mode("in/made"), mode("in/a"));
    assert_eq!(mode("in/made-directory"), mode("in/d"));
}

#[test]
fn variables_clocks_and_random_bytes_are_what_the_system_has() {
    let mut grants = Grants::new();
    grants.allow_variable("CARGO_MANIFEST_DIR".as_ref());
    grants.allow_variable("gmachine=".as_ref());
    let found = grants.variable(b"CARGO_MANIFEST_DIR");
    assert_eq!(found, Ok(Some(env!("CARGO_MANIFEST_DIR").as_bytes().to_vec())));
    assert_eq!(grants.variable(b"gmachine="), Ok(None));
    assert!(is_refused(grants.variable(b"CARGO")));
    grants.allow_time();
    assert!(grants.wall_clock().expect("it is granted") > Duration::from_secs(1_700_000_000));
    let first = grants.monotonic_clock().expect("it is granted");
    assert!(grants.monotonic_clock().expect("it is granted") >= first);
    grants.allow_random().expect("the system has some");
    let mut bytes = [0; 64];
    grants.random(&mut bytes).expect("it is granted");
    assert_ne!(bytes, [0; 64]);
}
