//! Tests of `editd demo`: its output is real, and it leaves nothing behind.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{Machine, Screen, Typed, converse_on, eventually, hash_of, plain, text_of};

/// A machine, and the demo's folder for temporary files.
struct Scene {
    machine: Machine,
    temporary: TempDir,
}

fn scene() -> Scene {
    Scene { machine: Machine::asleep(""), temporary: tempfile::tempdir().expect("a temporary folder") }
}

impl Scene {
    fn command(&self, more: &[&str]) -> Command {
        let mut command = self.machine.command(&[&["demo"], more].concat());
        command.env("TMPDIR", self.temporary.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command
    }

    fn start(&self, more: &[&str]) -> Child {
        self.command(more).spawn().expect("editd can be run")
    }

    /// Runs the demo without a terminal and returns its output.
    fn printed(&self, more: &[&str]) -> String {
        text(self.start(more))
    }

    fn on_terminal(&self, more: &[&str], answers: &[&str]) -> Typed {
        let screen = Screen { columns: 80, environment: &[("TMPDIR", text_of(self.temporary.path()))] };
        converse_on(screen, &self.machine, &self.machine.home(), &[&["demo"], more].concat(), answers)
    }

    /// Lists the processes whose environment contains the temporary folder.
    fn processes(&self) -> Vec<String> {
        let ours = self.temporary.path().as_os_str().as_bytes();
        let knows = |entry: &Path| {
            let environment = fs::read(entry.join("environ")).unwrap_or_default();
            environment.windows(ours.len()).any(|window| window == ours)
        };
        let all = fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
        all.filter(|entry| knows(entry)).map(|entry| entry.display().to_string()).collect()
    }

    #[track_caller]
    fn assert_nothing_left(&self) {
        let files: Vec<_> = fs::read_dir(self.temporary.path()).expect("the folder").flatten().collect();
        assert!(files.is_empty(), "{files:?}");
        assert_eq!(self.processes(), Vec::<String>::new());
        for place in [self.machine.state(), self.machine.runtime()] {
            assert!(!place.exists(), "the user's own {}", place.display());
        }
        assert_eq!(fs::read_dir(self.machine.home()).expect("home").count(), 0);
        assert!(self.machine.daemons().is_empty());
    }
}

fn text(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_output_shows_real_messages() {
    let scene = scene();
    let shown = scene.printed(&["--keep"]);
    let kept = shown.lines().last().and_then(|line| line.strip_prefix("The folder was kept: "));
    let kept = Path::new(kept.expect("where it is"));
    let read = "def total(items):\n    \"\"\"What the customer\u{2019}s items cost.\"\"\"\n    return sum(item.price for item in items)\n\ndef label(item):\n    return f\"{item.name}: {item.price}\"\n";
    assert!(shown.contains(&hash_of(read)), "the hash is the daemon's: {shown}");
    let changed = read.replace("cost.", "cost, in euros.").replace("in items)", "in items or [])");
    assert!(shown.contains(&format!("baseHash  {}", hash_of(&changed))), "{shown}");
    let text = fs::read_to_string(kept.join("shop/cart.py")).expect("the file");
    assert_eq!(text, changed.replace("name}: ", "name}, "), "the last change was undone");
    let in_order = [
        "1. ",
        "robin sends editd/read",
        "2. ",
        "found by indentation",
        "+    \"\"\"What the customer\u{2019}s items cost, in euros.\"\"\"",
        "3. ",
        "editd refuses  kind stale",
        "+    return sum(item.price for item in items or [])",
        "editd answers  state applied",
        "4. ",
        "state pending",
        "Accept this hunk [y,n,a,d,A,D,e,c,s,q,?]? y",
        "Comment for the author: No currency in labels, please.",
        "first hunk accepted  second hunk rejected",
        "No currency in labels, please.",
        "5. ",
        "Apply this undo? [y/N] y",
        "Undo: Counts and currency",
        "undone Counts and currency",
        "A comma in labels",
        "Name the currency",
    ];
    let mut rest = shown.as_str();
    for part in in_order {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} in its place in\n{shown}"));
        rest = &rest[at + part.len()..];
    }
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(scene.processes(), Vec::<String>::new());
}

#[test]
fn the_output_is_short_and_fits_80_columns() {
    let scene = scene();
    let shown = scene.printed(&[]);
    let count = shown.lines().count();
    assert!((80..=130).contains(&count), "{count} lines");
    // Folder names are not wrapped.
    let wide = shown.lines().filter(|line| line.chars().count() > 80 && !line.contains("editd-demo"));
    assert_eq!(wide.collect::<Vec<_>>(), Vec::<&str>::new());
    scene.assert_nothing_left();
}

#[test]
fn on_a_terminal_the_demo_pauses_before_each_step() {
    let scene = scene();
    let typed = scene.on_terminal(&[], &["\r", "\r", "\r", "\r"]);
    assert!(typed.code == 0 && plain(&typed.shown).contains("5. "), "{}", typed.shown);
    let straight = scene.on_terminal(&["--no-pause"], &[]);
    assert!(straight.code == 0 && !straight.shown.contains("Press Enter"), "{}", straight.shown);
    scene.assert_nothing_left();
}

#[rstest]
#[case::asked_to("q\r", 0)]
#[case::end_of_input("\u{4}", 0)]
#[case::interrupted("\u{3}", 130)]
fn the_demo_can_be_ended_at_a_pause(#[case] answer: &str, #[case] code: i32) {
    let scene = scene();
    let typed = scene.on_terminal(&[], &["\r", answer]);
    assert_eq!(typed.code, code, "{}", typed.shown);
    let shown = plain(&typed.shown);
    assert!(shown.contains("2. ") && !shown.contains("3. "), "{shown}");
    scene.assert_nothing_left();
}

#[rstest]
#[case(Signal::TERM, 143)]
#[case(Signal::HUP, 129)]
fn a_signal_ends_the_demo_at_any_time(#[case] signal: Signal, #[case] code: i32) {
    let scene = scene();
    let mut child = scene.start(&[]);
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let third = lines.nth(3).expect("lines");
    assert!(third.is_ok());
    kill_process(Pid::from_child(&child), signal).expect("a signal can be sent");
    let status = child.wait().expect("it ends");
    assert!(status.code() == Some(code) || status.success(), "{status}");
    scene.assert_nothing_left();
}

#[test]
fn a_closed_output_is_not_an_error() {
    let scene = scene();
    let mut child = scene.start(&[]);
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    scene.assert_nothing_left();
}

#[test]
fn several_demos_can_run_concurrently() {
    let scene = scene();
    let all: Vec<_> = (0..3).map(|_| scene.start(&[])).collect();
    for child in all {
        let shown = text(child);
        assert!(shown.contains("5. ") && shown.contains("second hunk rejected"), "{shown}");
    }
    scene.assert_nothing_left();
}

#[test]
fn the_demo_needs_no_folders_of_the_user() {
    let scene = scene();
    let mut command = scene.command(&[]);
    // Not even root can write there.
    command.env("HOME", "/proc").env("XDG_RUNTIME_DIR", "/proc").env("EDITD_CONFIG", "/proc/self/mem");
    let child = command.env("EDITD_STATE_DIR", "/proc/state").spawn().expect("editd can be run");
    assert!(text(child).contains("5. "));
    scene.assert_nothing_left();
}

#[test]
fn a_missing_temporary_folder_is_reported() {
    let scene = scene();
    let mut command = scene.command(&[]);
    let output =
        command.env("TMPDIR", scene.temporary.path().join("none")).output().expect("editd can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(1) && stderr.contains("hint: ") && stderr.contains("TMPDIR"),
        "{stderr}"
    );
    scene.assert_nothing_left();
}

#[test]
fn the_daemon_of_a_killed_demo_ends() {
    let scene = scene();
    let mut child = scene.start(&["--keep"]);
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    assert!(lines.next().is_some());
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let folder =
        fs::read_dir(scene.temporary.path()).expect("a folder").flatten().next().expect("its folder").path();
    let config = fs::read_to_string(folder.join("config.toml")).expect("a configuration");
    assert!(config.contains("idle_exit = \"60s\""), "{config}");
    let daemons = scene.processes();
    for daemon in daemons {
        let pid =
            daemon.trim_start_matches("/proc/").parse().ok().and_then(Pid::from_raw).expect("a process");
        let _ = kill_process(pid, Signal::KILL);
    }
    eventually("the daemon to end", || scene.processes().is_empty().then_some(()));
}
