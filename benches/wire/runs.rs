//! Commands whose changes are recorded, compared with git on the same tree.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::client::Client;
use crate::corpus::{KB, code, numbered};
use crate::machine::Machine;
use crate::table::{Samples, mebibytes, millis, row, title, verdict};

const ROUNDS: usize = 20;
const CHANGED: usize = 1000;

/// Marks on unchanged trees of two sizes, `editd run`, a command that rewrites 1,000 files, and the memory.
pub(crate) fn commands() {
    title("a mark on 10,000 unchanged files of 10 KB, and a command");
    let machine = project(10_000, &code(10 * KB));
    let mut client = machine.client();
    let (marks, status) = unchanged(&machine, &mut client);
    row("mark", &marks);
    row("`git status`", &status);
    verdict("mark", millis(marks.median()), " ms", 30.0, true);
    verdict("mark, compared with `git status`", marks.median_ratio(&status), " times", 2.5, true);
    let (mut run, mut plain) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        plain.time(|| succeed(&mut Command::new("true")));
        run.time(|| succeed(machine.command("run").args(["--", "true"]).current_dir(machine.root())));
    }
    row("`true`", &plain);
    row("`editd run -- true`", &run);
    verdict("above `true`", millis(run.above(&plain).median()), " ms", 25.0, true);
    rewritten(&machine, &mut client);
    drop(machine);

    title("a mark on 100,000 unchanged files of 1 KB");
    let machine = project(100_000, &code(KB));
    let mut client = machine.client();
    let idle = machine.resident();
    let (marks, status) = unchanged(&machine, &mut client);
    row("mark", &marks);
    row("`git status`", &status);
    verdict("mark", millis(marks.median()), " ms", 300.0, true);
    machine.await_quiet();
    let grown = machine.resident().saturating_sub(idle);
    verdict("memory above idle", mebibytes(grown), " MiB", 40.0, true);
}

/// Measures the end of a run without changes, and `git status`, in turns.
fn unchanged(machine: &Machine, client: &mut Client) -> (Samples, Samples) {
    let (mut marks, mut status) = (Samples::default(), Samples::default());
    begin_and_end(client, &mut Samples::default());
    // Until then, the stamps of the files prove nothing.
    thread::sleep(Duration::from_secs(3));
    begin_and_end(client, &mut Samples::default());
    succeed(git(&machine.root()).arg("status"));
    for _ in 0..ROUNDS {
        begin_and_end(client, &mut marks);
        status.time(|| succeed(git(&machine.root()).arg("status")));
    }
    (marks, status)
}

fn begin_and_end(client: &mut Client, samples: &mut Samples) {
    let run = client.call("editd/runBegin", &json!({ "command": "bench" }));
    samples.time(|| client.call("editd/runEnd", &json!({ "run": run["run"] })));
}

/// Measures the end of a run that has rewritten files, and `git add` of them.
fn rewritten(machine: &Machine, client: &mut Client) {
    let (mut ends, mut adds) = (Samples::default(), Samples::default());
    for round in 0..5 {
        let text = format!("// round {round}\n{}", code(10 * KB));
        let run = client.call("editd/runBegin", &json!({ "command": "rewrite" }));
        for file in 0..CHANGED {
            fs::write(machine.root().join(name(file)), numbered(file, &text)).expect("a file");
        }
        ends.time(|| client.call("editd/runEnd", &json!({ "run": run["run"] })));
        adds.time(|| succeed(git(&machine.root()).args(["add", "-A"])));
    }
    row("end of a run that rewrote 1,000 files", &ends);
    row("`git add -A` of them", &adds);
    let ratio = ends.median_ratio(&adds);
    verdict("rewritten files, compared with `git add -A`", ratio, " times", 1.5, true);
}

fn name(file: usize) -> String {
    format!("part{}/{file}.rs", file % 200)
}

/// Creates a git repository in which all texts differ.
fn project(files: usize, text: &str) -> Machine {
    let machine = Machine::start();
    fs::remove_dir_all(machine.root().join(".git")).expect("the mark of a project");
    for folder in 0..200 {
        fs::create_dir(machine.root().join(format!("part{folder}"))).expect("a folder");
    }
    for file in 0..files {
        machine.put(&name(file), &numbered(file, text));
    }
    succeed(git(&machine.root()).args(["init", "-q"]));
    succeed(git(&machine.root()).args(["add", "-A"]));
    machine
}

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder);
    command
}

fn succeed(command: &mut Command) {
    let status =
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the program can be run");
    assert!(status.success(), "{command:?}");
}
