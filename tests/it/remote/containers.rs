//! Programs in containers: in another mount namespace, in which the project has another path.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{
    Agent, Arrival, Bridge, Framing, Machine, Mcp, Outcome, PATIENCE, Workspace, eventually, need_root,
    text_of,
};

/// Mounts the project at its path in the container, and hides its own path. Then runs a command.
const ENTER: &str = r#"
    mount --make-rprivate / && mount --bind "$1" "$2" && mount -t tmpfs none "$1" && cd "$2" && shift 2 && exec "$@"
"#;

/// A machine, and a container that has its sockets and the project.
struct Container {
    machine: Machine,
    workspace: Workspace,
    /// Path of the project in the container.
    inside: PathBuf,
}

impl Container {
    fn new(files: &[(&str, &str)]) -> Self {
        Self::configured("review = \"off\"", files)
    }

    fn configured(config: &str, files: &[(&str, &str)]) -> Self {
        need_root();
        let (mut machine, workspace) = (Machine::asleep(""), Workspace::with(files));
        let inside = machine.home().join("work");
        fs::create_dir(&inside).expect("a folder");
        let map = format!(
            "{config}\n[[maps]]\ninside = {:?}\noutside = {:?}\n",
            text_of(&inside),
            text_of(workspace.root())
        );
        machine.write_config(&map);
        machine.serve();
        Self { machine, workspace, inside }
    }

    /// Returns the command that runs editd in the container.
    fn command(&self, arguments: &[&str]) -> Command {
        let plain = self.machine.command(arguments);
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", ENTER, "sh"]).arg(self.workspace.root()).arg(&self.inside);
        command.arg(plain.get_program()).args(plain.get_args()).envs(self.machine.surroundings());
        command
    }

    /// Runs editd in the container. The output names no path outside.
    fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output().expect("unshare can be run");
        for text in [&output.stdout, &output.stderr] {
            self.names_no_path_outside(&String::from_utf8_lossy(text));
        }
        output
    }

    #[track_caller]
    fn names_no_path_outside(&self, text: &str) {
        assert!(!text.contains(text_of(self.workspace.root())), "a path outside: {text}");
    }

    /// Starts an editor in the container, with the project as its folder.
    fn editor(&self, capabilities: &Value) -> Agent {
        let mut editor = Bridge::of(self.command(&["lsp"]), Framing::Headers).editor;
        let folder = json!({ "uri": format!("file://{}", text_of(&self.inside)), "name": "work" });
        let session = json!({
            "clientInfo": { "name": "person" }, "workspaceFolders": [folder], "capabilities": capabilities,
        });
        editor.initialize(session).done();
        editor
    }

    fn path(&self, name: &str) -> String {
        text_of(&self.inside.join(name)).to_owned()
    }
}

#[test]
fn commands_in_a_container_change_files_outside() {
    let container = Container::new(&[("src/a.txt", "one\n")]);
    let path = container.path("src/a.txt");
    let output = container.run(&["edit", &path, "--old", "one", "--new", "two", "--yes", "--output", "json"]);
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["files"][0]["path"], *path);
    assert_eq!(container.workspace.text("src/a.txt"), "two\n");

    let log = container.run(&["log", "--output", "json"]);
    assert!(String::from_utf8_lossy(&log.stdout).contains(&path), "{log:?}");
    let mut outside = container.machine.command(&["log", "--output", "json"]);
    let outside = outside.current_dir(container.workspace.root()).output().expect("editd can be run");
    let path = container.workspace.absolute("src/a.txt");
    assert!(String::from_utf8_lossy(&outside.stdout).contains(&path), "{outside:?}");
    assert!(container.run(&["undo", "--yes"]).status.success());
    assert_eq!(container.workspace.text("src/a.txt"), "one\n");
}

