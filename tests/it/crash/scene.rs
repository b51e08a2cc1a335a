//! A set with a file of every kind, changed in one request, and a check of its outcome.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::support::{Agent, Answer, Fault, Machine, Strace, Trace, Workspace, soak};

/// More than the number of calls of any kind in one commit.
pub(super) const ENOUGH: usize = 150;

/// Selects the calls of a kind to test: every call that changes or flushes something, and in a long run the
/// others too.
pub(super) fn chosen(call: &str) -> impl Iterator<Item = usize> {
    let is_read = ["newfstatat", "fstat", "statx", "faccessat2", "openat2", "fcntl", "close"].contains(&call);
    (1..ENOUGH).step_by(if is_read && soak().is_none() { 5 } else { 1 })
}

/// Paths under a folder with their text; `None` for folders.
pub(super) type Listing = BTreeMap<String, Option<String>>;

const BEFORE: [(&str, &str); 7] = [
    ("edited", "one\n"),
    ("linked", "six\n"),
    ("linked-too", "six\n"),
    ("moved", "three\n"),
    ("moved-edited", "four\n"),
    ("other", "not concerned\n"),
    ("removed", "five\n"),
];
const AFTER: [(&str, &str); 7] = [
    ("edited", "ONE\n"),
    ("linked", "SIX\n"),
    ("linked-too", "SIX\n"),
    ("moved-to", "three\n"),
    ("new/created", "two\n"),
    ("other", "not concerned\n"),
    ("sub/moved-edited", "FOUR\n"),
];

fn listing(files: &[(&str, &str)]) -> Listing {
    let mut all = Listing::new();
    for (name, text) in files {
        if let Some((folder, _)) = name.split_once('/') {
            all.insert(folder.to_owned(), None);
        }
        all.insert((*name).to_owned(), Some((*text).to_owned()));
    }
    all
}

/// The request: an edit, a new file in a new folder, a deletion, a rename, a rename with an edit, and an edit
/// of a file with two names, which is written in place.
fn patch(folder: &str) -> String {
    format!(
        "*** Begin Patch\n*** Update File: {folder}/edited\n-one\n+ONE\n*** Add File: {folder}/new/created\n+two\n\
        *** Delete File: {folder}/removed\n*** Update File: {folder}/moved\n*** Move to: {folder}/moved-to\n\
        *** Update File: {folder}/moved-edited\n*** Move to: {folder}/sub/moved-edited\n-four\n+FOUR\n\
        *** Update File: {folder}/linked\n-six\n+SIX\n*** End Patch\n"
    )
}

/// Outcome of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Old,
    New,
}

/// A daemon, a workspace, and a set in a new folder for each round.
pub(super) struct Scene {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    pub(super) agent: Agent,
    round: usize,
}

impl Scene {
    pub(super) fn new() -> Self {
        Self::configured("")
    }

    pub(super) fn configured(config: &str) -> Self {
        let machine = Machine::configured(&format!("hard_links = true\ndurability = \"full\"\n{config}"));
        let workspace = Workspace::empty();
        let agent = machine.agent(&workspace);
        Self { machine, workspace, agent, round: 0 }
    }

    /// Creates the files in a new folder and reads them.
    pub(super) fn lay_out(&mut self) -> String {
        self.round += 1;
        let folder = format!("round-{}", self.round);
        for (name, text) in BEFORE.iter().filter(|(name, _)| *name != "linked-too") {
            self.workspace.put(&format!("{folder}/{name}"), text);
        }
        let path = |name: &str| self.workspace.path(&folder).join(name);
        fs::hard_link(path("linked"), path("linked-too")).expect("a second name");
        self.read(&folder);
        folder
    }

    /// Makes the agent read the files, as the request requires.
    pub(super) fn read(&mut self, folder: &str) {
        for (name, _) in BEFORE {
            self.agent.read(&format!("{folder}/{name}"));
        }
    }

    pub(super) fn send(&mut self, folder: &str) -> u64 {
        self.agent.send("editd/edit", json!({ "patch": patch(folder) }))
    }

    pub(super) fn ask(&mut self, folder: &str) -> Answer {
        let id = self.send(folder);
        self.agent.answer(id)
    }

    /// Sends the request to a daemon with a fault. Returns the answer, if any, and the trace.
    pub(super) fn ask_with(
        &mut self,
        folder: &str,
        fault: Fault<'_>,
        traced: &[&str],
    ) -> (Option<Answer>, Trace) {
        let strace = Strace::attach(self.machine.pid(), &[fault], traced);
        let answer = self.agent.call_or_end("editd/edit", json!({ "patch": patch(folder) }));
        let has_ended = answer.is_none();
        if has_ended {
            self.machine.until_ended();
        }
        (answer, strace.finish(has_ended))
    }

    /// Returns the outcome: all files old, or all new. Any other state, including a stray or an additional
    /// folder, fails the test.
    #[track_caller]
    pub(super) fn state(&self, folder: &str, when: &str) -> State {
        let present = self.listing(folder);
        if present == listing(&BEFORE) {
            State::Old
        } else if present == listing(&AFTER) {
            State::New
        } else {
            panic!("{when}: neither all old nor all new: {present:#?}")
        }
    }

    /// Returns everything under a folder of the workspace.
    pub(super) fn listing(&self, folder: &str) -> Listing {
        let top = self.workspace.path(folder);
        let below = self.workspace.everything().into_iter().filter_map(|(path, bytes)| {
            let name = path.strip_prefix(&top).ok()?.to_str()?.to_owned();
            let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            (!name.is_empty()).then_some((name, text))
        });
        below.collect()
    }

    /// Starts the daemon again after a crash, with a new session. Recovery is then complete and leaves no
    /// work for a second start.
    #[track_caller]
    pub(super) fn restart(&mut self, when: &str) {
        self.machine.serve();
        let left = self.journal();
        assert!(left.is_empty(), "{when}: a recovery left work for the next: {left:?}");
        self.agent = self.machine.agent(&self.workspace);
    }

    /// Returns the content of the journal's folder.
    fn journal(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.machine.state().join("journal")).expect("the journal's folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }
}
