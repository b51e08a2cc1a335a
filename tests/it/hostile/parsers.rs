//! Texts that make the parsers of tree-sitter fail: only the request of that text gets no syntax.

use std::fmt::Write as _;
use std::fs;

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, eventually};

/// Blocks of Python in `depth` columns, in which a tab is eight columns.
fn python(depth: usize) -> String {
    let indentation = |column: usize| "\t".repeat(column / 8) + &" ".repeat(column % 8);
    let mut text = String::new();
    for column in 0..depth {
        let _ = writeln!(text, "{}if x:", indentation(column));
    }
    text + &indentation(depth) + "x = \"a\"\n"
}

#[rstest]
#[case::more_blocks_than_the_grammar_stores("a.py", python(600))]
#[case::blocks_behind_other_text("a.yaml", format!("| {}x\n", "- - ".repeat(400)))]
#[case::all_memory("a.java", "A<B<".repeat(15_000))]
#[case::all_memory_of_a_script("a.sh", "a|".repeat(30_000))]
#[case::a_stack("a.go", "{*".repeat(25_000))]
#[case::a_word_longer_than_its_length("a.rb", format!("x = <<~{0}\n  a #{{1}}\n{0}\n", "A".repeat(300)))]
#[case::a_word_that_fills_the_store("a.rb", format!("x = <<~{0}\n  a #{{1}}\n{0}\n", "A".repeat(1019)))]
fn a_text_ends_no_daemon(#[case] name: &str, #[case] text: String) {
    let (machine, workspace) = (Machine::start(), Workspace::file(name, &text));
    workspace.put("b.py", "def f():\n    return 1\n");
    let mut agent = machine.agent(&workspace);
    let (pid, before) = (machine.pid(), machine.peak());
    for _ in 0..2 {
        let outline = agent.call("editd/outline", json!({ "path": name }));
        if outline.is_err() {
            outline.refused("syntax");
        }
    }
    agent.read(name);
    agent.change(json!({ "kind": "write", "path": format!("new-{name}"), "content": text })).done();
    // Other files have their checks and outlines.
    agent.read("b.py");
    let done = agent.edit("b.py", "return 1", "return (1").done();
    assert_eq!(done["files"][0]["syntax"][0]["line"], 2, "{done}");
    let outline = agent.call("editd/outline", json!({ "path": "b.py" })).done();
    assert_eq!(outline["symbols"][0]["symbol"], "f", "{outline}");
    assert_eq!(agent.call("editd/status", json!({})).done()["pid"], json!(pid.as_raw_nonzero().get()));
    assert!(machine.peak() < before + (64 << 10), "{} KiB", machine.peak());
}

/// Parsers are replaced when they end by themselves, or are ended by others.
#[test]
fn killed_parsers_are_replaced() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("b.py", "def f():\n    return 1\n"));
    let mut agent = machine.agent(&workspace);
    let outline =
        |agent: &mut Agent| -> Value { agent.call("editd/outline", json!({ "path": "b.py" })).done() };
    let first = outline(&mut agent);
    for _ in 0..3 {
        let parsers = parsers_of(&machine);
        assert_eq!(parsers.len(), 1);
        for parser in parsers {
            kill_process(parser, Signal::KILL).expect("a kill");
        }
        assert_eq!(outline(&mut agent), first);
    }
    // They end with the daemon.
    let parsers = parsers_of(&machine);
    machine.crash();
    eventually("the end of the parsers", || {
        let is_there =
            |parser: &Pid| fs::exists(format!("/proc/{}", parser.as_raw_nonzero())).expect("a check");
        (!parsers.iter().any(is_there)).then_some(())
    });
}

/// Returns the parsers of the daemon.
pub(crate) fn parsers_of(machine: &Machine) -> Vec<Pid> {
    let daemon = machine.pid().as_raw_nonzero().to_string();
    let parser_of = |entry: fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?;
        let arguments = fs::read(entry.path().join("cmdline")).ok()?;
        let is_parser = parent == daemon && arguments.split(|byte| *byte == 0).nth(1) == Some(b"parser");
        Pid::from_raw(id).filter(|_| is_parser)
    };
    fs::read_dir("/proc").expect("processes").flatten().filter_map(parser_of).collect()
}
