//! An editor made for tests: it speaks LSP on `editor.sock`, keeps its documents itself, and does what editors
//! do, or what a test wants it to do wrong. It is stricter than real ones about what it is sent.

mod document;
mod state;

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::wire::{Arrival, Framing, Wire};
use super::{Chance, Machine, Workspace, eventually, uri_of};

pub(crate) use document::Document;
use document::Encoding;

/// How it answers requests to apply edits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Manner {
    Honest,
    /// Says no.
    Refuses,
    /// Applies, takes it back, and says no.
    TakesBack,
    /// Says yes and does nothing.
    Lies,
    /// Says yes and does something else.
    Garbles,
    /// Answers and applies after so long.
    Late(Duration),
    /// Applies after so long, and does not answer.
    LateWithoutAWord(Duration),
    /// Applies this time and refuses from then on.
    OnlyOnce,
    /// Is gone in that moment.
    Dies,
    /// A person types this at the start of the document right before.
    TypesBefore(&'static str),
    /// A person types this at the end of the document right after.
    TypesAfter(&'static str),
    /// The same, and both are told together.
    TypesAlong(&'static str),
    /// Applies what is for the first document and forgets the others.
    AppliesFirst,
    /// Its formatter puts this at the end when it saves.
    Formats(&'static str),
    /// It cannot save.
    CannotSave,
}

/// What it says that it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// With editd's plugin.
    Plugin,
    /// Any LSP editor.
    Plain,
    /// One that cannot even apply edits.
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
    /// What the person chooses when asked.
    choice: Option<&'static str>,
    documents: HashMap<String, Document>,
    requests: Vec<(String, Value)>,
    told: Vec<(String, Value)>,
    complaints: Vec<String>,
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

    /// The same with more in its `initialize`; gives what the daemon can do for it.
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
            documents: HashMap::new(),
            requests: Vec::new(),
            told: Vec::new(),
            complaints: Vec::new(),
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

    /// Opens a file of the workspace as it is on the disk, or as an empty one that is not there.
    pub(crate) fn open(&self, workspace: &Workspace, name: &str) -> String {
        let path = workspace.path(name);
        let text =
            fs::read(&path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into());
        self.open_with(workspace, name, &text, false)
    }

    /// Opens a file with a text that the editor has of it.
    pub(crate) fn open_with(&self, workspace: &Workspace, name: &str, text: &str, dirty: bool) -> String {
        let uri = uri_of(&workspace.path(name));
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = Document::new(workspace.path(name), text, dirty);
        let mut state = self.lock();
        state.documents.insert(uri.clone(), document);
        let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": text });
        state.notify("textDocument/didOpen", json!({ "textDocument": item }));
        state.tell_state(&uri);
        drop(state);
        self.settle();
        uri
    }

    pub(crate) fn close(&self, uri: &str) {
        let mut state = self.lock();
        state.documents.remove(uri);
        state.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
        drop(state);
        self.settle();
    }

    /// A person replaces the only occurrence of a text in a document.
    pub(crate) fn replace(&self, uri: &str, old: &str, new: &str) {
        self.lock().replace(uri, old, new);
        self.settle();
    }

    /// A person types at the start of a document.
    pub(crate) fn type_at_start(&self, uri: &str, text: &str) {
        self.lock().type_at(uri, 0, text);
        self.settle();
    }

    /// A person types a lot, somewhere, without waiting for anything.
    pub(crate) fn type_many(&self, uri: &str, times: usize, chance: &mut Chance) {
        for _ in 0..times {
            self.lock().type_somewhere(uri, chance);
        }
        self.settle();
    }

    /// A person types a word where a line is empty, without waiting for anything.
    pub(crate) fn type_on_empty_line(&self, uri: &str, word: &str, chance: &mut Chance) {
        let mut state = self.lock();
        let text = &state.documents[uri].text;
        let empty: Vec<_> = text.match_indices("\n\n").map(|(at, _)| at + 1).collect();
        let at = empty[chance.below(empty.len() as u64) as usize];
        state.type_at(uri, at, &format!("{word}\n"));
    }

    /// Does this when it is asked to save, before it does.
    pub(crate) fn on_save(&self, act: impl FnOnce() + Send + 'static) {
        self.lock().on_save = Some(Box::new(act));
    }

    /// Does this when it is asked to apply edits, before it does.
    pub(crate) fn on_apply(&self, act: impl FnOnce() + Send + 'static) {
        self.lock().on_apply = Some(Box::new(act));
    }

    /// What the person chooses when asked something.
    pub(crate) fn choose(&self, title: &'static str) {
        self.lock().choice = Some(title);
    }

    /// A person saves.
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

    /// Steps that a person could undo, besides their own typing.
    pub(crate) fn edits_received(&self, uri: &str) -> usize {
        self.lock().documents[uri].edits_received
    }

    pub(crate) fn requests(&self, method: &str) -> Vec<Value> {
        let state = self.lock();
        state.requests.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }

    /// What it was told by notifications of this method.
    pub(crate) fn told(&self, method: &str) -> Vec<Value> {
        let state = self.lock();
        state.told.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }

    /// Asks the daemon something and waits for the whole answer's result.
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

    /// A round trip: what was said before is known to the daemon.
    pub(crate) fn settle(&self) {
        self.call("editd/status", json!({}));
    }

    /// It crashes: nobody says goodbye.
    pub(crate) fn crash(self) {
        self.hang_up();
    }

    /// Its connection is lost; its documents are not.
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
        let complaints = std::mem::take(&mut self.lock().complaints);
        if !std::thread::panicking() {
            assert!(complaints.is_empty(), "the editor was sent what it must not be sent: {complaints:?}");
        }
    }
}

/// Puts all of `more` into an object, however deep.
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
