//! Tests that the help is complete and correct.

use std::fs;
use std::path::Path;
use std::process::Output;

use rstest::rstest;
use serde_json::json;

use crate::review::scene::reviewer;
use crate::support::{Machine, Outcome, Workspace, shell};

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn help(machine: &Machine, arguments: &[&str]) -> String {
    printed(&machine.run(&[arguments, &["--help"]].concat()))
}

/// Lists the commands in the help of the program.
fn commands(machine: &Machine) -> Vec<String> {
    let help = help(machine, &[]);
    let (_, groups) = help.split_once("Usage:").expect("a usage");
    let (groups, _) = groups.split_once("Global options:").expect("options after the commands");
    let rows = groups.lines().filter_map(|line| line.strip_prefix("  "));
    let names: Vec<_> = rows.filter_map(|row| Some(row.split_once("  ")?.0.to_owned())).collect();
    assert!(names.len() > 15 && names.contains(&"edit".to_owned()), "{help}");
    names
}

/// Returns the command lines in the examples of a command.
fn examples(help: &str) -> Vec<&str> {
    let examples = help.split_once("Examples:\n").map(|(_, examples)| examples).unwrap_or_default();
    examples.lines().filter_map(|line| line.strip_prefix("      ")).collect()
}

/// Creates a project with the files that the examples name, some changes, and a rejected proposal.
fn project() -> (Machine, Workspace) {
    let files = [
        ("src/main.rs", "fn main() {\n    let port = 80;\n    listen(port);\n}\n"),
        ("notes.md", "The colour of the shade.\nAnother colour.\n"),
        ("draft.toml", "port = 80\n"),
        (
            "answer.md",
            "Done:\n\nnotes.md\n<<<<<<< SEARCH\nAnother colour.\n=======\nAnother hue.\n>>>>>>> REPLACE\n",
        ),
        (
            "fix.patch",
            "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -3 +3 @@\n-    listen(port);\n+    serve(port);\n",
        ),
    ];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    fs::create_dir_all(machine.home().join(".config/fish/completions")).expect("a folder");
    let edit = |file: &str, old: &str, new: &str| {
        let path = workspace.absolute(file);
        printed(&machine.run(&["edit", &path, "--old", old, "--new", new, "--yes"]));
    };
    edit("notes.md", "shade", "tint");
    edit("draft.toml", "80", "81");
    edit("draft.toml", "81", "82");
    let mut agent = machine.agent(&workspace);
    agent.read("src/main.rs");
    let wanted =
        json!({ "path": "src/main.rs", "oldText": "fn main", "newText": "pub fn main", "review": true });
    let proposal = agent.call("editd/edit", wanted).done();
    let no = json!({ "id": proposal["id"], "revision": proposal["revision"], "reject": "all" });
    reviewer(&machine, &workspace).call("editd/decide", no).done();
    (machine, workspace)
}

#[test]
fn every_example_works() {
    let (asleep, mut count) = (Machine::asleep(""), 0);
    for name in commands(&asleep).iter().filter(|name| *name != "help") {
        let help = help(&asleep, &[name]);
        let examples = examples(&help);
        if examples.is_empty() {
            continue;
        }
        let (machine, workspace) = project();
        for line in examples {
            // The server runs until its input ends.
            let line = if name == "mcp" { format!("{line} </dev/null") } else { line.to_owned() };
            let typed = shell(&machine, workspace.root(), &line, &["y\r"]);
            assert_eq!(typed.code, 0, "{line}:\n{}", typed.shown);
            count += 1;
        }
    }
    assert!(count > 25, "{count} examples");
}

#[test]
fn the_help_of_each_command_has_the_same_form() {
    let machine = Machine::asleep("");
    for name in commands(&machine).iter().filter(|name| *name != "help") {
        let long = help(&machine, &[name]);
        let short = printed(&machine.run(&[name, "-h"]));
        assert!(short.lines().count() <= long.lines().count(), "{name}");
        assert!(!short.contains("Examples:"), "{short}");
        for help in [&short, &long] {
            assert!(help.contains("\nUsage: editd ") && help.contains("\nGlobal options:\n"), "{help}");
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        }
    }
}

#[test]
fn the_help_lists_exit_codes_and_all_environment_variables() {
    let help = help(&Machine::asleep(""), &[]);
    for code in ["  0  ", "  1  ", "  2  ", "  3  "] {
        assert!(help.contains(code), "{help}");
    }
    let mut read = vec!["NO_COLOR", "CLICOLOR_FORCE", "VISUAL", "EDITOR"];
    let sources = walk(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    let programs = sources.iter().filter_map(|text| text.split("#[cfg(test)]").next());
    let words = programs.flat_map(|text| text.split(|c: char| !c.is_ascii_uppercase() && c != '_'));
    // The variable that makes Linux do without its own system calls is only for tests.
    let is_for_users = |word: &&str| word.starts_with("EDITD_") && word.len() > 6 && *word != "EDITD_SYSTEM";
    read.extend(words.filter(is_for_users));
    assert!(read.len() > 8);
    let missing: Vec<_> = read.into_iter().filter(|name| !help.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn walk(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.ends_with("tests") || path.ends_with("tests.rs") {
            continue;
        }
        if path.is_dir() {
            texts.extend(walk(&path));
        } else {
            texts.push(fs::read_to_string(path).expect("a source"));
        }
    }
    texts
}

#[rstest]
#[case(&["serve", "--output", "json"], "--output")]
#[case(&["--output", "json", "mcp"], "--output")]
#[case(&["lsp", "--output", "text"], "--output")]
#[case(&["completions", "bash", "--state-dir", "/x"], "--state-dir")]
#[case(&["man", "--no-spawn"], "--no-spawn")]
#[case(&["demo", "--runtime-dir", "/x"], "--runtime-dir")]
fn options_without_effect_are_hidden_and_refused(#[case] arguments: &[&str], #[case] option: &str) {
    let machine = Machine::asleep("");
    let output = machine.run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && stderr.contains(option), "{stderr}");
    let command =
        arguments.iter().find(|word| ["serve", "mcp", "lsp", "completions", "man", "demo"].contains(word));
    assert!(!help(&machine, &[command.expect("a command")]).contains(&format!("{option} ")));
    assert!(machine.daemons().is_empty());
}

#[rstest]
#[case(&["unheard-of"], "editd: unrecognized subcommand 'unheard-of'\n", "`editd --help`")]
#[case(&["stat"], "editd: unrecognized subcommand 'stat'\n", "'status'")]
#[case(&["edit", "a", "--agree"], "editd: unexpected argument '--agree' found\n", "`editd edit --help`")]
#[case(&["log", "-n", "0"], "editd: invalid value '0'", "`editd log --help`")]
#[case(&["edit"], "editd: the following required arguments were not provided:\n", "`editd edit --help`")]
fn usage_errors_have_the_common_format(#[case] arguments: &[&str], #[case] what: &str, #[case] next: &str) {
    let output = Machine::asleep("").run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with(what) && output.stdout.is_empty(), "{stderr}");
    assert!(stderr.lines().any(|line| line.starts_with("hint: ") && line.contains(next)), "{stderr}");
}
