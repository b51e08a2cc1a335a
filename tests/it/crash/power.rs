//! Tests of power cuts: only what reached the disk survives. ext4 with `noauto_da_alloc` and a long `commit`
//! reveals every omitted flush; with its defaults it is what users have.

use std::fs;
use std::path::Path;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Fault, Machine, Outcome, Strace, Volume, Workspace, makes};

const BARE: &str = "noauto_da_alloc,commit=300";
/// Longer than a block, so that a part of it can be missing.
const BEFORE: &str = "old line\n";
const AFTER: &str = "new line, which is longer\n";
const LINES: usize = 800;

/// A daemon whose state and workspace are on a separate disk.
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

    /// Restarts the machine after a power cut.
    pub(super) fn start_again(&mut self) {
        self.machine.crash();
        self.volume.unmount();
        self.volume.mount();
        self.machine.serve();
    }
}

/// Changes by kind, all of files named `one` to `three`.
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

/// Files by path, with the text that each one holds.
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

/// A setup whose old files have reached the disk, and an agent that has read them.
fn prepared(volume: Volume, durability: &str) -> (Powered, Agent) {
    let setup = Powered::on(volume, &format!("durability = \"{durability}\"\n"));
    for name in ["one", "two", "three"] {
        setup.workspace.put(name, BEFORE.repeat(LINES));
    }
    setup.volume.sync();
    let mut agent = setup.agent();
    for name in ["one", "two", "three"] {
        agent.read(name);
    }
    (setup, agent)
}

fn volume(kind: &str) -> Volume {
    match kind {
        "bare" => Volume::ext4(BARE),
        "usual" => Volume::ext4(""),
        _ => Volume::xfs(),
    }
}

/// Flushes a file of another program, which commits what the file system has journaled so far.
fn flush_something_else(at: &Path) {
    let file = fs::File::create(at.join("unrelated")).expect("a file");
    std::io::Write::write_all(&mut &file, b"unrelated").expect("written");
    file.sync_all().expect("flushed");
}

#[rstest]
fn a_change_acknowledged_under_full_survives_a_power_cut(
    #[values("bare", "usual", "xfs")] on: &str,
    #[values("edit", "set", "create", "delete", "rename")] kind: &str,
) {
    let (mut setup, mut agent) = prepared(volume(on), "full");
    let cutter = setup.volume.cutter();
    agent.changes(changes(kind)).done();
    cutter.cut();
    setup.start_again();
    assert_eq!(files(&setup.workspace), new(kind), "{kind} on {on}");
}

#[rstest]
fn a_power_cut_under_process_leaves_old_or_new(
    #[values("bare", "usual", "xfs")] on: &str,
    #[values("edit", "set", "create", "delete", "rename")] kind: &str,
    #[values(false, true)] others_flush: bool,
) {
    let (mut setup, mut agent) = prepared(volume(on), "process");
    let cutter = setup.volume.cutter();
    agent.changes(changes(kind)).done();
    if others_flush {
        flush_something_else(&setup.volume.at());
    }
    cutter.cut();
    setup.start_again();
    let found = without_strays(files(&setup.workspace));
    assert!(found == old() || found == new(kind), "{kind} on {on}, another flush: {others_flush}: {found:?}");
}

/// Removes strays from a list. Under `process`, a power cut may lose the journal line of a staged file whose
/// flush did not wait for that line, so the file keeps its temporary name. No text is lost.
fn without_strays(files: Files) -> Files {
    files.into_iter().filter(|(name, _)| !name.contains(".editd-")).collect()
}

/// Proves that the tests above would detect an omitted flush.
#[rstest]
fn an_omitted_flush_is_detected(#[values("fsync", "sync_file_range")] left_out: &str) {
    if !makes(left_out) {
        return;
    }
    let durability = if left_out == "fsync" { "full" } else { "process" };
    let (mut setup, mut agent) = prepared(volume("bare"), durability);
    let strace = Strace::attach(setup.machine.pid(), &[Fault::always(left_out, "retval=0")], &[]);
    agent.changes(changes("edit")).done();
    assert!(strace.finish(false).has_fault());
    let cutter = setup.volume.cutter();
    flush_something_else(&setup.volume.at());
    cutter.cut();
    setup.start_again();
    let found = files(&setup.workspace);
    assert!(found != old() && found != new("edit"), "the omitted flush had no effect: {found:?}");
}
