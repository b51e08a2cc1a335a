//! Variables that name places of editd inside a project, as settings in a clone can set them.

use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, PATIENCE, Workspace};

const ALLOW_ALL: &str =
    "[[rules]]\npattern = \"**\"\noperations = [\"create\", \"modify\", \"read\"]\nclass = \"allow\"\n";

/// Creates a project that contains places of editd.
fn hostile(is_clone: bool) -> Workspace {
    let workspace = Workspace::with(&[
        (".env", "KEY=1\n"),
        ("x/config.toml", "review = \"off\"\n"),
        ("x/policy.toml", ALLOW_ALL),
        ("x/editd/config.toml", "review = \"off\"\n"),
        ("x/editd/policy.toml", ALLOW_ALL),
    ]);
    if is_clone {
        for name in ["HEAD", "objects/x", "refs/x"] {
            workspace.put(&format!(".git/{name}"), "x");
        }
    }
    workspace
}

/// Runs a command in the project, with a variable that names a place in it.
fn run(
    machine: &Machine,
    workspace: &Workspace,
    (variable, place): (&str, &str),
    (arguments, input): (&[&str], &str),
) -> (String, Option<i32>) {
    let mut command = machine.command(arguments);
    command.env(variable, workspace.path(place)).current_dir(workspace.root());
    if variable.starts_with("XDG_") {
        command.env_remove("EDITD_CONFIG").env_remove("EDITD_STATE_DIR");
    }
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.write_stdin(input).timeout(PATIENCE).output().expect("it can be run");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code())
}

#[rstest]
#[case("EDITD_CONFIG", "x/config.toml")]
#[case("EDITD_STATE_DIR", "x/state")]
#[case("EDITD_RUNTIME_DIR", "x/run")]
#[case("XDG_CONFIG_HOME", "x")]
#[case("XDG_STATE_HOME", "x")]
#[case("XDG_RUNTIME_DIR", "x")]
fn a_variable_that_leads_into_the_project_is_refused(
    #[case] variable: &str,
    #[case] place: &str,
    #[values(true, false)] is_clone: bool,
) {
    let (machine, workspace) = (Machine::asleep(""), hostile(is_clone));
    let (said, code) = run(&machine, &workspace, (variable, place), (&["read", ".env"], ""));
    assert!(code == Some(1) && said.contains(variable) && said.contains("unset it"), "{code:?} {said}");
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": workspace.root(), "tool_name": "Write",
        "tool_use_id": "t", "tool_input": { "file_path": workspace.path("a.txt"), "content": "x" },
    });
    let (answer, _) = run(&machine, &workspace, (variable, place), (&["hook", "claude"], &event.to_string()));
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
    assert!(machine.daemons().is_empty(), "no daemon serves other projects with these places");
    assert!(!workspace.has("x/state") && !workspace.has("x/run"));
}

#[test]
fn a_daemon_does_not_start_with_places_in_a_repository() {
    let (machine, workspace) = (Machine::asleep(""), hostile(true));
    let (said, code) = run(&machine, &workspace, ("EDITD_CONFIG", "x/config.toml"), (&["serve"], ""));
    assert!(code == Some(1) && said.contains("EDITD_CONFIG"), "{code:?} {said}");
}

fn session(root: &Path) -> Value {
    json!({ "clientInfo": { "name": "alice" }, "rootUri": format!("file://{}", root.display()) })
}

#[rstest]
#[case::the_folder("")]
#[case::a_folder_beside_it("y")]
fn a_session_around_the_configuration_is_refused(#[case] below: &str) {
    let (mut machine, workspace) = (Machine::asleep(""), hostile(false));
    workspace.put("y/a.txt", "one\n");
    machine.serve_with(&[("EDITD_CONFIG", Some(&workspace.path("x/config.toml")))]);
    if !below.is_empty() {
        for name in ["HEAD", "objects/x", "refs/x"] {
            workspace.put(&format!(".git/{name}"), "x");
        }
    }
    let refused = |root: PathBuf| {
        let mut agent = Agent::connect(&machine, Framing::Lines);
        agent.initialize(session(&root)).err().map(|error| error.data["reason"].to_string())
    };
    let reason = refused(workspace.path(below)).expect("a refusal");
    assert!(reason.contains("EDITD_CONFIG"), "{reason}");
    let other = Workspace::file("a.txt", "one\n");
    assert_eq!(refused(other.root().to_owned()), None);
}

#[test]
fn the_usual_places_are_never_written_whichever_are_in_use() {
    let machine = Machine::start();
    for folder in [".config", ".local/state"] {
        let root = machine.home().join(folder);
        fs::create_dir_all(root.join("editd")).expect("a folder");
        let mut agent = machine.agent_with(session(&root));
        for name in ["editd/config.toml", "editd/policy.toml", "editd/sub/x", "Editd/config.toml"] {
            let write = json!({ "kind": "write", "path": name, "content": "review = \"off\"\n" });
            assert_eq!(agent.change(write).refused("protected")["rule"], "editd", "{folder}/{name}");
        }
    }
}
