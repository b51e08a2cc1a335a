//! Review in a real Neovim without the editd plugin, with `vim.lsp.start` only.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Tmux, Workspace, eventually, installed};

struct Scene {
    machine: Machine,
    workspace: Workspace,
    nvim: Tmux,
}

impl Scene {
    /// Starts Neovim with `a.txt` open. `options` contains the user's settings for editd, in Lua.
    fn start(review: &str, options: &str) -> Self {
        let machine = Machine::configured(&format!("review = \"{review}\"\n"));
        let workspace = Workspace::file("a.txt", "one\ntwo\nthree\nfour\nfive\n");
        let init = machine.home().join("init.lua");
        let lua = format!(
            // Neovim 0.11 shows each message of a server on two lines, and asks for a key if there is only one.
            "vim.o.swapfile = false\n\
             vim.o.cmdheight = 2\n\
             vim.diagnostic.config({{ virtual_text = true }})\n\
             vim.api.nvim_create_autocmd('BufReadPost', {{ callback = function(event)\n\
               vim.lsp.start({{ name = 'editd', cmd = {{ {:?}, 'lsp' }}, init_options = {options},\n\
                 root_dir = {:?} }}, {{ bufnr = event.buf }})\n\
             end }})\n",
            env!("CARGO_BIN_EXE_editd"),
            workspace.root().display().to_string(),
        );
        fs::write(&init, lua).expect("a configuration");
        let program = installed("nvim");
        let command =
            [program.to_str(), Some("-u"), init.to_str(), Some("a.txt")].map(|word| word.expect("text"));
        let nvim = Tmux::start(&machine, workspace.root(), &command);
        nvim.sees("five");
        let scene = Self { machine, workspace, nvim };
        let mut agent = scene.agent();
        eventually("Neovim to be connected", || {
            (agent.call("editd/status", json!({})).done()["sessions"] == 2).then_some(())
        });
        scene
    }

    fn agent(&self) -> Agent {
        self.machine.agent_named("ada", &self.workspace)
    }

    /// Proposes two changes, and waits until Neovim shows them. It shows its message about them first, which would
    /// interrupt a choice.
    fn propose(&self) -> (Agent, Value) {
        let mut agent = self.agent();
        agent.read("a.txt");
        let change = json!({ "path": "a.txt", "label": "Digits", "edits": [
            { "oldText": "two", "newText": "2" }, { "oldText": "five", "newText": "5" } ] });
        let pending = agent.call("editd/edit", change).done();
        assert_eq!(pending["state"], "pending", "{pending}");
        self.nvim.sees("ada wants this instead (Digits)");
        (agent, pending)
    }

    /// Opens the list of code actions at a line and chooses the one with the title.
    fn choose(&self, line: usize, title: &str) {
        self.nvim.keys(&[&format!(":{line}"), "Enter", ":lua vim.lsp.buf.code_action()", "Enter"]);
        let screen = self.nvim.sees(title);
        let entry = screen.lines().find(|line| line.contains(title)).expect("it was just seen");
        let number = entry.trim_start().split(':').next().expect("its number").to_owned();
        self.nvim.keys(&[&number, "Enter"]);
    }
}

#[test]
fn an_agent_reads_and_edits_the_buffer() {
    let scene = Scene::start("off", "{}");
    scene.nvim.keys(&["i", "typed ", "Escape"]);
    scene.nvim.sees("typed one");
    let mut agent = scene.agent();
    let read = eventually("the typed text", || {
        let read = agent.read("a.txt");
        (read["source"] == "editor").then_some(read)
    });
    assert_eq!(read["text"], "typed one\ntwo\nthree\nfour\nfive\n");
    agent.edit("a.txt", "three", "3\n3 and a half").done();
    scene.nvim.sees("3 and a half");
    assert!(scene.workspace.text("a.txt").starts_with("one\ntwo\nthree\n"), "it is not saved");
    scene.nvim.keys(&[":w", "Enter"]);
    eventually("the text to be saved", || {
        // While Neovim saves, it renames the file for a moment.
        let saved = fs::read_to_string(scene.workspace.path("a.txt")).unwrap_or_default();
        saved.starts_with("typed one\ntwo\n3\n3 and").then_some(())
    });
}

#[test]
fn hunks_are_accepted_and_rejected_by_code_actions() {
    let scene = Scene::start("auto", "{ editd = { review = true } }");
    let (mut agent, pending) = scene.propose();
    scene.choose(2, "editd: accept this change (ada: Digits)");
    eventually("the decision", || {
        let now = agent.call("editd/proposal", json!({ "id": pending["id"] })).done();
        (now["revision"] == 2).then_some(())
    });
    scene.choose(5, "editd: reject this change (ada: Digits)");
    eventually("the decision", || (agent.state_of(&pending) == "partial").then_some(()));
    assert_eq!(agent.read("a.txt")["text"], "one\n2\nthree\nfour\nfive\n");
    scene.nvim.sees_no("two");
    scene.nvim.sees_no("ada wants");
}

#[test]
fn accepting_a_proposal_names_the_file_that_is_not_open() {
    let scene = Scene::start("auto", "{ editd = { review = true } }");
    let mut agent = scene.agent();
    agent.read("a.txt");
    let edit = json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "two", "newText": "2" }] });
    let create = json!({ "kind": "write", "path": "b.txt", "content": "new\n" });
    let pending = agent.changes(vec![edit, create]).done();
    scene.nvim.sees("ada wants this instead");
    scene.choose(3, "editd: accept all 2 changes in 2 files: this one and b.txt (ada)");
    eventually("the decision", || (agent.state_of(&pending) == "applied").then_some(()));
    assert_eq!(scene.workspace.text("b.txt"), "new\n");
}

#[test]
fn the_next_change_and_its_diff_are_shown() {
    let scene = Scene::start("auto", "{ editd = { review = true } }");
    scene.propose();
    scene.choose(3, "editd: go to the next change");
    scene.nvim.sees("5,1 ");
    scene.choose(1, "editd: show the diff (ada: Digits)");
    let screen = scene.nvim.sees("-two");
    assert!(screen.contains("+2"), "{screen}");
}
