//! What editors tell of their documents.
//!
//! The framework drops what does not fit its types, and nobody hears of it: the daemon would go on with a text
//! that the person has no more. So these notifications are read here, with patience, and where one cannot be
//! read the document that it names counts as not known.

use serde_json::Value;

use crate::text::Position;
use crate::workspace::buffers::{TextChange, Trouble};

use super::Backend;

pub(super) const DID_OPEN: &str = "editd:didOpen";
pub(super) const DID_CHANGE: &str = "editd:didChange";
pub(super) const DID_SAVE: &str = "editd:didSave";
pub(super) const DID_CLOSE: &str = "editd:didClose";

/// The name that one of these notifications has here.
pub(super) fn routed(method: &str) -> Option<&'static str> {
    Some(match method {
        "textDocument/didOpen" => DID_OPEN,
        "textDocument/didChange" => DID_CHANGE,
        "textDocument/didSave" => DID_SAVE,
        "textDocument/didClose" => DID_CLOSE,
        _ => return None,
    })
}

#[expect(
    clippy::unused_async,
    reason = "the framework's handlers are asynchronous, whether or not they wait"
)]
impl Backend {
    pub(super) async fn did_open(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            let text = match params["textDocument"].get("text") {
                Some(Value::String(text)) => Ok(text.as_str()),
                Some(Value::Null) => Err(Trouble::NotText),
                Some(_) | None => Err(Trouble::OutOfStep),
            };
            self.daemon.document_opened(session, uri, version(&params).unwrap_or_default(), text);
            self.follow.look_again();
        }
    }

    pub(super) async fn did_change(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            match changes(&params["contentChanges"]) {
                Some(changes) => self.daemon.document_changed(session, uri, version(&params), changes),
                None => self.daemon.document_lost(session, uri),
            }
            self.follow.look_again();
        }
    }

    pub(super) async fn did_save(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            self.daemon.document_saved(session, uri);
        }
    }

    pub(super) async fn did_close(&self, params: Value) {
        if let (Some(session), Some(uri)) = (self.session.get(), uri(&params)) {
            self.daemon.document_closed(session, uri);
        }
    }
}

/// As the editor spells it, which need not be as the standard wants it.
fn uri(params: &Value) -> Option<&str> {
    params["textDocument"]["uri"].as_str()
}

/// Older clients have none, or null.
fn version(params: &Value) -> Option<i32> {
    let version = &params["textDocument"]["version"];
    let whole = || version.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
    let number = version.as_i64().or_else(|| whole().map(|number| number as i64));
    number.and_then(|number| i32::try_from(number).ok())
}

/// None if one of them cannot be read. What comes before a whole text does not matter.
fn changes(list: &Value) -> Option<Vec<TextChange>> {
    let list = list.as_array()?;
    let from = list.iter().rposition(is_whole).unwrap_or_default();
    list[from..].iter().map(change).collect()
}

fn is_whole(change: &Value) -> bool {
    change["range"].is_null() && change["text"].is_string()
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

/// However large: behind the end of a line is its end.
fn count(value: &Value) -> Option<usize> {
    let large = || value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole and not negative, and the cast stops at the largest"
    )]
    let number = value.as_u64().or_else(|| large().map(|number| number as u64));
    number.map(|number| usize::try_from(number).unwrap_or(usize::MAX))
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
    fn a_version_is_a_whole_number_or_none(#[case] told: Value, #[case] read: Option<i32>) {
        assert_eq!(version(&json!({ "textDocument": { "version": told } })), read);
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
    fn changes_are_read_all_or_none_from_the_last_whole_text_on(
        #[case] told: Value,
        #[case] count: Option<usize>,
    ) {
        assert_eq!(changes(&told).map(|changes| changes.len()), count);
    }
}
