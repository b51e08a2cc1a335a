//! Review in a real Helix, which has no plugins.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Tmux, Workspace, eventually, installed};

pub(super) struct Scene {
    machine: Machine,
    workspace: Workspace,
    pub(super) helix: Tmux,
}

impl Scene {
    /// Starts Helix with `a.txt` open. `config` contains the user's settings for editd, in TOML.
    pub(super) fn start(review: &str, config: &str) -> Self {
        let machine = Machine::configured(&format!("review = \"{review}\"\n"));
        let workspace = Workspace::file("a.txt", "one\ntwo\nthree\nfour\nfive\n");
        // Without a repository, Helix sends no workspace folder.
        fs::create_dir(workspace.path(".git")).expect("a folder");
        let folder = machine.home().join(".config/helix");
        fs::create_dir_all(&folder).expect("a folder");
        let languages = format!(
            "[language-server.editd]\ncommand = {:?}\nargs = [\"lsp\"]\nconfig = {config}\n\n\
             [[language]]\nname = \"notes\"\nscope = \"text.notes\"\nfile-types = [\"txt\"]\n\
             language-servers = [\"editd\"]\n",
            env!("CARGO_BIN_EXE_editd"),
        );
        fs::write(folder.join("languages.toml"), languages).expect("a configuration");
        // The default since Helix 25.07.
        fs::write(folder.join("config.toml"), "[editor]\nend-of-line-diagnostics = \"hint\"\n")
            .expect("a setting");
        let program = installed("hx");
        let helix = Tmux::start(&machine, workspace.root(), &[program.to_str().expect("text"), "a.txt"]);
        helix.sees("five");
        let scene = Self { machine, workspace, helix };
        scene.until_sessions(1);
        scene
    }

    /// Waits until Helix has a session, in addition to the session that queries the status.
    fn until_sessions(&self, count: u64) {
        let mut agent = self.machine.agent_named("agent", &self.workspace);
        eventually("Helix to be connected", || {
            (agent.call("editd/status", json!({})).done()["sessions"] == count + 1).then_some(())
        });
    }

    fn agent(&self) -> Agent {
        self.machine.agent_named("ada", &self.workspace)
    }

    pub(super) fn propose(&self) -> (Agent, Value) {
        let mut agent = self.agent();
        agent.read("a.txt");
        let change = json!({ "path": "a.txt", "label": "Digits", "edits": [
            { "oldText": "two", "newText": "2" }, { "oldText": "five", "newText": "5" } ] });
        let pending = agent.call("editd/edit", change).done();
        assert_eq!(pending["state"], "pending", "{pending}");
        self.helix.sees("ada proposes 2 changes in a.txt (Digits)");
        (agent, pending)
    }

    /// Types `text` in front of `rest`, a key at a time: Helix 25.01 sends the changes of keys that
    /// arrive together in any order.
    fn types(&self, text: &str, rest: &str) {
        for (start, key) in text.char_indices() {
            self.helix.keys(&["-l", &key.to_string()]);
            self.helix.sees(&format!("{}{key}{rest}", &text[..start]));
        }
    }

    /// Leaves insert mode. A key that arrived with the escape would be taken for one with Alt.
    fn ends_insertion(&self) {
        self.helix.keys(&["Escape"]);
        self.helix.sees(" NOR ");
    }

    /// Opens the menu of code actions and chooses the one `below` lines below the first.
    pub(super) fn choose(&self, below: usize, title: &str) {
        self.helix.keys(&["Space", "a"]);
        self.helix.sees(title);
        self.helix.keys(&[&vec!["Down"; below][..], &["Enter"]].concat());
        self.helix.sees_no(title);
    }
}

#[test]
fn an_agent_reads_and_edits_the_buffer() {
    let scene = Scene::start("off", "{}");
    scene.helix.keys(&["i"]);
    scene.types("typed ", "one");
    scene.ends_insertion();
    let mut agent = scene.agent();
    let read = eventually("the typed text", || {
        let read = agent.read("a.txt");
        (read["source"] == "editor").then_some(read)
    });
    assert_eq!(read["text"], "typed one\ntwo\nthree\nfour\nfive\n");
    let done = agent.edit("a.txt", "three", "3\n3 and a half").done();
    scene.helix.sees("3 and a half");
    assert_eq!(done["files"][0]["source"], "editor");
    assert!(scene.workspace.text("a.txt").starts_with("one\ntwo\nthree\n"), "it is not saved");
    scene.helix.keys(&["u"]);
    scene.helix.sees("three");
    scene.helix.sees("typed one");
    scene.helix.keys(&[":w", "Enter"]);
    eventually("the text to be saved", || {
        // While Helix saves, it renames the file for a moment.
        let saved = fs::read_to_string(scene.workspace.path("a.txt")).unwrap_or_default();
        saved.starts_with("typed one").then_some(())
    });
}

#[test]
fn hunks_are_accepted_and_rejected_by_code_actions() {
    let scene = Scene::start("auto", "{ editd = { review = true } }");
    let (mut agent, pending) = scene.propose();
    scene.helix.sees("ada wants this instead (Digits):");
    scene.helix.keys(&["g", "g", "j"]);
    scene.choose(0, "accept this change (ada: Digits)");
    eventually("the decision", || {
        let now = agent.call("editd/proposal", json!({ "id": pending["id"] })).done();
        (now["revision"] == 2).then_some(())
    });
    assert!(scene.helix.screen().contains("two"), "nothing is applied before all hunks are decided");
    scene.helix.keys(&["g", "e"]);
    scene.choose(1, "reject this change (ada: Digits)");
    scene.helix.sees_no("two");
    eventually("the decision", || (agent.state_of(&pending) == "partial").then_some(()));
    assert_eq!(agent.read("a.txt")["text"], "one\n2\nthree\nfour\nfive\n");
    scene.helix.sees_no("ada wants");
}

#[test]
fn all_changes_of_a_file_are_accepted_after_typing() {
    let scene = Scene::start("auto", "{ editd = { review = true } }");
    let (mut agent, pending) = scene.propose();
    scene.helix.keys(&["g", "g", "O"]);
    scene.types("zero", "");
    scene.ends_insertion();
    scene.choose(0, "accept all 2 changes in this file");
    eventually("the decision", || (agent.state_of(&pending) == "applied").then_some(()));
    assert_eq!(agent.read("a.txt")["text"], "zero\none\n2\nthree\nfour\n5\n");
    scene.helix.sees_no("two");
}
