//! The limits of a command under `editd run --enforce` besides the files of the project.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rstest::rstest;
use serde_json::{Value, json};

use super::command::printed;
use crate::support::{Machine, Outcome, Workspace};

/// Acts as an editor on a socket: accepts everything in a proposal.
const EDITOR: &str = r#"
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
f = s.makefile("rwb")
def call(id, method, params):
    f.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n")
    f.flush()
    return json.loads(f.readline())
call(1, "initialize", {"capabilities": {}, "clientInfo": {"name": "terminal"}})
for revision in range(1, 5):
    print(call(2, "editd/decide", {"id": sys.argv[2], "revision": revision, "accept": "all"}))
"#;

fn enforce(machine: &Machine, workspace: &Workspace, options: &[&str], script: &str) -> Output {
    let arguments = [&["run", "--enforce"], options, &["--", "sh", "-c", script]].concat();
    machine.command(&arguments).current_dir(workspace.root()).output().expect("editd can be run")
}

/// A repository with these files, of which `tracked` are tracked.
fn repository(files: &[(&str, &str)], tracked: &[&str]) -> Workspace {
    let workspace = Workspace::with(files);
    for arguments in [&["init", "-q"][..], &[&["add", "-f"], tracked].concat()] {
        let done = Command::new("git").args(arguments).current_dir(workspace.root()).status();
        assert!(done.expect("git").success());
    }
    workspace
}

#[test]
fn a_review_cannot_be_decided() {
    let machine = Machine::configured("review = \"always\"\n");
    let workspace = repository(&[("a.txt", "one\n"), ("editor.py", EDITOR)], &["a.txt"]);
    let mut agent = machine.agent(&workspace);
    let pending = agent.read_and_edit("a.txt", "one", "two").done();
    let id = pending["id"].as_str().expect("an id");
    let (editd, socket) = (env!("CARGO_BIN_EXE_editd"), machine.editor_socket());
    let script = format!(
        "{editd} review {id} --accept; env -u EDITD_ENFORCED {editd} review {id} --accept; \
         (setsid env -u EDITD_ENFORCED {editd} review {id} --accept &); env -u EDITD_ENFORCED {editd} stop; \
         python3 editor.py {} {id}; sleep 0.3",
        socket.display()
    );
    let output = enforce(&machine, &workspace, &[], &script);
    assert!(printed(&output).contains("cannot decide"), "{output:?}");
    let state = |agent: &mut crate::support::Agent| {
        agent.call("editd/proposal", json!({ "id": id })).done()["state"].clone()
    };
    assert_eq!((state(&mut agent), workspace.text("a.txt")), (json!("pending"), "one\n".to_owned()));
    let decided = machine.command(&["review", id, "--accept"]).current_dir(workspace.root()).output();
    assert!(decided.expect("editd can be run").status.success(), "a person can");
    assert_eq!((state(&mut agent), workspace.text("a.txt")), (json!("applied"), "two\n".to_owned()));
}

#[rstest]
#[case::configuration("echo x > CONFIG/config.toml")]
#[case::policy("echo x > CONFIG/policy.toml")]
#[case::policy_by_rename("echo x > OUTSIDE/x && mv OUTSIDE/x CONFIG/policy.toml")]
#[case::whole_configuration("mv CONFIG OUTSIDE/x")]
#[case::history("rm -rf STATE/history")]
#[case::state("echo x > STATE/new")]
#[case::whole_state("mv STATE OUTSIDE/x")]
#[case::log("for log in STATE/logs/*; do echo x > $log || exit 1; done")]
#[case::sockets("rm RUN/agent.sock")]
#[case::other_socket("touch RUN/x.sock")]
#[case::usual_configuration("mkdir -p HOME/.config/editd && echo x > HOME/.config/editd/policy.toml")]
#[case::usual_state("mkdir -p HOME/.local/state/editd && echo x > HOME/.local/state/editd/x")]
fn the_files_of_editd_cannot_be_written(
    #[case] script: &str,
    #[values(&[][..], &["--writable", "BASE"])] options: &[&str],
) {
    let machine = Machine::start();
    let workspace = repository(&[("a.txt", "one\n")], &["a.txt"]);
    fs::create_dir_all(machine.home().join(".config/other")).expect("a folder");
    let outside = workspace.outside("outside");
    fs::create_dir(&outside).expect("a folder");
    let config = machine.config_file().parent().expect("a folder").to_owned();
    let base = config.parent().expect("a folder");
    let placed = |text: &str| {
        let named =
            |text: String, (name, path): (&str, &Path)| text.replace(name, &path.display().to_string());
        let places = [
            ("CONFIG", &*config),
            ("STATE", &*machine.state()),
            ("RUN", &*machine.runtime()),
            ("HOME", &*machine.home()),
            ("OUTSIDE", &*outside),
            ("BASE", base),
        ];
        places.into_iter().fold(text.to_owned(), named)
    };
    let options: Vec<_> = options.iter().map(|option| placed(option)).collect();
    let options: Vec<_> = options.iter().map(String::as_str).collect();
    let before = fs::read_to_string(machine.config_file()).expect("the configuration");
    let output = enforce(&machine, &workspace, &options, &placed(script));
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(fs::read_to_string(machine.config_file()).expect("the configuration"), before);
    assert!(!machine.policy_file().exists() && machine.state().join("history").is_dir());
    machine.agent(&workspace).read("a.txt");
    let elsewhere =
        format!("echo x > {}/y && echo x > {}/.config/other/x", outside.display(), machine.home().display());
    assert_eq!(enforce(&machine, &workspace, &[], &elsewhere).status.code(), Some(0), "other files can");
}

