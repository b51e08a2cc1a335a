//! Why nothing was done, as an answer: the daemon's words, in the names that the client knows.

use rapidfuzz::distance::indel;
use serde_json::{Map, Value, json};

use crate::protocol::{Door, RpcError, json_len};

use super::advice::advice;
use super::answer::Answer;
use super::guide::Served;
use super::readable::readable;
use super::session::Failure;
use super::size::{READ, REFUSAL, STALE, shown};
use super::tools::Tool;

/// Advice about writing, and what is said in its place to those who only read.
const READING: [(&str, &str); 1] =
    [("Name a regular file; folders are made as needed by a `write` into them", "For a folder use `list`")];

/// Advice in parameters of another tool, and what is said in its place to those who write a whole file.
const WRITING: [(&str, &str); 4] = [
    (", a more distinctive `oldText`", ""),
    (", or with `onStale: \"rebase\"`", ""),
    (" Or send `onConflict: \"markers\"` to have both written into the file.", ""),
    ("rewrite the file with a `write` that names `encoding`", "send `encoding` to have another one"),
];
/// The same for those who send a patch.
const PATCHING: [(&str, &str); 3] = [
    (", a more distinctive `oldText`", ""),
    (" Or send `onConflict: \"markers\"` to have both written into the file.", ""),
    ("`currentHash` as `baseHash`", "`currentHash` in `bases`"),
];
/// The same for those who change cells.
const CELLS: [(&str, &str); 3] = [
    (", a more distinctive `oldText`", ""),
    (", or with `onStale: \"rebase\"`", ""),
    (" Or send `onConflict: \"markers\"` to have both written into the file.", ""),
];

/// Advice after a change whose outcome is unknown.
const UNKNOWN: &str = "Look whether it waits for a person (`proposal_status` without `id`). Then read the files again; send the change again only if it is in neither.";

/// A sentence of the daemon's, and what is said in its place.
type Reworded = [(&'static str, &'static str)];

/// What is said otherwise to those who have this tool.
fn reworded(tool: &Tool) -> &'static Reworded {
    match tool.name {
        _ if !tool.changes() => &READING,
        "write" => &WRITING,
        "apply_patch" => &PATCHING,
        "notebook_edit" => &CELLS,
        _ => &[],
    }
}

/// The answer for a request that has no result. Of one that asks for one thing only, numbers say nothing. Only served
/// tools are named.
pub(super) fn refused(failure: &Failure, tool: &Tool, is_one: bool, served: &Served<'_>) -> Answer {
    match failure {
        Failure::Refused(error) => {
            let mut error = error.clone();
            in_terms_of(tool, is_one, &mut error);
            of_error_in(Room::of(&error, Some(served)), &error, Some(served))
        }
        Failure::Unreachable(error) => match error {
            crate::transport::ConnectError::Refused(error) => of_error(error),
            error => said(
                "unavailable",
                &format!("There is no connection to the daemon: {error}."),
                "Ask the user to run `editd doctor`, or to start the daemon with `editd serve`; then try again.",
            ),
        },
        Failure::Lost if tool.changes() => said(
            "outcome_unknown",
            "The daemon ended before it answered, so it is not known whether the change was made.",
            &advice(UNKNOWN, served),
        ),
        Failure::Lost => said(
            "unavailable",
            "The daemon ended before it answered.",
            "Try again; if it goes on, ask the user to run `editd doctor`.",
        ),
    }
}

/// Too much at once.
pub(super) fn busy(limit: usize) -> Answer {
    let message = format!("{limit} calls are under way already.");
    said("busy", &message, "Wait for earlier calls to end, then try again.")
}

/// An argument that belongs to another tool, or to no tool.
pub(super) fn foreign(tool: &Tool, name: &str) -> Answer {
    let message = unknown_parameter(tool.name, name, &tool.parameters(""));
    let data =
        json!({ "kind": "invalid_params", "field": name, "hint": "Leave it out and send the rest again." });
    of_error(&RpcError { code: 0, message, data: Some(data) })
}

/// How alike the name of a parameter and a slip of it are at least.
const ALIKE: f64 = 0.6;

