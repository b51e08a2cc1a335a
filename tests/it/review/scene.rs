//! A workspace with an agent and an editor that reviews.

use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Outcome, Workspace};

pub(super) struct Scene {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    pub(super) agent: Agent,
    pub(super) editor: Agent,
}

/// Opens an editor session in `workspace` that reviews agents' changes.
pub(crate) fn reviewer(machine: &Machine, workspace: &Workspace) -> Agent {
    let mut session = workspace.session("person");
    session["capabilities"] = json!({ "experimental": { "editd": { "review": true } } });
    let mut editor = Agent::connect_as_editor(machine);
    editor.initialize(session).done();
    editor
}

impl Scene {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        Self::configured("review = \"auto\"\n", files)
    }

    pub(super) fn configured(config: &str, files: &[(&str, &str)]) -> Self {
        let (machine, workspace) = (Machine::configured(config), Workspace::with(files));
        let (agent, editor) = (machine.agent(&workspace), reviewer(&machine, &workspace));
        Self { machine, workspace, agent, editor }
    }

    /// A file with `line 1` to `line 40`, and a proposal to capitalize lines 3, 20 and 37.
    pub(super) fn three_hunks() -> (Self, Value) {
        let mut scene = Self::new(&[("a.txt", &crate::support::numbered_lines(40))]);
        scene.agent.read("a.txt");
        let edit = |number: u32| json!({ "oldText": format!("line {number}\n"), "newText": format!("LINE {number}\n") });
        let edits = json!([edit(3), edit(20), edit(37)]);
        let proposal = scene.agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
        assert_eq!(proposal["state"], "pending", "{proposal:#}");
        (scene, proposal)
    }

    /// Returns the current proposal, as sent to the editor.
    #[track_caller]
    pub(super) fn fetch(&mut self, proposal: &Value) -> Value {
        self.editor.call("editd/proposal", json!({ "id": proposal["id"] })).done()
    }

    /// Decides on the current revision.
    pub(super) fn decide(&mut self, proposal: &Value, decision: Value) -> Answer {
        let revision = self.fetch(proposal)["revision"].clone();
        self.decide_on(proposal, &revision, decision)
    }

    pub(super) fn decide_on(&mut self, proposal: &Value, revision: &Value, mut decision: Value) -> Answer {
        decision["id"] = proposal["id"].clone();
        decision["revision"] = revision.clone();
        self.editor.call("editd/decide", decision)
    }

    /// Returns the outcome, as sent to the agent.
    pub(super) fn outcome(&mut self, proposal: &Value) -> Answer {
        self.agent.call("editd/apply", json!({ "id": proposal["id"] }))
    }
}

/// Returns the states of all hunks.
pub(super) fn states(answer: &Value) -> Vec<&str> {
    let files = answer["files"].as_array().expect("files");
    let hunks = files.iter().flat_map(|file| file["hunks"].as_array().expect("hunks"));
    hunks.map(|hunk| hunk["state"].as_str().expect("a state")).collect()
}

/// Returns the ids of all hunks.
pub(super) fn hunk_ids(answer: &Value) -> Vec<&str> {
    let files = answer["files"].as_array().expect("files");
    let hunks = files.iter().flat_map(|file| file["hunks"].as_array().expect("hunks"));
    hunks.map(|hunk| hunk["id"].as_str().expect("an id")).collect()
}
