//! The power fails: what reached the disk by then is all there is. ext4 with `noauto_da_alloc` and a long
//! `commit` shows every flush that was left out; with its defaults it is as users have it.

use std::fs;
use std::path::Path;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Fault, Machine, Outcome, Strace, Volume, Workspace};

const BARE: &str = "noauto_da_alloc,commit=300";
/// Longer than a block, so that a part of it can be missing.
const BEFORE: &str = "old line\n";
const AFTER: &str = "new line, which is longer\n";
const LINES: usize = 800;

/// A daemon whose state and workspace are on a disk of their own.
pub(super) struct Powered {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    pub(super) volume: Volume,
}

impl Powered {
    pub(super) fn on(volume: Volume, config: &str) -> Self {
        let mut machine = Machine::asleep("");
        machine.write_config(&format!("review = \"off\"\nidle_exit = \"60s\"\n{config}"));
        machine.keep_state_in(&volume.at().join("state"));
        machine.serve();
        let workspace = Workspace::at(&volume.at().join("project"));
        Self { machine, workspace, volume }
    }

    pub(super) fn agent(&self) -> Agent {
        self.machine.agent(&self.workspace)
    }

    /// The power is gone already; the machine starts again.
    pub(super) fn start_again(&mut self) {
        self.machine.crash();
        self.volume.unmount();
        self.volume.mount();
        self.machine.serve();
    }
}

/// Kinds of changes, all of files named `one` to `three`.
fn changes(kind: &str) -> Vec<Value> {
    let write = |path: &str| json!({ "kind": "write", "path": path, "content": AFTER.repeat(LINES) });
    match kind {
        "edit" => vec![write("one")],
        "set" => vec![write("one"), write("two"), write("three")],
        "create" => vec![write("new/file")],
        "delete" => vec![json!({ "kind": "delete", "path": "one" })],
        "rename" => vec![json!({ "kind": "rename", "path": "one", "newPath": "sub/one" })],
        _ => panic!("no kind {kind}"),
    }
}

type Files = Vec<(String, String)>;

/// Whole files by path: which text each holds.
fn files(workspace: &Workspace) -> Files {
    let named = |(path, bytes): (std::path::PathBuf, Option<Vec<u8>>)| {
        let name = path.strip_prefix(workspace.root()).expect("below the root").display().to_string();
        let text = String::from_utf8_lossy(&bytes?).into_owned();
        let what = match &text {
            text if *text == BEFORE.repeat(LINES) => "old".to_owned(),
            text if *text == AFTER.repeat(LINES) => "new".to_owned(),
            text => format!("{} bytes: {:?}", text.len(), &text[..text.len().min(20)]),
        };
        Some((name, what))
    };
    workspace.everything().into_iter().filter_map(named).collect()
}

fn pairs(of: &[(&str, &str)]) -> Files {
    of.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn old() -> Files {
    pairs(&[("one", "old"), ("three", "old"), ("two", "old")])
}

fn new(kind: &str) -> Files {
    match kind {
        "edit" => pairs(&[("one", "new"), ("three", "old"), ("two", "old")]),
        "set" => pairs(&[("one", "new"), ("three", "new"), ("two", "new")]),
        "create" => pairs(&[("new/file", "new"), ("one", "old"), ("three", "old"), ("two", "old")]),
        "delete" => pairs(&[("three", "old"), ("two", "old")]),
        _ => pairs(&[("sub/one", "old"), ("three", "old"), ("two", "old")]),
    }
}

/// A world in which the old files are on the disk for good, and an agent that has read them.
fn settled(volume: Volume, durability: &str) -> (Powered, Agent) {
    let world = Powered::on(volume, &format!("durability = \"{durability}\"\n"));
    for name in ["one", "two", "three"] {
        world.workspace.put(name, BEFORE.repeat(LINES));
    }
    world.volume.sync();
    let mut agent = world.agent();
    for name in ["one", "two", "three"] {
        agent.read(name);
    }
    (world, agent)
}

fn volume(kind: &str) -> Volume {
    match kind {
        "bare" => Volume::ext4(BARE),
        "usual" => Volume::ext4(""),
        _ => Volume::xfs(),
    }
}

/// Another program makes sure of a file of its own, which commits what the file system has noted so far.
fn flush_something_else(at: &Path) {
    let file = fs::File::create(at.join("unrelated")).expect("a file");
    std::io::Write::write_all(&mut &file, b"unrelated").expect("written");
    file.sync_all().expect("flushed");
}

#[rstest]
fn what_was_answered_under_full_is_there_after_a_power_cut(
    #[values("bare", "usual", "xfs")] on: &str,
    #[values("edit", "set", "create", "delete", "rename")] kind: &str,
) {
    let (mut world, mut agent) = settled(volume(on), "full");
    let cutter = world.volume.cutter();
    agent.changes(changes(kind)).done();
    cutter.cut();
    world.start_again();
    assert_eq!(files(&world.workspace), new(kind), "{kind} on {on}");
}

#[rstest]
fn a_power_cut_under_process_leaves_old_or_new(
    #[values("bare", "usual", "xfs")] on: &str,
    #[values("edit", "set", "create", "delete", "rename")] kind: &str,
    #[values(false, true)] others_flush: bool,
) {
    let (mut world, mut agent) = settled(volume(on), "process");
    let cutter = world.volume.cutter();
    agent.changes(changes(kind)).done();
    if others_flush {
        flush_something_else(&world.volume.at());
    }
    cutter.cut();
    world.start_again();
    let found = without_strays(files(&world.workspace));
    assert!(found == old() || found == new(kind), "{kind} on {on}, another flush: {others_flush}: {found:?}");
}

/// Under `process` the note of a staged file may be lost with the power where its flush did not wait for that
/// note: the file stays under its odd name. No text of anybody is in danger.
fn without_strays(files: Files) -> Files {
    files.into_iter().filter(|(name, _)| !name.contains(".editd-")).collect()
}

/// What the tests above prove is worth as much as what they would see.
#[rstest]
fn a_flush_that_was_left_out_would_be_seen(#[values("fsync", "sync_file_range")] left_out: &str) {
    let durability = if left_out == "fsync" { "full" } else { "process" };
    let (mut world, mut agent) = settled(volume("bare"), durability);
    let strace = Strace::attach(world.machine.pid(), &[Fault::always(left_out, "retval=0")], &[]);
    agent.changes(changes("edit")).done();
    assert!(strace.finish(false).has_fault());
    let cutter = world.volume.cutter();
    flush_something_else(&world.volume.at());
    cutter.cut();
    world.start_again();
    let found = files(&world.workspace);
    assert!(found != old() && found != new("edit"), "the disk has nothing to lose: {found:?}");
}
