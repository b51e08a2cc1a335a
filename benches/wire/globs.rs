//! A replacement in all files of a tree, compared with `rg -l` and `sed -i`.
//!
//! Each round has new trees. ext4 does not use the numbers of deleted files again for a minute or more, and looks at each
//! of them whenever it creates a file in their group: a tree that was rewritten ten times takes three times as long.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::outcome;
use crate::corpus::{KB, code};
use crate::machine::Machine;
use crate::table::{Samples, row, title, verdict};

const FILES: usize = 1000;
/// Number of places in a file.
const PLACES: usize = 3;
const ROUNDS: usize = 7;

/// Measures both in turns, for each durability.
pub(crate) fn against_sed() {
    for (durability, target) in [("process", 2.0), ("full", 2.0)] {
        let machine = Machine::configured(&format!("durability = \"{durability}\"\n"));
        let list = if shell("rg --version", &machine.root()) { "rg -l" } else { "grep -rl" };
        title(&format!("{} places in {FILES} files of 10 KB, durability {durability}", FILES * PLACES));
        let flush = if durability == "full" { " && xargs sync < ../listed" } else { "" };
        let mut client = machine.client();
        let (mut theirs, mut ours) = (Samples::default(), Samples::default());
        let (old, new) = ("needle_name", "thread_name");
        for round in 0..=ROUNDS {
            // The first round fills the system's cache.
            if round == 1 {
                (theirs, ours) = (Samples::default(), Samples::default());
            }
            let (own, other) = (format!("ours-{round}"), format!("theirs-{round}"));
            plant(&machine, &own);
            plant(&machine, &other);
            rustix::fs::sync();
            let command = format!(
                "{list} {old} {other} > ../listed && xargs sed -i s/{old}/{new}/g < ../listed{flush}"
            );
            theirs.time(|| assert!(shell(&command, &machine.root()), "{command}"));
            let params = json!({
                "glob": "*.rs", "path": own, "oldText": old, "newText": new, "expect": FILES * PLACES,
            });
            let request = client.request("editd/edit", &params);
            let answer = ours.time(|| client.exchange(&request));
            let done = outcome(&answer).expect("a change");
            assert_eq!(done["files"].as_array().map(Vec::len), Some(FILES));
        }
        row(
            &format!(
                "{list} and sed -i{}",
                if flush.is_empty() { "" } else { ", with a flush of each file" }
            ),
            &theirs,
        );
        row("editd", &ours);
        verdict("times the two programs", ours.median_ratio(&theirs), "x", target, true);
    }
}

/// Creates the files.
fn plant(machine: &Machine, folder: &str) {
    let text = code(10 * KB);
    let lines: Vec<&str> = text.lines().collect();
    let part = |lines: &[&str]| format!("{}\n// needle_name\n", lines.join("\n"));
    let text: String = lines.chunks(lines.len().div_ceil(PLACES)).map(part).collect();
    for file in 0..FILES {
        let part = format!("{folder}/part-{}", file % 20);
        fs::create_dir_all(machine.root().join(&part)).expect("a folder");
        machine.put(&format!("{part}/file-{file}.rs"), &text);
    }
}

/// Runs a command of the shell. Returns `true` if it succeeds.
fn shell(command: &str, folder: &Path) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}
