//! An agent: a client of `agent.sock`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use serde_json::{Value, json};

use super::wire::{Arrival, Framing, Wire};
use super::{Answer, Machine, Outcome, PATIENCE, RpcError};

pub(crate) struct Agent {
    wire: Wire,
    last_id: u64,
    answers: HashMap<u64, Answer>,
    notifications: VecDeque<Value>,
}

impl Agent {
    /// Connects without sending `initialize`.
    pub(crate) fn connect(machine: &Machine, framing: Framing) -> Self {
        Self::over(Wire::connect(&machine.agent_socket(), framing))
    }

    /// Uses an existing connection to the daemon.
    pub(crate) fn over(wire: Wire) -> Self {
        Self { wire, last_id: 0, answers: HashMap::new(), notifications: VecDeque::new() }
    }

    pub(crate) fn initialize(&mut self, params: Value) -> Answer {
        let answer = self.call("initialize", params);
        if answer.is_ok() {
            self.notify("initialized", json!({}));
        }
        answer
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Answer {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Connects to `editor.sock` without sending `initialize`.
    pub(crate) fn connect_as_editor(machine: &Machine) -> Self {
        Self::over(Wire::connect(&machine.editor_socket(), Framing::Lines))
    }

    /// Sends a request without waiting. [`Agent::answer`] returns its answer.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        let message = self.request(method, params);
        self.wire.send(&message);
        self.last_id
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method });
        message["params"] = params;
        message
    }

    /// Calls a method. Returns `None` if the daemon exits before it answers, possibly before the request is
    /// sent.
    pub(crate) fn call_or_end(&mut self, method: &str, params: Value) -> Option<Answer> {
        let message = self.request(method, params);
        // If the daemon has exited, reading the answer reports the end of the connection.
        let _ = self.wire.try_send(&message);
        self.answer_or_end(self.last_id)
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        self.wire.send(&message);
    }

    pub(crate) fn answer(&mut self, id: u64) -> Answer {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            self.take_one(deadline, &format!("an answer to request {id}"));
        }
    }

    /// Waits for an answer. Returns `None` if the connection ends first.
    pub(crate) fn answer_or_end(&mut self, id: u64) -> Option<Answer> {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return Some(answer);
            }
            match self.wire.arrival(PATIENCE) {
                Arrival::Message(message) => self.file(message),
                Arrival::Closed => return None,
                Arrival::Nothing => panic!("waited {PATIENCE:?} for an answer to request {id} or an end"),
            }
        }
    }

    /// Waits until the daemon closes the connection.
    pub(crate) fn until_closed(&mut self) {
        self.wire.until_closed();
    }

    /// Waits for the first notification of this method about this file, and removes it from the queue.
    pub(crate) fn told(&mut self, method: &str, name: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let about = |told: &Value| {
                told["method"] == method
                    && told["params"]["path"].as_str().is_some_and(|path| path.ends_with(name))
            };
            if let Some(at) = self.notifications.iter().position(about) {
                let told = self.notifications.remove(at).expect("it was just found");
                return told["params"].clone();
            }
            self.take_one(deadline, &format!("{method} about {name}"));
        }
    }

    /// Waits for the first `editd/proposalChanged` of this proposal, and removes it from the queue.
    pub(crate) fn proposal_notification(&mut self, proposal: &Value) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let about = |told: &Value| {
                told["method"] == "editd/proposalChanged" && told["params"]["id"] == proposal["id"]
            };
            if let Some(at) = self.notifications.iter().position(about) {
                let told = self.notifications.remove(at).expect("it was just found");
                return told["params"].clone();
            }
            self.take_one(deadline, "a change of a proposal");
        }
    }

    /// Returns all queued notifications. Waits for a round trip first, so that all notifications sent before
    /// it have arrived.
    pub(crate) fn told_so_far(&mut self) -> Vec<Value> {
        self.call("editd/status", json!({})).done();
        self.notifications.iter().cloned().collect()
    }

    pub(crate) fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    fn take_one(&mut self, deadline: Instant, what: &str) {
        match self.wire.arrival(deadline.saturating_duration_since(Instant::now())) {
            Arrival::Message(message) => self.file(message),
            Arrival::Closed => panic!("the daemon closed the connection before {what}"),
            Arrival::Nothing => panic!("waited {PATIENCE:?} for {what}"),
        }
    }

    fn file(&mut self, message: Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let id = message["id"].as_u64();
        if message.get("method").is_some() {
            if message.get("id").is_some() {
                self.wire.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
            } else {
                self.notifications.push_back(message);
            }
            return;
        }
        let id = id.unwrap_or_else(|| panic!("an answer without a request: {message}"));
        assert_ne!(
            message.get("error").is_some(),
            message.get("result").is_some(),
            "either a result or an error: {message}"
        );
        let answer = match message.get("error") {
            Some(error) => Err(RpcError::from_wire(error)),
            None => Ok(message["result"].clone()),
        };
        assert!(self.answers.insert(id, answer).is_none(), "two answers to request {id}");
    }
}

