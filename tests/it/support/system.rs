//! System requirements of tests, and the duration of randomized tests.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Fails the test unless it runs as root. The test is never skipped silently.
pub(crate) fn need_root() {
    let reason = "to mount file systems and to trace the daemon: run it in a container, for instance, with \
        CAP_SYS_ADMIN, CAP_SYS_PTRACE and a loop device";
    assert!(rustix::process::geteuid().is_root(), "this test has to be run as root, {reason}");
}

/// Fails the test if a required program is not installed.
pub(crate) fn need(program: &str, package: &str) {
    let found =
        Command::new("sh").args(["-c", &format!("command -v {program}")]).stdout(Stdio::null()).status();
    let is_installed = found.is_ok_and(|status| status.success());
    assert!(is_installed, "this test needs `{program}`: apt-get install {package}, or run scripts/test once");
}

/// Returns the path of an editor installed by `scripts/install-editors`.
pub(crate) fn installed(name: &str) -> PathBuf {
    let cache = || {
        let home = PathBuf::from(std::env::var_os("HOME").expect("a home"));
        std::env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from)
    };
    let tools = std::env::var_os("EDITD_TOOLS").map_or_else(|| cache().join("editd-tools"), PathBuf::from);
    let program = tools.join("editors").join(name);
    assert!(program.is_file(), "{} is missing: run scripts/install-editors", program.display());
    program
}

/// Runs a program to completion. Its failure fails the test.
#[track_caller]
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns a test path as text.
pub(crate) fn text_of(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// Duration of a randomized test in a long run (`tests/soak`), if this is one. Loops are exhaustive there.
pub(crate) fn soak() -> Option<Duration> {
    let seconds = std::env::var("EDITD_SOAK").ok()?;
    let seconds =
        seconds.parse().unwrap_or_else(|_| panic!("EDITD_SOAK is a number of seconds, not {seconds}"));
    Some(Duration::from_secs(seconds))
}

/// Prints a line to standard output. Long runs show it even for a passing test.
pub(crate) fn tell(what: &str) {
    writeln!(std::io::stdout(), "{what}").expect("a writable stdout");
}

/// A reproducible pseudorandom number generator. `EDITD_SEED` sets the seed.
pub(crate) struct Chance(u64);

impl Chance {
    /// Prints its seed, so that a failure can be reproduced.
    pub(crate) fn new(test: &str) -> Self {
        let now = SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_nanos();
        let given = std::env::var("EDITD_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or((now ^ u128::from(std::process::id())) as u64);
        tell(&format!("{test}: EDITD_SEED={seed}"));
        Self(seed)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// Sleeps for a random time below `most`.
    pub(crate) fn pause(&mut self, most: Duration) {
        std::thread::sleep(Duration::from_micros(self.below(most.as_micros() as u64)));
    }
}

/// Repeats a randomized test: `times` times in a normal run, for the requested duration in a long run.
pub(crate) fn repeat(times: usize, mut each: impl FnMut(usize)) {
    let start = Instant::now();
    let more = |done: usize| soak().map_or(done < times, |length| start.elapsed() < length);
    let mut done = 0;
    while more(done) {
        each(done);
        done += 1;
    }
    tell(&format!("{done} rounds in {:?}", start.elapsed()));
}

/// Returns `true` if the daemon uses only calls that all POSIX systems have, because the tests are run with
/// `EDITD_SYSTEM=portable`. docs/reliability.md lists what is weaker then.
pub(crate) fn is_portable() -> bool {
    std::env::var_os("EDITD_SYSTEM").is_some_and(|system| system == "portable")
}

/// Returns `true` if the daemon makes a system call for a change of files.
pub(crate) fn makes(call: &str) -> bool {
    let only_linux = ["renameat2", "sync_file_range", "openat2", "fcntl"];
    let only_portable = ["renameat", "linkat"];
    if is_portable() { !only_linux.contains(&call) } else { !only_portable.contains(&call) }
}
