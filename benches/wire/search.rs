//! Search in a tree like that of a large project, compared with ripgrep.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::outcome;
use crate::corpus::{KB, MB, code, numbered};
use crate::machine::{Machine, program};
use crate::table::{Samples, row, title, verdict};

const TREE: usize = 100 * MB;
/// Number of runs of each.
const ROUNDS: usize = 25;
/// Mix of file sizes in the tree.
const SIZES: [usize; 6] = [2 * KB, 4 * KB, 6 * KB, 12 * KB, 20 * KB, 40 * KB];

/// Measures ripgrep, the method and the command in turns.
pub(crate) fn against_ripgrep() {
    let machine = Machine::start();
    let files = plant(&machine.root());
    if run("rg", &["--version"], &machine.root()).is_none() {
        println!("\nsearch: ripgrep (`rg`) is not installed, so this part is skipped");
        return;
    }
    let mut client = machine.client();
    for (name, pattern) in [
        ("a rare word", "rare_needle"),
        ("a regex without a plain word", r"[a-z]+_needle\d? = \w+"),
        ("no match, no plain word", r"[A-Z]\w+\s\w+needle[0-9]{3}"),
    ] {
        title(&format!("search of 100 MB in {files} files: {name}"));
        let [mut theirs, mut wire, mut command] =
            [Samples::default(), Samples::default(), Samples::default()];
        for round in 0..=ROUNDS {
            // The first round fills the system's cache.
            if round == 1 {
                [theirs, wire, command] = [Samples::default(), Samples::default(), Samples::default()];
            }
            let listed = theirs.time(|| run("rg", &["-n", "--hidden", pattern], &machine.root()));
            let request = client.request("editd/search", &json!({ "pattern": pattern, "limit": 1000 }));
            let answer = wire.time(|| client.exchange(&request));
            let found = outcome(&answer).expect("matches");
            let editd = program();
            let state = machine.state();
            let arguments = ["search", pattern, "--limit", "1000", "--no-spawn", "--state-dir", &state];
            let printed = command.time(|| run(&editd, &arguments, &machine.root()));
            let count = found["matches"].as_array().map_or(0, Vec::len);
            let lines = |text: Option<String>| text.map_or(0, |text| text.lines().count());
            assert_eq!((count, count), (lines(listed), lines(printed)), "all find the same matches");
        }
        row("rg", &theirs);
        row("editd/search", &wire);
        row("editd search", &command);
        verdict("method against rg", wire.median_ratio(&theirs), " times", 1.5, true);
        verdict("command against rg", command.median_ratio(&theirs), " times", 1.5, true);
    }
}

/// Creates the tree and returns its number of files.
fn plant(root: &Path) -> usize {
    std::fs::write(root.join(".gitignore"), "target/\n*.o\n/build\n!keep.o\n").expect("rules");
    let text = code(SIZES[SIZES.len() - 1]);
    let (mut files, mut bytes) = (0, 0);
    while bytes < TREE {
        let size = SIZES[files % SIZES.len()];
        let folder = root.join(format!("part{}/module{}/src", files % 40, files / 40 % 12));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut own = numbered(files, &text[..size]);
        if files % 211 == 0 {
            own.push_str("\nlet rare_needle = here;\n");
        }
        bytes += own.len();
        std::fs::write(folder.join(format!("file{files}.rs")), own).expect("a file");
        files += 1;
    }
    files
}

/// Runs a program and returns its output, or `None` if it is not installed.
fn run(program: impl AsRef<OsStr>, arguments: &[&str], folder: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok()?;
    String::from_utf8(output.stdout).ok()
}