/// Common requests.
impl Agent {
    pub(crate) fn try_read(&mut self, path: &str) -> Answer {
        self.call("editd/read", json!({ "path": path }))
    }

    #[track_caller]
    pub(crate) fn read(&mut self, path: &str) -> Value {
        self.try_read(path).done()
    }

    pub(crate) fn read_all(&mut self, paths: &[&str]) {
        for path in paths {
            self.read(path);
        }
    }

    pub(crate) fn edit(&mut self, path: &str, old: &str, new: &str) -> Answer {
        self.call("editd/edit", json!({ "path": path, "oldText": old, "newText": new }))
    }

    /// Reads the file before the edit, so that the edit is neither unread nor stale.
    pub(crate) fn read_and_edit(&mut self, path: &str, old: &str, new: &str) -> Answer {
        self.read(path);
        self.edit(path, old, new)
    }

    /// Sends one change and applies it immediately.
    pub(crate) fn change(&mut self, change: Value) -> Answer {
        self.changes(vec![change])
    }

    pub(crate) fn changes(&mut self, changes: Vec<Value>) -> Answer {
        let mut params = json!({});
        params["changes"] = Value::Array(changes);
        self.call("editd/edit", params)
    }

    /// Returns the hashes of all rescued texts: those that a concurrent change replaced and the daemon
    /// preserved.
    pub(crate) fn kept(&mut self) -> HashSet<String> {
        let (mut kept, mut before) = (HashSet::new(), Value::Null);
        loop {
            let mut params = json!({ "limit": 100 });
            if !before.is_null() {
                params["before"] = before;
            }
            let told = self.call("editd/history", params).done();
            let page = told["transactions"].as_array().expect("transactions");
            let rescued = page.iter().filter(|one| one["rescued"] == true);
            kept.extend(rescued.filter_map(|one| Some(one["files"][0]["hashBefore"].as_str()?.to_owned())));
            let Some(last) = page.last() else { return kept };
            before = last["transaction"].clone();
        }
    }

    pub(crate) fn propose(&mut self, path: &str, old: &str, new: &str) -> Answer {
        self.call("editd/propose", json!({ "path": path, "oldText": old, "newText": new }))
    }

    pub(crate) fn apply(&mut self, proposal: &Value) -> Answer {
        self.call("editd/apply", json!({ "id": proposal["id"] }))
    }

    /// Undoes the newest change.
    pub(crate) fn undo(&mut self) -> Answer {
        self.call("editd/undo", json!({}))
    }

    /// Undoes the change of an answer.
    pub(crate) fn undo_this(&mut self, done: &Value) -> Answer {
        self.call("editd/undo", json!({ "transaction": done["transaction"] }))
    }

    /// Returns all transactions, newest first.
    #[track_caller]
    pub(crate) fn history(&mut self) -> Vec<Value> {
        let history = self.call("editd/history", json!({ "limit": 1000 })).done();
        history["transactions"].as_array().expect("a list").clone()
    }

    #[track_caller]
    pub(crate) fn state_of(&mut self, proposal: &Value) -> String {
        let now = self.call("editd/proposal", json!({ "id": proposal["id"] })).done();
        now["state"].as_str().unwrap_or_else(|| panic!("no state in {now}")).to_owned()
    }
}