#[test]
fn a_link_to_the_files_of_editd_cannot_be_exchanged() {
    let machine = Machine::start();
    let workspace = repository(&[("a.txt", "one\n")], &["a.txt"]);
    let (settings, elsewhere) = (machine.home().join(".config"), workspace.outside("dotfiles"));
    fs::create_dir_all(&settings).expect("a folder");
    fs::create_dir(&elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, settings.join("editd")).expect("a link");
    let script = format!("rm {0}/editd && mkdir {0}/editd", settings.display());
    let output = enforce(&machine, &workspace, &[], &script);
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    assert!(settings.join("editd").is_symlink());
}

#[test]
fn tracked_files_are_protected_whatever_is_ignored() {
    let machine = Machine::start();
    let files = [
        ("a.txt", "one\n"),
        ("sub/b.txt", "one\n"),
        ("sub/built", "old\n"),
        ("target/app", "old\n"),
        (".gitignore", "*\n"),
        (".env", "KEY=1\n"),
    ];
    let workspace = repository(&files, &["a.txt", "sub/b.txt", ".gitignore"]);
    for script in [
        "echo x > a.txt",
        "echo x > sub/b.txt",
        "rm a.txt",
        "mv sub target/x",
        "echo x > .gitignore",
        "echo x > .git/hooks/pre-commit",
        "git rm -q --cached a.txt",
        "ln a.txt target/x && echo x > target/x",
    ] {
        assert_ne!(enforce(&machine, &workspace, &[], script).status.code(), Some(0), "{script}");
    }
    let output = enforce(&machine, &workspace, &[], "echo new > target/app && echo new > sub/built");
    assert_eq!((output.status.code(), printed(&output).as_str()), (Some(0), ""), "{output:?}");
    for (name, text) in
        [("a.txt", "one\n"), ("sub/b.txt", "one\n"), (".gitignore", "*\n"), ("target/app", "new\n")]
    {
        assert_eq!(workspace.text(name), text, "{name}");
    }
}

#[test]
fn ignored_files_that_a_rule_protects_cannot_be_written() {
    let machine = Machine::start();
    let protected =
        [".claude/settings.local.json", ".vscode/tasks.json", ".env", ".envrc", "own/a", "sub/.idea/x"];
    let ignore = ".claude/settings.local.json\n.vscode/\n.env\n.envrc\nnode_modules/\ntarget/\nown\n.idea\n.env.allowed\n";
    let open = ["node_modules/.bin/eslint", "target/app", ".env.allowed"];
    let mut files: Vec<_> = protected.iter().chain(&open).map(|name| (*name, "old\n")).collect();
    files.extend([(".gitignore", ignore), ("sub/a.txt", "one\n")]);
    let workspace = repository(&files, &[".gitignore", "sub/a.txt"]);
    let rule = |pattern: &str, class: &str| {
        format!(
            "[[rules]]\npattern = \"{pattern}\"\noperations = [\"create\", \"modify\"]\nclass = \"{class}\"\n"
        )
    };
    machine.write_policy(&(rule("own/**", "opt_in") + &rule(".env.allowed", "allow")));
    let names: Vec<_> = protected.into_iter().chain(open).chain([".vscode/new.json"]).collect();
    let script = format!("for f in {}; do echo new > $f; done; true", names.join(" "));
    let output = enforce(&machine, &workspace, &[], &script);
    for name in protected {
        assert_eq!(workspace.text(name), "old\n", "{name}: {output:?}");
    }
    assert!(!workspace.has(".vscode/new.json"));
    for name in open {
        assert_eq!(workspace.text(name), "new\n", "{name}: {output:?}");
    }
    enforce(&machine, &workspace, &["--writable", ".env"], &script);
    assert_eq!(workspace.text(".env"), "new\n", "the user has named it");
}

