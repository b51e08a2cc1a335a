//! A simulated editor: speaks LSP on `editor.sock`, manages its own documents, and behaves like a real editor
//! or misbehaves as a test requires. Validates the daemon's requests more strictly than real editors do.

mod document;
mod state;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::wire::{Arrival, Framing, Wire};
use super::{Chance, Machine, Workspace, eventually, uri_of};

pub(crate) use document::Document;
use document::Encoding;

/// Behavior of the editor, mainly for requests to apply edits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Manner {
    /// Applies the edits and reports them correctly.
    Honest,
    /// Answers that nothing was applied.
    Refuses,
    /// Applies the edits, undoes them, and answers that nothing was applied.
    TakesBack,
    /// Answers that the edits were applied, but applies nothing.
    Lies,
    /// Answers that the edits were applied, but applies something else.
    Garbles,
    /// Applies and answers after this delay.
    Late(Duration),
    /// Applies after this delay and does not answer.
    LateWithoutAWord(Duration),
    /// Applies this request and refuses all later ones.
    OnlyOnce,
    /// Disconnects upon the request.
    Dies,
    /// The user types this text at the start of the document just before the edit.
    TypesBefore(&'static str),
    /// The user types this text at the end of the document just after the edit.
    TypesAfter(&'static str),
    /// Like `TypesAfter`, but one notification reports both changes.
    TypesAlong(&'static str),
    /// The user saves the document just after the edit.
    SavesAfter,
    /// The user saves the document just after the edit, and the connection ends before the answer.
    DiesAfterSaving,
    /// Like `DiesAfterSaving`, but the editor still waits for the answer to a request about the document.
    ListensAfterSaving,
    /// The user saves and closes the document just after the edit.
    ClosesAfter,
    /// The user saves, closes and opens the document just after the edit.
    ReopensAfter,
    /// Applies the edits of the first document only.
    AppliesFirst,
    /// A formatter appends this text on save.
    Formats(&'static str),
    /// Saving fails.
    CannotSave,
}

/// Capabilities that the editor announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An editor with editd's plugin.
    Plugin,
    /// Any LSP editor.
    Plain,
    /// An LSP editor that cannot apply edits.
    Poor,
}

pub(crate) struct Editor {
    state: Arc<Mutex<State>>,
    reader: Option<JoinHandle<()>>,
    name: String,
}

struct State {
    writer: Wire,
    kind: Kind,
    encoding: Encoding,
    manner: Manner,
    on_apply: Option<Box<dyn FnOnce() + Send>>,
    on_save: Option<Box<dyn FnOnce() + Send>>,
    /// Title that the user chooses in a message request.
    choice: Option<&'static str>,
    /// Answer to the next requests to rename a symbol; null if there is no language server.
    renames: Value,
    on_rename: Option<Box<dyn FnOnce() + Send>>,
    documents: HashMap<String, Document>,
    /// Documents that were open.
    closed: HashSet<String>,
    requests: Vec<(String, Value)>,
    notifications: Vec<(String, Value)>,
    violations: Vec<String>,
    answers: HashMap<u64, Value>,
    last_id: u64,
    gone: bool,
}

impl Editor {
    pub(crate) fn start(machine: &Machine, workspace: &Workspace, kind: Kind) -> Self {
        Self::named(machine, workspace, kind, "editor", "utf-16")
    }

    pub(crate) fn named(
        machine: &Machine,
        workspace: &Workspace,
        kind: Kind,
        name: &str,
        encoding: &str,
    ) -> Self {
        Self::announcing(machine, workspace, kind, (name, encoding), &json!({})).0
    }

    /// Like [`Editor::named`], with more `initialize` parameters. Also returns the daemon's capabilities.
    pub(crate) fn announcing(
        machine: &Machine,
        workspace: &Workspace,
        kind: Kind,
        (name, encoding): (&str, &str),
        more: &Value,
    ) -> (Self, Value) {
        let wire = Wire::connect(&machine.editor_socket(), Framing::Headers);
        let state = State {
            writer: wire.writer(),
            kind,
            encoding: Encoding::named(encoding),
            manner: Manner::Honest,
            on_apply: None,
            on_save: None,
            choice: None,
            renames: Value::Null,
            on_rename: None,
            documents: HashMap::new(),
            closed: HashSet::new(),
            requests: Vec::new(),
            notifications: Vec::new(),
            violations: Vec::new(),
            answers: HashMap::new(),
            last_id: 0,
            gone: false,
        };
        let state = Arc::new(Mutex::new(state));
        let reader = Some(std::thread::spawn({
            let state = state.clone();
            move || read(wire, &state)
        }));
        let editor = Self { state, reader, name: name.to_owned() };
        let mut params = workspace.session(name);
        params["capabilities"] = capabilities(kind, encoding);
        merge(&mut params, more);
        let result = editor.call("initialize", params);
        assert_eq!(result["capabilities"]["positionEncoding"], encoding, "{result}");
        assert_eq!(result["capabilities"]["textDocumentSync"]["change"], 2);
        editor.notify("initialized", json!({}));
        (editor, result["capabilities"].clone())
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn behave(&self, manner: Manner) {
        self.lock().manner = manner;
    }

    /// Opens a file of the workspace with its content on disk; a missing file opens as empty.
    pub(crate) fn open(&self, workspace: &Workspace, name: &str) -> String {
        let path = workspace.path(name);
        let text =
            fs::read(&path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into());
        self.open_with(workspace, name, &text, false)
    }

    /// Opens a file with the given editor text.
    pub(crate) fn open_with(&self, workspace: &Workspace, name: &str, text: &str, dirty: bool) -> String {
        self.open_document(workspace, name, text.strip_prefix('\u{feff}').unwrap_or(text), dirty)
    }

    /// Opens a file with the given editor text, as an editor that keeps byte order marks.
    pub(crate) fn open_as_is(&self, workspace: &Workspace, name: &str, text: &str) -> String {
        self.open_document(workspace, name, text, false)
    }

    fn open_document(&self, workspace: &Workspace, name: &str, text: &str, dirty: bool) -> String {
        let uri = uri_of(&workspace.path(name));
        let document = Document::new(workspace.path(name), text, dirty);
        let mut state = self.lock();
        state.documents.insert(uri.clone(), document);
        state.closed.remove(&uri);
        let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": text });
        state.notify("textDocument/didOpen", json!({ "textDocument": item }));
        state.send_state(&uri);
        drop(state);
        self.settle();
        uri
    }

    pub(crate) fn close(&self, uri: &str) {
        self.lock().close(uri);
        self.settle();
    }

    /// Replaces the only occurrence of a text in a document, as the user would.
    pub(crate) fn replace(&self, uri: &str, old: &str, new: &str) {
        self.lock().replace(uri, old, new);
        self.settle();
    }

    /// Types at the start of a document.
    pub(crate) fn type_at_start(&self, uri: &str, text: &str) {
        self.lock().type_at(uri, 0, text);
        self.settle();
    }

    /// Types many times at random positions without waiting for the daemon.
    pub(crate) fn type_many(&self, uri: &str, times: usize, chance: &mut Chance) {
        for _ in 0..times {
            self.lock().type_somewhere(uri, chance);
        }
        self.settle();
    }

    /// Types a word on a random empty line, without waiting for the daemon.
    pub(crate) fn type_on_empty_line(&self, uri: &str, word: &str, chance: &mut Chance) {
        let mut state = self.lock();
        let text = &state.documents[uri].text;
        let empty: Vec<_> = text.match_indices("\n\n").map(|(at, _)| at + 1).collect();
        let at = empty[chance.below(empty.len() as u64) as usize];
        state.type_at(uri, at, &format!("{word}\n"));
    }

    /// Runs `act` when the daemon requests a save, before saving.
    pub(crate) fn on_save(&self, act: impl FnOnce() + Send + 'static) {
        self.lock().on_save = Some(Box::new(act));
    }

    /// Runs `act` when the daemon requests an edit, before applying it.
    pub(crate) fn on_apply(&self, act: impl FnOnce() + Send + 'static) {
        self.lock().on_apply = Some(Box::new(act));
    }

    /// Sets the title that the user chooses in message requests.
    pub(crate) fn choose(&self, title: &'static str) {
        self.lock().choice = Some(title);
    }

    /// Sets the answer to requests to rename a symbol, as if a language server had made it.
    pub(crate) fn rename_with(&self, answer: Value) {
        self.lock().renames = answer;
    }

    /// Runs `act` when the daemon requests a rename, before the answer.
    pub(crate) fn on_rename(&self, act: impl FnOnce() + Send + 'static) {
        self.lock().on_rename = Some(Box::new(act));
    }

    /// Saves a document, as the user would.
    pub(crate) fn save(&self, uri: &str) {
        self.lock().save(uri).expect("a save");
        self.settle();
    }

    pub(crate) fn focus(&self, uri: &str) {
        self.notify("editd/focus", json!({ "uri": uri }));
        self.settle();
    }

    pub(crate) fn text(&self, uri: &str) -> String {
        self.lock().documents[uri].text.clone()
    }

    pub(crate) fn is_dirty(&self, uri: &str) -> bool {
        self.lock().documents[uri].dirty
    }

    /// Number of edits received from the daemon: the undo steps besides the user's own typing.
    pub(crate) fn edits_received(&self, uri: &str) -> usize {
        self.lock().documents[uri].edits_received
    }

    pub(crate) fn requests(&self, method: &str) -> Vec<Value> {
        let state = self.lock();
        state.requests.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }

    /// Parameters of all received notifications of this method.
    pub(crate) fn told(&self, method: &str) -> Vec<Value> {
        let state = self.lock();
        state
            .notifications
            .iter()
            .filter(|(name, _)| name == method)
            .map(|(_, params)| params.clone())
            .collect()
    }

    /// All received requests and notifications, with their methods.
    pub(crate) fn received(&self) -> Vec<(String, Value)> {
        let state = self.lock();
        state.requests.iter().chain(&state.notifications).cloned().collect()
    }

    /// Sends a request and waits for its result. An error fails the test.
    pub(crate) fn call(&self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        let mut state = self.lock();
        state.last_id += 1;
        let id = state.last_id;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        state.writer.send(&message);
        drop(state);
        eventually(&format!("an answer to {method}"), || self.lock().answers.remove(&id))
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.lock().notify(method, params);
    }

    /// Waits for a round trip, after which the daemon has processed all earlier messages.
    pub(crate) fn settle(&self) {
        self.call("editd/status", json!({}));
    }

    /// Disconnects without a shutdown, as in a crash.
    pub(crate) fn crash(self) {
        self.hang_up();
    }

    /// Drops the connection but keeps the documents.
    pub(crate) fn hang_up(&self) {
        self.lock().leave();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.lock().leave();
        if let Some(reader) = self.reader.take() {
            reader.join().ok();
        }
        let violations = std::mem::take(&mut self.lock().violations);
        if !std::thread::panicking() {
            assert!(violations.is_empty(), "the daemon sent invalid requests to the editor: {violations:?}");
        }
    }
}

/// Merges `more` into an object recursively.
fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more.clone(),
    }
}

fn capabilities(kind: Kind, encoding: &str) -> Value {
    let mut all = json!({ "general": { "positionEncodings": [encoding] } });
    if kind != Kind::Poor {
        all["workspace"] = json!({ "applyEdit": true });
    }
    if kind == Kind::Plugin {
        let ours = json!({ "applyEdits": true, "save": true, "reload": true, "documentState": true });
        all["experimental"] = json!({ "editd": ours });
    }
    all
}

fn read(mut wire: Wire, state: &Mutex<State>) {
    loop {
        match wire.arrival(Duration::from_secs(3600)) {
            Arrival::Message(message) => {
                let delay = state.lock().expect("the state").take(&message);
                if let Some((delay, late)) = delay {
                    std::thread::sleep(delay);
                    state.lock().expect("the state").serve(&late);
                }
            }
            Arrival::Closed | Arrival::Nothing => return,
        }
    }
}