/// Says which there are, and which one may have been meant.
fn unknown_parameter(of: &str, name: &str, known: &[String]) -> String {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let likeness = |known: &String| indel::normalized_similarity(plain(name).chars(), plain(known).chars());
    let likely = known.iter().map(|known| (likeness(known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    let likely = likely.filter(|(likeness, _)| *likeness >= ALIKE);
    let meant = likely.map(|(_, known)| format!("; did you mean `{known}`?")).unwrap_or_default();
    let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    let there_are = if meant.is_empty() { ": there are" } else { " There are" };
    format!("`{of}` has no parameter `{name}`{meant}{there_are} {}.", known.join(", "))
}

/// A bug in one call is that call's failure.
pub(super) fn broken(changes: bool) -> Answer {
    let hint = if changes { "Read the files again to see what is there." } else { "Try it another way." };
    said("internal", "This call failed because of a bug in editd.", hint)
}

fn said(kind: &str, message: &str, hint: &str) -> Answer {
    let data = json!({ "kind": kind, "hint": hint });
    of_error(&RpcError { code: 0, message: message.to_owned(), data: Some(data) })
}

/// Says it to somebody who has this tool.
fn in_terms_of(tool: &Tool, is_one: bool, error: &mut RpcError) {
    let Some(Value::Object(data)) = &mut error.data else { return };
    let further = data.get_mut("refusals").and_then(Value::as_array_mut).into_iter().flatten();
    for hint in further.filter_map(|refusal| refusal.get_mut("hint")) {
        reword(hint, tool);
    }
    if let Some(hint) = data.get_mut("hint") {
        reword(hint, tool);
    }
    if is_one {
        data.shift_remove("change");
        data.shift_remove("edit");
    }
    let unknown = error.message.contains("unknown field");
    if let Some(Value::String(field)) = data.get("field").filter(|_| unknown) {
        let field = named(field);
        let (part, name) = field.rsplit_once('.').unwrap_or(("", &field));
        let known = tool.parameters(part);
        if !known.is_empty() {
            error.message = unknown_parameter(if part.is_empty() { tool.name } else { part }, name, &known);
        }
    }
}

fn of_error(error: &RpcError) -> Answer {
    of_error_in(Room::of(error, None), error, None)
}

fn of_error_in(mut room: Room, error: &RpcError, served: Option<&Served<'_>>) -> Answer {
    let mut details = match &error.data {
        Some(Value::Object(data)) => data.clone(),
        _ => Map::new(),
    };
    // The first is the error itself.
    let mut others: Vec<Value> = match details.shift_remove("refusals") {
        Some(Value::Array(refusals)) => refusals.into_iter().skip(1).collect(),
        _ => Vec::new(),
    };
    details.values_mut().chain(&mut others).for_each(tidy);
    details.retain(|_, value| says_something(value));
    for other in &mut others {
        shorten(other, &details, &room, served);
    }
    // Which files are stale says more than how.
    if room.is_stale {
        room.fit_all(&mut others);
    }
    details.values_mut().for_each(|value| room.fit(value));
    if !room.is_stale {
        room.fit_all(&mut others);
    }
    if let Some(Value::String(field)) = details.get_mut("field") {
        *field = named(field);
    }
    let kind = details.shift_remove("kind").unwrap_or_else(|| kind_of(error.code).into());
    let hint = details.shift_remove("hint").map(|hint| advised(hint.as_str().unwrap_or_default(), served));
    let mut head =
        Map::from_iter([("kind".to_owned(), kind), ("message".to_owned(), named(&error.message).into())]);
    if let Some(hint) = &hint {
        head.insert("hint".to_owned(), hint.as_str().into());
    }
    let mut data: Map<_, _> = head.clone().into_iter().chain(details.clone()).collect();
    let mut text = head_text(&head);
    text.push_str(&readable(&details));
    for other in &others {
        let Value::Object(other) = other else { continue };
        text.push_str("\nAlso refused:\n");
        text.push_str(&readable(other));
    }
    if !others.is_empty() {
        data.insert("others".to_owned(), others.into());
    }
    if room.left_out > 0 {
        let notice = format!("One answer has no room for {} more entries.", room.left_out);
        text.push_str(&notice);
        data.insert("notice".to_owned(), notice.into());
    }
    Answer::refusal(text, json!({ "error": data }))
}

/// A hint of the daemon's, in the names of tools that are served.
fn advised(hint: &str, served: Option<&Served<'_>>) -> String {
    let hint = named(hint);
    served.map_or(hint.clone(), |served| advice(&hint, served))
}

fn head_text(head: &Map<String, Value>) -> String {
    let text = |name: &str| head.get(name).and_then(Value::as_str).unwrap_or_default();
    let hint = head.get("hint").map(|_| format!("{}\n", text("hint"))).unwrap_or_default();
    format!("Refused ({}): {}\n{hint}", text("kind"), text("message"))
}

fn kind_of(code: i64) -> &'static str {
    match code {
        -32800 => "cancelled",
        -32601 => "not_permitted",
        _ => "internal",
    }
}

/// Leaves out of a further refusal what the first has said, and the differences of further files that are stale.
fn shorten(other: &mut Value, first: &Map<String, Value>, room: &Room, served: Option<&Served<'_>>) {
    let Value::Object(other) = other else { return };
    if other.get("hint") == first.get("hint") {
        other.shift_remove("hint");
    }
    if let Some(Value::String(message)) = other.get_mut("message") {
        *message = named(message);
    }
    if let Some(Value::String(hint)) = other.get_mut("hint") {
        *hint = advised(hint, served);
    }
    if let (true, Some(Value::String(diff))) = (room.is_stale, other.get_mut("diff")) {
        *diff = format!("(cut: {} lines; {})", diff.lines().count(), room.rest);
    }
}

/// Leaves out members that say nothing, and digits that nobody needs.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(tidy);
            members.retain(|_, value| says_something(value));
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Number(number) if number.is_f64() => {
            *value = number.as_f64().map_or(Value::Null, |number| ((number * 100.0).round() / 100.0).into());
        }
        _ => {}
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

/// Bytes that are still free for the data of a refusal.
struct Room {
    left: usize,
    /// Entries of lists for which there was none.
    left_out: usize,
    /// The way to see the part that is cut.
    rest: &'static str,
    /// `true` if others have changed the part that is cut.
    is_stale: bool,
}

/// A text of so many bytes is a name or a sentence, and stays whole.
const SENTENCE: usize = 500;

impl Room {
    /// For a refusal.
    fn of(error: &RpcError, served: Option<&Served<'_>>) -> Self {
        let has_changes = served.is_some_and(|served| served.has("changes"));
        let is_stale = error.data.as_ref().is_some_and(|data| data["kind"] == "stale");
        let rest = if is_stale && has_changes { "`changes` with this `path` shows them" } else { READ };
        Self { left: if is_stale { STALE } else { REFUSAL }, left_out: 0, rest, is_stale }
    }

    /// Cuts what is too long, such as the difference to a file that was rewritten.
    fn fit(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if text.len() > SENTENCE {
                    *text = shown(text, self.left, self.rest);
                }
                self.left = self.left.saturating_sub(json_len(text));
            }
            Value::Array(items) => self.fit_all(items),
            Value::Object(members) => {
                for (name, value) in members {
                    self.left = self.left.saturating_sub(name.len() + 4);
                    self.fit(value);
                }
            }
            _ => {}
        }
    }

    fn fit_all(&mut self, items: &mut Vec<Value>) {
        let mut fitting = 0;
        while fitting < items.len() && self.left > 0 {
            self.fit(&mut items[fitting]);
            fitting += 1;
        }
        self.left_out += items.len() - fitting;
        items.truncate(fitting);
    }
}

/// A sentence of the daemon's in the names of the tools.
fn named(sentence: &str) -> String {
    Door::Tools.say(sentence)
}

fn reword(hint: &mut Value, tool: &Tool) {
    if let Value::String(hint) = hint {
        *hint = replaced(hint, reworded(tool));
    }
}

fn replaced(sentence: &str, words: &Reworded) -> String {
    words.iter().fold(sentence.to_owned(), |sentence, (theirs, ours)| sentence.replace(theirs, ours))
}

#[cfg(test)]
mod tests;
