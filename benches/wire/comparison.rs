//! A Markdown table that compares a single edit by editd and by common tools.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::{Client, outcome};
use crate::corpus::{KB, MB, code, counter};
use crate::floor;
use crate::machine::{Machine, program, settle};
use crate::table::{Samples, millis};

/// Size of the file, and the number of measurements per tool.
const ROWS: [(&str, usize, usize); 5] = [
    ("10 KB", 10 * KB, 120),
    ("100 KB", 100 * KB, 80),
    ("1 MB", MB, 40),
    ("10 MB", 10 * MB, 15),
    ("50 MB", 50 * MB, 7),
];
/// Number of rounds before the measured ones.
const WARM_UP: usize = 2;
/// The counter in the middle of a text.
const MIDDLE: usize = 3;
/// A typical Python script for the edit.
const PYTHON: &str = "import sys
path, old, new = sys.argv[1:]
text = open(path, newline='').read()
open(path, 'w', newline='').write(text.replace(old, new, 1))";

/// Replaces one text with another in a file, and records the relevant time.
type Edit = Box<dyn FnMut(&str, &str, &mut Samples)>;

/// A column of the table: a tool with a separate file.
struct Tool {
    name: &'static str,
    file: PathBuf,
    /// `None` if the program is not installed.
    edit: Option<Edit>,
    samples: Samples,
}

/// Prints the table.
pub(crate) fn table() {
    println!("\nOne edit of one location, by file size. In brackets: ratio to the floor.\n");
    for (index, (name, size, rounds)) in ROWS.into_iter().enumerate() {
        let machine = Machine::start();
        let mut tools = tools(&machine, &code(size));
        for round in 0..rounds + WARM_UP {
            let (old, new) = (counter(MIDDLE, round), counter(MIDDLE, round + 1));
            for tool in &mut tools {
                if round == WARM_UP {
                    tool.samples = Samples::default();
                }
                if let Some(edit) = &mut tool.edit {
                    edit(&old, &new, &mut tool.samples);
                }
                settle(size);
            }
        }
        let expected = counter(MIDDLE, rounds + WARM_UP);
        for tool in tools.iter().filter(|tool| tool.edit.is_some()) {
            let text = std::fs::read_to_string(&tool.file).expect("the file");
            assert!(text.contains(&expected), "{} has not applied every edit", tool.name);
        }
        if index == 0 {
            print_header(&tools);
        }
        print_row(name, &tools);
    }
}

fn tools(machine: &Machine, text: &str) -> Vec<Tool> {
    let tool = |name, file: &str, edit: &dyn Fn(&Path) -> Option<Edit>| {
        let file = machine.put(file, text);
        Tool { name, edit: edit(&file), file, samples: Samples::default() }
    };
    let state = machine.state();
    vec![
        tool("floor", "floor.rs", &|file| Some(by_floor(file.to_owned()))),
        tool("editd, over its socket", "socket.rs", &|file| Some(by_socket(machine.client(), file))),
        tool("`editd edit --yes`", "command.rs", &|file| Some(by_command(file.to_owned(), state.clone()))),
        tool("`sed -i`", "sed.rs", &|file| has("sed").then(|| by_sed(file.to_owned()))),
        tool("`git apply`", "git.rs", &|file| has("git").then(|| by_git(file, text))),
        tool("Python", "python.rs", &|file| python().map(|python| by_python(python, file.to_owned()))),
    ]
}

fn by_floor(file: PathBuf) -> Edit {
    Box::new(move |old, new, samples| samples.time(|| floor::edit(&file, old, new)))
}

fn by_socket(mut client: Client, file: &Path) -> Edit {
    client.call("editd/read", &json!({ "path": file, "limit": 1 }));
    let file = file.to_owned();
    Box::new(move |old, new, samples| {
        let params = json!({ "path": file, "oldText": old, "newText": new });
        let request = client.request("editd/edit", &params);
        let answer = samples.time(|| client.exchange(&request));
        outcome(&answer).expect("an edit");
    })
}

fn by_command(file: PathBuf, state: String) -> Edit {
    Box::new(move |old, new, samples| {
        let mut command = Command::new(program());
        command.args(["edit", "--yes", "--no-spawn", "--state-dir", &state, "--old", old, "--new", new]);
        run(command.arg(&file), samples);
    })
}

fn by_sed(file: PathBuf) -> Edit {
    Box::new(move |old, new, samples| {
        run(Command::new("sed").arg("-i").arg(format!("s/{old}/{new}/")).arg(&file), samples);
    })
}

fn by_git(file: &Path, text: &str) -> Edit {
    const CONTEXT: usize = 3;
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| *line == counter(MIDDLE, 0)).expect("the counter");
    let context = |from: usize, to: usize| -> String {
        lines[from..to].iter().fold(String::new(), |mut all, line| {
            let _ = writeln!(all, " {line}");
            all
        })
    };
    let (before, after) = (context(at - CONTEXT, at), context(at + 1, at + 1 + CONTEXT));
    let (first, count) = (at + 1 - CONTEXT, 2 * CONTEXT + 1);
    let (folder, patch) = (file.with_file_name(""), file.with_extension("patch"));
    let above = folder.parent().expect("a folder").to_owned();
    let name = file.file_name().unwrap_or_default().display().to_string();
    Box::new(move |old, new, samples| {
        let hunk = format!("@@ -{first},{count} +{first},{count} @@\n{before}-{old}\n+{new}\n{after}");
        std::fs::write(&patch, format!("--- a/{name}\n+++ b/{name}\n{hunk}")).expect("a patch");
        let mut command = Command::new("git");
        // Do not treat the folder as part of the repository in which the bench is built.
        command.arg("apply").arg(&patch).current_dir(&folder).env("GIT_CEILING_DIRECTORIES", &above);
        run(&mut command, samples);
    })
}

fn by_python(python: PathBuf, file: PathBuf) -> Edit {
    Box::new(move |old, new, samples| {
        run(Command::new(&python).args(["-c", PYTHON]).arg(&file).args([old, new]), samples);
    })
}

fn run(command: &mut Command, samples: &mut Samples) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = samples.time(|| command.output().expect("an installed program"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Returns the path of the interpreter itself, because `python3` in the `PATH` may be a script that selects
/// one.
fn python() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| path.trim().into())
}

fn print_header(tools: &[Tool]) {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    println!("| File | {} |", names.join(" | "));
    println!("| ---{} |", " | ---:".repeat(tools.len()));
}

fn print_row(name: &str, tools: &[Tool]) {
    let floor = &tools[0].samples;
    let cell = |(index, tool): (usize, &Tool)| {
        if tool.edit.is_none() {
            return "not installed".to_owned();
        }
        let time = millis(tool.samples.median());
        let digits = if time < 10.0 { 2 } else { 0 };
        match index {
            0 => format!("{time:.digits$} ms"),
            _ => format!("{time:.digits$} ms ({:.1})", tool.samples.median_ratio(floor)),
        }
    };
    let cells: Vec<String> = tools.iter().enumerate().map(cell).collect();
    println!("| {name} | {} |", cells.join(" | "));
}
