//! Document notifications of editors.
//!
//! The framework silently drops notifications that do not match its types, so the daemon would continue with
//! an outdated text. Therefore this module parses these notifications itself and tolerates deviations. If one
//! cannot be parsed, the text of its document counts as unknown.

use serde_json::Value;

use editd_text::Position;
use editd_workspace::DocumentEvent;
use editd_workspace::buffers::{BlockedReason, TextChange};

use super::Backend;

pub(super) const DID_OPEN: &str = "editd:didOpen";
pub(super) const DID_CHANGE: &str = "editd:didChange";
pub(super) const DID_SAVE: &str = "editd:didSave";
pub(super) const DID_CLOSE: &str = "editd:didClose";

#[expect(
    clippy::unused_async,
    reason = "the framework's handlers are asynchronous, whether or not they wait"
)]
impl Backend {
    pub(super) async fn did_open(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            let text = match params["textDocument"].get("text") {
                Some(Value::String(text)) => Ok(text.as_str()),
                Some(Value::Null) => Err(BlockedReason::NotText),
                Some(_) | None => Err(BlockedReason::OutOfStep),
            };
            self.daemon.document_opened(session, uri, version(&params).unwrap_or_default(), text);
            self.follow.look_again();
        }
    }

    pub(super) async fn did_change(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            let event = match changes(&params["contentChanges"]) {
                Some(changes) => DocumentEvent::Changed { version: version(&params), changes },
                None => DocumentEvent::Lost,
            };
            self.daemon.document_event(session, uri, event);
            self.follow.look_again();
        }
    }

    pub(super) async fn did_save(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            self.daemon.document_event(session, uri, DocumentEvent::Saved);
        }
    }

    pub(super) async fn did_close(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            self.daemon.document_event(session, uri, DocumentEvent::Closed);
        }
    }
}

/// Returns the URI as the editor spells it, which may not conform to the standard.
fn uri(params: &Value) -> Option<&str> {
    params["textDocument"]["uri"].as_str()
}

/// Returns the version. Older clients send none, or null.
#[expect(clippy::cast_possible_truncation, reason = "it is whole, and in the range")]
fn version(params: &Value) -> Option<i32> {
    let version = params["textDocument"]["version"].as_f64().filter(|number| number.fract() == 0.0);
    let is_in_range = |number: &f64| (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(number);
    version.filter(is_in_range).map(|number| number as i32)
}

/// Parses a list of changes. Returns `None` if one of them is invalid. Changes before a full text are
/// ignored.
fn changes(list: &Value) -> Option<Vec<TextChange>> {
    let list = list.as_array()?;
    let is_full_text = |change: &Value| change["range"].is_null() && change["text"].is_string();
    let from = list.iter().rposition(is_full_text).unwrap_or_default();
    list[from..].iter().map(change).collect()
}

fn change(change: &Value) -> Option<TextChange> {
    let text = change["text"].as_str()?.to_owned();
    let range = match &change["range"] {
        Value::Null => None,
        range => Some((position(&range["start"])?, position(&range["end"])?)),
    };
    Some(TextChange { range, text })
}

fn position(at: &Value) -> Option<Position> {
    Some(Position { line: count(&at["line"])?, character: count(&at["character"])? })
}

/// Parses a line or character number of any size: a number past the end of a line refers to its end.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is whole and not negative, and the cast stops at the largest"
)]
fn count(value: &Value) -> Option<usize> {
    let number = value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0);
    number.map(|number| number as usize)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(json!(7), Some(7))]
    #[case(json!(2.0), Some(2))]
    #[case(json!(-1), Some(-1))]
    #[case(json!(null), None)]
    #[case(json!("7"), None)]
    #[case(json!(2.5), None)]
    #[case(json!(1_u64 << 40), None)]
    #[case(json!(1e300), None)]
    fn a_version_is_an_integer_or_none(#[case] sent: Value, #[case] parsed: Option<i32>) {
        assert_eq!(version(&json!({ "textDocument": { "version": sent } })), parsed);
        assert_eq!(version(&json!({ "textDocument": {} })), None);
    }

    fn ranged(line: impl Into<Value>, character: impl Into<Value>) -> Value {
        let at = json!({ "line": line.into(), "character": character.into() });
        json!({ "range": { "start": at, "end": at }, "rangeLength": -1, "text": "x" })
    }

    #[rstest]
    #[case(json!([]), Some(0))]
    #[case(json!([{ "text": "x" }]), Some(1))]
    #[case(json!([{ "text": "x", "range": null }]), Some(1))]
    #[case(json!([ranged(json!(0), json!(1_u64 << 32))]), Some(1))]
    #[case(json!([ranged(json!(1_u64 << 40), json!(1e30))]), Some(1))]
    #[case(json!([ranged(json!(0), json!(2.0))]), Some(1))]
    #[case(json!([ranged(json!(0), json!(-1))]), None)]
    #[case(json!([ranged(json!(0), json!(0.5))]), None)]
    #[case(json!([ranged(json!(0), json!(null))]), None)]
    #[case(json!([{ "text": 7 }]), None)]
    #[case(json!([{ "range": {}, "text": "x" }]), None)]
    #[case(json!([7]), None)]
    #[case(json!({}), None)]
    #[case(json!(null), None)]
    #[case(json!([7, { "text": "x" }, ranged(json!(0), json!(0))]), Some(2))]
    fn changes_are_parsed_from_the_last_full_text_on(#[case] sent: Value, #[case] count: Option<usize>) {
        assert_eq!(changes(&sent).map(|changes| changes.len()), count);
    }
}