#[test]
fn without_an_index_no_ignored_file_is_writable() {
    let machine = Machine::start();
    let workspace = Workspace::with(&[("a.txt", "one\n"), (".gitignore", "*\n")]);
    assert_ne!(enforce(&machine, &workspace, &[], "echo x > a.txt").status.code(), Some(0));
    let workspace = repository(&[("a.txt", "one\n"), (".gitignore", "*.log\n"), ("x.log", "")], &["a.txt"]);
    workspace.put(".git/index", "DIRC, but damaged");
    let output = enforce(&machine, &workspace, &[], "echo x > x.log");
    assert!(printed(&output).contains("ignored files cannot be written either"), "{output:?}");
    assert_eq!(workspace.text("x.log"), "");
}

/// A bind mount that is removed at the end.
struct Bind(String);

impl Bind {
    fn new(from: &Path, to: &Path) -> Self {
        fs::create_dir_all(to).expect("a folder");
        let done = Command::new("mount").arg("--bind").arg(from).arg(to).status().expect("mount");
        assert!(done.success(), "these tests need root");
        Self(to.display().to_string())
    }
}

impl Drop for Bind {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l", &self.0]).status();
    }
}

/// A pipe in place of the index has no end.
#[test]
fn a_pipe_as_index_does_not_hold_up_the_command() {
    let machine = Machine::start();
    let workspace =
        repository(&[("a.txt", "one\n"), (".gitignore", "b.txt\n"), ("b.txt", "b\n")], &["a.txt"]);
    let index = workspace.path(".git/index");
    fs::remove_file(&index).expect("an index");
    rustix::fs::mkfifoat(rustix::fs::CWD, &index, rustix::fs::Mode::RWXU).expect("a pipe");
    let output = enforce(&machine, &workspace, &[], "echo x > b.txt; cat a.txt");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "one\n", "{output:?}");
    assert_eq!(workspace.text("b.txt"), "b\n");
}

#[test]
fn a_mount_elsewhere_opens_nothing() {
    let machine = Machine::start();
    let files = [("a.txt", "one\n"), ("src/b.txt", "one\n"), ("target/x", ""), (".gitignore", "target\n")];
    let workspace = repository(&files, &["a.txt", "src/b.txt"]);
    let beside = workspace.outside("beside");
    fs::create_dir_all(beside.join("free")).expect("a folder");
    let (config, parent) = (machine.config_file(), workspace.root().parent().expect("a folder"));
    let mounts = [
        Bind::new(workspace.root(), &beside.join("all")),
        Bind::new(&workspace.path("src"), &beside.join("part")),
        Bind::new(&workspace.path("src"), &workspace.path("target/part")),
        Bind::new(config.parent().expect("a folder"), &beside.join("config")),
        Bind::new(parent, &machine.home().join("parent")),
    ];
    let home = machine.home();
    for path in [
        beside.join("all/a.txt"),
        beside.join("part/b.txt"),
        workspace.path("target/part/b.txt"),
        beside.join("config/config.toml"),
        home.join("parent/project/a.txt"),
    ] {
        let script = format!("echo x >> {}", path.display());
        let output = enforce(&machine, &workspace, &[], &script);
        assert_ne!(output.status.code(), Some(0), "{}: {output:?}", path.display());
    }
    let script = format!("echo x > {}/free/x && echo x > target/x", beside.display());
    assert_eq!(enforce(&machine, &workspace, &[], &script).status.code(), Some(0));
    drop(mounts);
    assert_eq!((workspace.text("a.txt"), workspace.text("src/b.txt")), ("one\n".into(), "one\n".into()));
}

