//! State of the simulated editor: handles the daemon's messages and reports typed text.

use std::time::Duration;

use serde_json::{Value, json};

use super::document::apply_all;
use super::{Kind, Manner, State};
use crate::support::{Chance, hash_of};

impl State {
    pub(super) fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        if !self.gone {
            self.writer.send(&message);
        }
    }

    pub(super) fn leave(&mut self) {
        self.gone = true;
        self.writer.close();
    }

    /// Asks for the text of a document, and sends nothing after that.
    fn listen(&mut self, uri: &str) {
        let params = json!({ "uri": uri });
        self.writer.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "editd/read", "params": params }));
        self.gone = true;
        self.writer.close_sending();
    }

    /// Handles a message. Returns the message with a delay if it must be served later.
    pub(super) fn take(&mut self, message: &Value) -> Option<(Duration, Value)> {
        if message.get("method").is_none() {
            let id = message["id"].as_u64().expect("the id of an answer");
            self.answers.insert(id, message.clone());
            return None;
        }
        let method = message["method"].as_str().expect("a method").to_owned();
        if message.get("id").is_none() {
            self.notifications.push((method, message["params"].clone()));
            return None;
        }
        self.requests.push((method.clone(), message["params"].clone()));
        let applies = matches!(method.as_str(), "editd/applyEdits" | "workspace/applyEdit");
        if let Some(act) = self.on_apply.take_if(|_| applies) {
            act();
        }
        if let Some(act) = self.on_rename.take_if(|_| method == "editd/rename") {
            act();
        }
        if let Some(act) = self.on_save.take_if(|_| method == "editd/save") {
            act();
        }
        match self.manner.clone() {
            Manner::Dies if applies => {
                self.leave();
                None
            }
            Manner::Late(delay) | Manner::LateWithoutAWord(delay) if applies => {
                Some((delay, message.clone()))
            }
            _ => {
                self.serve(message);
                None
            }
        }
    }

    pub(super) fn serve(&mut self, message: &Value) {
        let (method, params) = (message["method"].as_str().expect("a method"), &message["params"]);
        let result = match method {
            "editd/applyEdits" => self.apply_edits(params),
            "workspace/applyEdit" => self.apply_edit(params),
            "editd/save" => self.save_all(params),
            "editd/reload" => self.each(params, Self::reload),
            "editd/resync" => self.each(params, Self::resync),
            "editd/rename" => self.renames.clone(),
            "window/showMessageRequest" => self.choice.map_or(Value::Null, |title| json!({ "title": title })),
            _ => Value::Null,
        };
        let is_silent = method == "editd/applyEdits" && matches!(self.manner, Manner::LateWithoutAWord(_));
        if !self.gone && !is_silent {
            self.writer.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
        }
    }

    fn apply_edits(&mut self, params: &Value) -> Value {
        let documents = params["documents"].as_array().expect("documents").clone();
        let typed = self.type_before(documents.iter().filter_map(|document| document["uri"].as_str()));
        for wanted in &documents {
            let uri = wanted["uri"].as_str().expect("a uri");
            let Some(document) = self.documents.get(uri) else {
                return json!({ "applied": false, "reason": "that document is not open" });
            };
            if wanted["version"] != document.version {
                return json!({ "applied": false, "reason": "the document has changed" });
            }
            if wanted["baseHash"] != hash_of(&document.text) && !typed {
                self.violations.push(format!("the hash of {uri} at version {}", document.version));
            }
        }
        match self.manner {
            Manner::Refuses => return json!({ "applied": false, "reason": "it is locked" }),
            Manner::Lies => return json!({ "applied": true, "documents": [] }),
            _ => {}
        }
        let uris: Vec<_> = documents.iter().filter_map(|wanted| wanted["uri"].as_str()).collect();
        let before: Vec<_> =
            uris.iter().map(|uri| ((*uri).to_owned(), self.documents[*uri].text.clone())).collect();
        let most = if self.manner == Manner::AppliesFirst { 1 } else { documents.len() };
        for wanted in &documents[..most] {
            self.edit(wanted["uri"].as_str().expect("a uri"), &wanted["edits"]);
        }
        if self.manner == Manner::TakesBack {
            for (uri, text) in before {
                self.splice(&uri, 0, self.documents[&uri].text.len(), &text);
            }
            return json!({ "applied": false, "reason": "it is locked" });
        }
        self.act_after(&uris);
        if self.manner == Manner::OnlyOnce {
            self.manner = Manner::Refuses;
        }
        let now: Vec<_> = uris.iter().map(|uri| self.now(uri)).collect();
        json!({ "applied": true, "documents": now })
    }

    fn apply_edit(&mut self, params: &Value) -> Value {
        if self.kind == Kind::Poor {
            self.violations.push("it cannot apply edits".to_owned());
        }
        let changes = params["edit"]["documentChanges"].as_array().expect("document changes").clone();
        if changes.len() != 1 {
            self.violations.push(format!("{} documents in one request", changes.len()));
        }
        let uri = changes[0]["textDocument"]["uri"].as_str().expect("a uri").to_owned();
        self.type_before([uri.as_str()].into_iter());
        let Some(document) = self.documents.get(&uri) else {
            // The request and the notification of the close may have crossed.
            if !self.closed.contains(&uri) {
                self.violations.push(format!("{uri} is not open"));
            }
            return json!({ "applied": false });
        };
        if changes[0]["textDocument"]["version"] != document.version {
            return json!({ "applied": false, "failureReason": "version" });
        }
        match self.manner {
            Manner::Refuses => return json!({ "applied": false, "failureReason": "no" }),
            Manner::Lies => return json!({ "applied": true }),
            _ => {}
        }
        self.edit(&uri, &changes[0]["edits"]);
        self.act_after(&[uri.as_str()]);
        json!({ "applied": true })
    }

    fn edit(&mut self, uri: &str, edits: &Value) {
        let encoding = self.encoding;
        let garbles = self.manner == Manner::Garbles;
        let along = if let Manner::TypesAlong(text) = self.manner { text } else { "" };
        if !along.is_empty() {
            self.manner = Manner::Honest;
        }
        let Some(document) = self.documents.get_mut(uri) else { return };
        match apply_all(&document.text, edits, encoding) {
            Ok(text) if garbles => document.text = text.replacen('1', "garbled", 1),
            Ok(text) => document.text = text + along,
            Err(violation) => self.violations.push(violation),
        }
        let document = self.documents.get_mut(uri).expect("it is open");
        document.edits_received += 1;
        document.dirty = true;
        self.changed(uri);
    }

    /// Reports a change as the whole text, which LSP allows.
    fn changed(&mut self, uri: &str) {
        let document = self.documents.get_mut(uri).expect("it is open");
        document.version += 1;
        let about = json!({ "uri": uri, "version": document.version });
        let changes = json!([{ "text": document.text }]);
        self.notify("textDocument/didChange", json!({ "textDocument": about, "contentChanges": changes }));
        self.send_state(uri);
    }

    pub(super) fn send_state(&mut self, uri: &str) {
        if self.kind == Kind::Plugin {
            let document = &self.documents[uri];
            let state = json!({ "uri": uri, "dirty": document.dirty, "version": document.version });
            self.notify("editd/documentState", state);
        }
    }

    pub(super) fn replace(&mut self, uri: &str, old: &str, new: &str) {
        let text = &self.documents[uri].text;
        let at = text.find(old).unwrap_or_else(|| panic!("{old:?} in {text:?}"));
        assert_eq!(text.matches(old).count(), 1, "{old:?} in {text:?}");
        self.splice(uri, at, at + old.len(), new);
    }

    pub(super) fn type_at(&mut self, uri: &str, at: usize, text: &str) {
        self.splice(uri, at, at, text);
    }

    /// Replaces a range and reports it as an incremental change, as most editors do.
    fn splice(&mut self, uri: &str, start: usize, end: usize, new: &str) {
        let encoding = self.encoding;
        let document = self.documents.get_mut(uri).expect("it is open");
        let range = json!({
            "start": encoding.position(&document.text, start),
            "end": encoding.position(&document.text, end),
        });
        document.text.replace_range(start..end, new);
        document.version += 1;
        document.dirty = true;
        let about = json!({ "uri": uri, "version": document.version });
        let changes = json!([{ "range": range, "text": new }]);
        self.notify("textDocument/didChange", json!({ "textDocument": about, "contentChanges": changes }));
        self.send_state(uri);
    }

    pub(super) fn type_somewhere(&mut self, uri: &str, chance: &mut Chance) {
        let text = &self.documents[uri].text;
        let boundary =
            |at: u64| (0..=at as usize).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let start = boundary(chance.below(text.len() as u64 + 1));
        let removed = if chance.below(4) == 0 { 3 } else { 0 };
        let end = boundary((start as u64 + removed).min(text.len() as u64)).max(start);
        let new = ["a", "é", "😀", "\n", "word "][chance.below(5) as usize];
        self.splice(uri, start, end, new);
    }

    fn type_before<'u>(&mut self, uris: impl Iterator<Item = &'u str>) -> bool {
        let Manner::TypesBefore(text) = self.manner else { return false };
        let uris: Vec<_> = uris.map(str::to_owned).collect();
        for uri in &uris {
            self.type_at(uri, 0, text);
        }
        self.manner = Manner::Honest;
        true
    }

    fn act_after(&mut self, uris: &[&str]) {
        if let Manner::SavesAfter
        | Manner::ClosesAfter
        | Manner::ReopensAfter
        | Manner::DiesAfterSaving
        | Manner::ListensAfterSaving = self.manner
        {
            for uri in uris {
                self.save(uri).expect("a save");
                match self.manner {
                    Manner::ClosesAfter => self.close(uri),
                    Manner::ReopensAfter => self.resync(uri),
                    Manner::DiesAfterSaving => self.leave(),
                    Manner::ListensAfterSaving => self.listen(uri),
                    _ => {}
                }
            }
            self.manner = Manner::Honest;
        }
        if let Manner::TypesAfter(text) = self.manner {
            for uri in uris {
                self.type_at(uri, self.documents[*uri].text.len(), text);
            }
            self.manner = Manner::Honest;
        }
    }

    fn save_all(&mut self, params: &Value) -> Value {
        let uris: Vec<_> = uris(params);
        if let Some(closed) = uris.iter().find(|uri| self.closed.contains(*uri)) {
            return json!({ "reason": format!("{closed} is not open"), "documents": [] });
        }
        if self.manner == Manner::CannotSave {
            return json!({ "reason": "the disk is full", "documents": [] });
        }
        if let Manner::Formats(text) = self.manner {
            for uri in &uris {
                self.type_at(uri, self.documents[uri].text.len(), text);
            }
        }
        for uri in &uris {
            self.save(uri).expect("a save");
        }
        let now: Vec<_> = uris.iter().map(|uri| self.now(uri)).collect();
        json!({ "documents": now })
    }

    pub(super) fn save(&mut self, uri: &str) -> std::io::Result<()> {
        let document = self.documents.get_mut(uri).expect("it is open");
        document.write()?;
        document.dirty = false;
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        self.send_state(uri);
        Ok(())
    }

    pub(super) fn close(&mut self, uri: &str) {
        self.documents.remove(uri);
        self.closed.insert(uri.to_owned());
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    fn each(&mut self, params: &Value, act: fn(&mut Self, &str)) -> Value {
        for uri in &uris(params) {
            act(self, uri);
        }
        let now: Vec<_> = uris(params).iter().map(|uri| self.now(uri)).collect();
        json!({ "documents": now })
    }

    fn reload(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri).filter(|document| !document.dirty) else { return };
        if let Some(text) = document.read().filter(|text| *text != document.text) {
            document.text = text;
            self.changed(uri);
        }
    }

    fn resync(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.version += 1;
        let item = json!({
            "uri": uri, "languageId": "text", "version": document.version, "text": document.text,
        });
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
        self.send_state(uri);
    }

    fn now(&self, uri: &str) -> Value {
        let Some(document) = self.documents.get(uri) else { return json!({ "uri": uri }) };
        json!({
            "uri": uri, "version": document.version, "hash": hash_of(&document.text),
            "dirty": document.dirty, "saved": !document.dirty,
        })
    }
}

fn uris(params: &Value) -> Vec<String> {
    let uris = params["uris"].as_array().expect("uris");
    uris.iter().map(|uri| uri.as_str().expect("a uri").to_owned()).collect()
}