#[test]
fn agents_in_a_container_see_its_paths_only() {
    let container = Container::new(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let mut mcp = Mcp::of(container.command(&["mcp"]));
    mcp.introduce("2025-06-18", json!({}));
    let path = container.path("a.txt");
    let refused = mcp.call("edit", json!({ "path": path, "edits": [{ "oldText": "one", "newText": "1" }] }));
    container.names_no_path_outside(&refused.clone().refused("unread").text);
    assert_eq!(mcp.call("read", json!({ "path": path })).done().content(), "one\n");
    mcp.call("edit", json!({ "path": path, "edits": [{ "oldText": "one", "newText": "1" }] })).done();
    assert_eq!(container.workspace.text("a.txt"), "1\n");
    for (tool, arguments) in [
        ("find", json!({ "query": "b" })),
        ("search", json!({ "pattern": "two" })),
        ("read", json!({ "path": "/etc/hostname" })),
        ("read", json!({ "path": container.workspace.absolute("b.txt") })),
    ] {
        let called = mcp.call(tool, arguments.clone());
        // What it has sent itself may come back.
        let sent = arguments.to_string();
        if !sent.contains(text_of(container.workspace.root())) {
            container.names_no_path_outside(&called.text);
            container.names_no_path_outside(&called.data.to_string());
        }
    }
}

#[test]
fn what_a_command_in_a_container_changes_is_recorded() {
    let container = Container::new(&[("a.txt", "one\n")]);
    let output = container.run(&["run", "--", "sh", "-c", "echo two >> a.txt"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(container.workspace.text("a.txt"), "one\ntwo\n");
    assert!(container.run(&["undo", "--yes"]).status.success());
    assert_eq!(container.workspace.text("a.txt"), "one\n");
}

#[test]
fn an_editor_in_a_container_lends_its_buffers() {
    let container = Container::new(&[("a.txt", "one\n")]);
    let mut editor = container.editor(&json!({
        "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
    }));
    let uri = format!("file://{}", container.path("a.txt"));
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "unsaved\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));

    let mut agent = container.machine.agent(&container.workspace);
    eventually("the unsaved text", || (agent.read("a.txt")["text"] == "unsaved\n").then_some(()));
    let path = container.workspace.absolute("a.txt");
    let edit = agent.send(
        "editd/edit",
        json!({ "changes": [{ "kind": "edit", "path": path, "edits": [{ "oldText": "unsaved", "newText": "edited" }] }] }),
    );
    let asked = loop {
        match editor.wire().arrival(PATIENCE) {
            Arrival::Message(message) if message["method"] == "workspace/applyEdit" => break message,
            Arrival::Message(_) => {}
            _ => panic!("the editor is not asked: {:?}", agent.answer(edit)),
        }
    };
    container.names_no_path_outside(&asked.to_string());
    assert_eq!(asked["params"]["edit"]["documentChanges"][0]["textDocument"]["uri"], *uri);
}

#[test]
fn an_editor_in_a_container_reviews_both_sides_and_corrects_one() {
    let container = Container::configured("review = \"auto\"", &[("a b.txt", "one\n")]);
    let mut editor = container.editor(&json!({ "experimental": { "editd": { "review": true } } }));
    let mut agent = container.machine.agent(&container.workspace);
    agent.read("a b.txt");
    let proposal = agent.edit("a b.txt", "one", "two").done();
    assert_eq!(proposal["state"], "pending", "{proposal}");

    let seen = editor.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    container.names_no_path_outside(&seen.to_string());
    let path = seen["files"][0]["path"].as_str().expect("a path").to_owned();
    assert_eq!(path, container.path("a b.txt"));
    let mut side = |which: &str| {
        let id = proposal["id"].as_str().expect("an id");
        let uri = format!("editd:///{id}/{which}{}", path.replace(' ', "%20"));
        editor.call("workspace/textDocumentContent", json!({ "uri": uri })).done()
    };
    assert_eq!(side("base")["text"], "one\n");
    let proposed = side("proposed");
    assert_eq!(proposed["text"], "two\n");

    let correction = json!({ "path": path, "baseHash": proposed["hash"], "content": "three\n" });
    let decision = json!({ "id": proposal["id"], "revision": seen["revision"], "replace": [correction] });
    let decided = editor.call("editd/decide", decision).done();
    container.names_no_path_outside(&decided.to_string());
    assert_eq!(container.workspace.text("a b.txt"), "three\n");
}

#[test]
fn without_a_map_the_refusal_tells_about_maps() {
    let container = Container::new(&[("a.txt", "one\n")]);
    container.machine.write_config("review = \"off\"\n");
    container.machine.terminate();
    let mut container = container;
    container.machine.until_ended();
    container.machine.serve();
    let output = container.command(&["read", &container.path("a.txt")]).output().expect("unshare can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("maps"), "{output:?}");
}
