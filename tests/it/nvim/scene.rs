//! A file under review in a real Neovim.

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Nvim, Outcome, Workspace, eventually};

pub(super) const CART: &str = "from decimal import Decimal\n\ndef total(items):\n    sum = 0\n    for item in items:\n        sum += item.price\n    return sum\n";
pub(super) const BETTER: &str = "from decimal import Decimal\n\ndef total(items):\n    amount = Decimal(0)\n    for item in items:\n        amount += item.price\n    return amount\n";

/// A file under review in an editor.
pub(super) struct Scene {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    pub(super) nvim: Nvim,
    pub(super) agent: Agent,
    pub(super) id: String,
}

impl Scene {
    /// A proposal with two hunks: line 4, and lines 6 and 7.
    pub(super) fn start() -> Self {
        let mut scene = Self::without_proposal();
        scene.propose(&json!([{ "kind": "write", "path": "cart.py", "content": BETTER }]));
        scene
    }

    pub(super) fn without_proposal() -> Self {
        let (machine, workspace) =
            (Machine::configured("review = \"auto\"\n"), Workspace::file("cart.py", CART));
        let nvim = Nvim::with_options(&machine, "keymaps = true", &[workspace.path("cart.py")]);
        let mut agent = machine.agent_named("ada", &workspace);
        agent.read("cart.py");
        Self { machine, workspace, nvim, agent, id: String::new() }
    }

    pub(super) fn propose(&mut self, changes: &Value) {
        let answer = self.agent.call("editd/edit", json!({ "label": "Clearer", "changes": changes })).done();
        assert_eq!(answer["state"], "pending", "{answer}");
        answer["id"].as_str().expect("an id").clone_into(&mut self.id);
        // Wait for this message: if it arrived later, it would cover text that a test waits for.
        self.nvim.sees("editd: ada: Clearer (");
    }

    /// Waits until the proposal is decided, and returns the answer that its author receives.
    pub(super) fn outcome(&mut self) -> Value {
        let id = json!({ "id": self.id });
        eventually("the proposal to be decided", || {
            let answer = self.agent.call("editd/proposal", id.clone()).done();
            (answer["state"] != "pending").then_some(answer)
        })
    }

    pub(super) fn decide(&mut self, keys: &str, state: &str) {
        self.nvim.keys(keys);
        self.nvim.sees(state);
    }

    /// Asserts that the lines with these texts have different colors.
    #[track_caller]
    pub(super) fn differ(&mut self, texts: [&str; 3]) {
        let attributes = texts.map(|text| {
            let (row, _) = self.nvim.position_of(text);
            self.nvim.attribute_at((row, 5))
        });
        assert!(
            attributes[0] != attributes[2]
                && attributes[1] != attributes[2]
                && attributes[0] != attributes[1],
            "{attributes:?}"
        );
    }
}