#[test]
fn other_names_of_files_are_named_before_the_command_starts() {
    let machine = Machine::start();
    let workspace = repository(&[("a.txt", "one\n"), ("b.txt", "one\n")], &["a.txt", "b.txt"]);
    fs::hard_link(workspace.path("a.txt"), workspace.outside("link")).expect("a link");
    let output = enforce(&machine, &workspace, &[], "true");
    let shown = printed(&output);
    assert!(shown.contains("can write a.txt under other names (hard links)"), "{shown}");
    fs::hard_link(workspace.path("b.txt"), workspace.outside("more")).expect("a link");
    let shown = printed(&enforce(&machine, &workspace, &[], "true"));
    assert!(shown.contains("and 1 more"), "{shown}");
}

#[test]
fn the_repository_of_a_linked_work_tree_cannot_be_written() {
    let machine = Machine::start();
    let main = repository(&[("a.txt", "one\n"), ("beside/x", "")], &["a.txt"]);
    let linked = main.outside("linked");
    let script = format!(
        "git config user.email a@b && git config user.name a && git commit -qm one && git worktree add -q {}",
        linked.display()
    );
    let done = Command::new("sh").args(["-c", &script]).current_dir(main.root()).status().expect("git");
    assert!(done.success());
    let workspace = Workspace::at(&linked);
    let metadata = main.path(".git");
    for name in ["hooks/pre-commit", "worktrees/linked/index", "config", "new"] {
        let output = enforce(&machine, &workspace, &[], &format!("echo x > {}/{name}", metadata.display()));
        assert_ne!(output.status.code(), Some(0), "{name}: {output:?}");
    }
    let output = enforce(&machine, &workspace, &[], &format!("echo x > {}", main.absolute("beside/x")));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_variable_alone_restricts_nothing() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file(".env", "KEY=1\n"));
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": workspace.root(), "tool_name": "Write",
        "tool_use_id": "t", "tool_input": { "file_path": workspace.path(".env"), "content": "x" },
    });
    let mut command = machine.command(&["hook", "claude"]);
    command.env("EDITD_ENFORCED", "1");
    let output = assert_cmd::Command::from_std(command).write_stdin(event.to_string()).output();
    let answer = String::from_utf8_lossy(&output.expect("editd can be run").stdout).into_owned();
    assert!(answer.contains("\"deny\""), "a daemon is started, and refuses: {answer}");
}

/// Returns a command of editd that can gain no privileges, as in some containers.
fn without_privileges(machine: &Machine, arguments: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--no-new-privs", env!("CARGO_BIN_EXE_editd")]).args(arguments);
    command.envs(machine.surroundings()).current_dir(machine.home());
    command
}

#[test]
fn refusals_where_no_program_can_gain_privileges_say_what_to_do() {
    let (machine, workspace) = (Machine::start(), repository(&[("a.txt", "one\n")], &["a.txt"]));
    let said = |command: &mut Command| {
        let output = command.output().expect("setpriv");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (done, _) = said(&mut without_privileges(&machine, &["review"]));
    assert!(done, "nothing is restricted on this system");
    let (done, why) = said(without_privileges(&machine, &["review"]).env("EDITD_ENFORCED", "1"));
    assert!(!done && why.contains("unset EDITD_ENFORCED"), "{why}");
    assert!(enforce(&machine, &workspace, &[], "true").status.success());
    let (done, why) = said(&mut without_privileges(&machine, &["review"]));
    assert!(!done && why.contains("at a terminal outside of that"), "{why}");
    assert!(machine.run(&["review"]).status.success());
}

/// A project can set the variable in the settings of an agent program.
#[test]
fn hooks_that_may_start_no_daemon_refuse_edits() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": workspace.root(), "tool_name": "Write",
        "tool_use_id": "t", "tool_input": { "file_path": workspace.absolute("b.txt"), "content": "x" },
    });
    let mut command = without_privileges(&machine, &["hook", "claude"]);
    command.env("EDITD_ENFORCED", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut hook = command.spawn().expect("setpriv");
    hook.stdin.take().expect("input").write_all(event.to_string().as_bytes()).expect("the event is read");
    let output = hook.wait_with_output().expect("an answer");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default();
    assert!(reason.contains("unset EDITD_ENFORCED"), "{output:?}");
}
