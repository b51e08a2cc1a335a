//! Conversion of errors to answers. The daemon words messages and hints for tools.

use rapidfuzz::distance::indel;
use serde_json::{Map, Value, json};

use editd_protocol::{RpcError, json_len};

use super::answer::Answer;
use super::readable::readable;
use super::served::{Served, advice};
use super::session::{self, Failure};
use super::size::{READ, REFUSAL, shown};
use super::tools::Tool;

/// Hint after a change whose outcome is unknown.
const UNKNOWN: &str = "Check whether it waits for a person (`proposal_status` without `id`). Then read the files again; send the change again only if it is in neither.";

/// Converts a failure to an answer. If the request has a single edit (`is_one`), indexes are omitted. Hints
/// name only served tools.
pub(super) fn refused(failure: &Failure, tool: &Tool, is_one: bool, served: &Served) -> Answer {
    match failure {
        Failure::Refused(error) => {
            let mut error = error.clone();
            adapt_to_tool(tool, is_one, &mut error);
            of_error(&error, Some(served))
        }
        Failure::Unreachable(error) => match error {
            editd_daemon::transport::ConnectError::Refused(error) => of_error(error, None),
            error => own_refusal(
                "unavailable",
                &format!("There is no connection to the daemon: {error}."),
                "Ask the user to run `editd doctor`, or to start the daemon with `editd serve`; then try again.",
            ),
        },
        Failure::Lost if tool.changes => own_refusal(
            "outcome_unknown",
            "The daemon ended before it answered, so it is not known whether the change was made.",
            &advice(UNKNOWN, served),
        ),
        Failure::Lost => own_refusal(
            "unavailable",
            "The daemon ended before it answered.",
            "Try again; if that fails too, ask the user to run `editd doctor`.",
        ),
    }
}

/// Returns the text about a part of a read that was refused.
pub(super) fn refused_part(error: &RpcError, served: &Served) -> String {
    of_error(error, Some(served)).text
}

/// Returns the refusal of a call beyond the limit of concurrent calls.
pub(super) fn busy(limit: usize) -> Answer {
    let message = format!("{limit} calls are already running.");
    own_refusal("busy", &message, "Wait for earlier calls to end, then try again.")
}

/// Returns the refusal of an argument that the tool does not accept.
pub(super) fn unaccepted(tool: &Tool, name: &str) -> Answer {
    let message = unknown_parameter(tool.name, name, &tool.parameters(""));
    let data =
        json!({ "kind": "invalid_params", "field": name, "hint": "Leave it out and send the rest again." });
    of_error(&RpcError { code: 0, message, data: Some(data) }, None)
}

/// Minimum similarity between a parameter and a misspelling of it.
const MIN_SIMILARITY: f64 = 0.6;

/// Lists the known parameters, and suggests the most similar one.
fn unknown_parameter(of: &str, name: &str, known: &[String]) -> String {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let similarity = |known: &String| indel::normalized_similarity(plain(name).chars(), plain(known).chars());
    let similar = known.iter().map(|known| (similarity(known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    let similar = similar.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    let suggestion = similar.map(|(_, known)| format!("; did you mean `{known}`?")).unwrap_or_default();
    let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    let there_are = if suggestion.is_empty() { ": there are" } else { " There are" };
    format!("`{of}` has no parameter `{name}`{suggestion}{there_are} {}.", known.join(", "))
}

/// Returns the refusal of a call that failed because of a bug.
pub(super) fn broken(changes: bool) -> Answer {
    let hint = if changes { "Read the files again to see what is there." } else { "Try it another way." };
    own_refusal("internal", "This call failed because of a bug in editd.", hint)
}

fn own_refusal(kind: &str, message: &str, hint: &str) -> Answer {
    of_error(&session::refusal(kind, message, hint), None)
}

/// Removes indexes that a single edit does not need, and lists the parameters of the tool after an unknown one.
fn adapt_to_tool(tool: &Tool, is_one: bool, error: &mut RpcError) {
    let Some(Value::Object(data)) = &mut error.data else { return };
    if is_one {
        data.shift_remove("change");
        data.shift_remove("edit");
    }
    let unknown = error.message.contains("unknown field");
    if let Some(Value::String(field)) = data.get("field").filter(|_| unknown) {
        let (part, name) = field.rsplit_once('.').unwrap_or(("", field));
        let known = tool.parameters(part);
        if !known.is_empty() {
            error.message = unknown_parameter(if part.is_empty() { tool.name } else { part }, name, &known);
        }
    }
}

fn of_error(error: &RpcError, served: Option<&Served>) -> Answer {
    let mut space = Space::of(error, served);
    let mut details = match &error.data {
        Some(Value::Object(data)) => data.clone(),
        _ => Map::new(),
    };
    // The first refusal is the error itself.
    let mut others: Vec<Value> = match details.shift_remove("refusals") {
        Some(Value::Array(refusals)) => refusals.into_iter().skip(1).collect(),
        _ => Vec::new(),
    };
    details.values_mut().chain(&mut others).for_each(tidy);
    // The hint names them.
    details.shift_remove("retry");
    let has_offers = details.shift_remove("offer").is_some();
    if has_offers {
        details.shift_remove("closest");
        // What can be accepted is shown whole. The daemon limits its size.
        space.left = usize::MAX / 2;
    }
    details.retain(|name, value| has_content(value) && !is_usual(name, value));
    for (index, other) in others.iter_mut().enumerate() {
        shorten(other, &details, served);
        if space.is_stale {
            leave_out_diff(other, if index == 0 { space.rest } else { "" });
        }
    }
    // The space for them is reserved.
    let (kind, hint) = (details.shift_remove("kind"), details.shift_remove("hint"));
    // The list of stale files takes precedence over their diffs.
    let diff = if space.is_stale { details.shift_remove("diff") } else { None };
    let reserved = if others.is_empty() { 0 } else { OTHER.min(space.left) };
    space.left -= reserved;
    space.fit_members(&mut details);
    (space.left, space.is_over) = (space.left + reserved, false);
    space.fit_all(&mut others, 0);
    if let Some(mut diff) = diff {
        space.take("diff".len() + MEMBER);
        space.fit(&mut diff);
        details.insert("diff".to_owned(), diff);
    }
    let kind = kind.unwrap_or_else(|| kind_of(error.code).into());
    let hint = hint.map(|hint| served_hint(hint.as_str().unwrap_or_default(), Some(&kind), served));
    let mut text = format!("Refused ({}): {}\n", kind.as_str().unwrap_or_default(), error.message);
    text.extend(hint.iter().flat_map(|hint| [hint, "\n"]));
    text.push_str(&readable(&details));
    let message = error.message.as_str().into();
    let head = [("kind", Some(kind)), ("message", Some(message)), ("hint", hint.map(Value::from))];
    let head = head.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let mut data: Map<_, _> = head.chain(details).collect();
    for other in &others {
        let Value::Object(other) = other else { continue };
        text.push_str("\nAlso refused:\n");
        text.push_str(&readable(other));
    }
    if !others.is_empty() {
        data.insert("others".to_owned(), others.into());
    }
    if space.left_out > 0 {
        let notice = format!("One answer has no room for {} more entries.", space.left_out);
        text.push_str(&notice);
        data.insert("notice".to_owned(), notice.into());
    }
    Answer::refusal(text, json!({ "error": data }))
}

/// Adapts a hint of the daemon to the served tools. The hint about a protected file names none of them, and
/// quotes the user.
fn served_hint(hint: &str, kind: Option<&Value>, served: Option<&Served>) -> String {
    match served {
        Some(served) if kind.is_none_or(|kind| kind != "protected") => advice(hint, served),
        _ => hint.to_owned(),
    }
}

fn kind_of(code: i64) -> &'static str {
    match code {
        -32800 => "cancelled",
        -32601 => "not_permitted",
        _ => "internal",
    }
}

/// Removes from a further refusal what repeats the first one.
fn shorten(other: &mut Value, first: &Map<String, Value>, served: Option<&Served>) {
    let Value::Object(other) = other else { return };
    other.shift_remove("retry");
    if other.shift_remove("offer").is_some() {
        other.shift_remove("closest");
    }
    if other.get("hint") == first.get("hint") {
        other.shift_remove("hint");
    }
    let kind = other.get("kind").cloned();
    // The message names the file, and the first refusal its kind.
    let names = |other: &Map<String, Value>, path: &str| {
        other.get("message").and_then(Value::as_str).is_some_and(|message| message.contains(path))
    };
    if other.get("path").and_then(Value::as_str).is_some_and(|path| names(other, path)) {
        for name in ["path", "change", "patchLine"] {
            other.shift_remove(name);
        }
    }
    if kind.as_ref() == first.get("kind") {
        other.shift_remove("kind");
    }
    if let Some(Value::String(hint)) = other.get_mut("hint") {
        *hint = served_hint(hint, kind.as_ref(), served);
    }
}

/// Replaces the diff of a further stale file by its number of lines, with advice on how to see them.
fn leave_out_diff(other: &mut Value, rest: &str) {
    if let Some(Value::String(diff)) = other.get_mut("diff") {
        let rest = if rest.is_empty() { String::new() } else { format!("; {rest}") };
        *diff = format!("(cut: {} lines{rest})", diff.lines().count());
    }
}

/// Removes members that say nothing and rounds numbers to two decimal places.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(tidy);
            members.retain(|name, value| has_content(value) && !is_usual(name, value));
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Number(number) if number.is_f64() => {
            *value = number.as_f64().map_or(Value::Null, |number| ((number * 100.0).round() / 100.0).into());
        }
        _ => {}
    }
}

/// Returns `true` for a member that nearly all refusals have with this value.
fn is_usual(name: &str, value: &Value) -> bool {
    name == "baseKnown" && *value == Value::Bool(true)
}

fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

/// The remaining space for the data of a refusal, in bytes.
struct Space {
    left: usize,
    /// `true` if something did not fit.
    is_over: bool,
    /// Number of list entries that did not fit.
    left_out: usize,
    /// Advice on how to see the omitted part.
    rest: &'static str,
    /// `true` for a stale refusal.
    is_stale: bool,
}

/// Reserved size for the name of a refusal, in bytes.
const HEAD: usize = 100;

/// Reserved size for the first of the further refusals, in bytes.
const OTHER: usize = 400;

/// Size of the notice about omitted entries, in bytes.
const NOTICE: usize = 50;

/// Reserved size for the note that a text is cut, in bytes.
const CUT: usize = 64;

/// Size of the punctuation of a member of an object, in bytes.
const MEMBER: usize = 6;

/// Reserved size for the heading of an item of a list, in bytes.
const ITEM: usize = 16;

/// Maximum length of a name or sentence, which is never cut, in bytes.
const SENTENCE: usize = 300;

impl Space {
    /// Creates the space for a refusal.
    fn of(error: &RpcError, served: Option<&Served>) -> Self {
        let has_changes = served.is_some_and(|served| served.has("changes"));
        let is_stale = error.data.as_ref().is_some_and(|data| data["kind"] == "stale");
        let rest = if is_stale && has_changes { "`changes` with this `path` shows them" } else { READ };
        let hint = error.data.as_ref().and_then(|data| data["hint"].as_str()).map_or(0, str::len);
        let left = REFUSAL.saturating_sub(error.message.len() + hint + HEAD);
        Self { left, is_over: false, left_out: 0, rest, is_stale }
    }

    /// Cuts texts that are too long, such as the diff of a rewritten file.
    fn fit(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if text.len() > SENTENCE {
                    *text = shown(text, self.left.saturating_sub(CUT), self.rest);
                }
                self.take(json_len(text));
            }
            Value::Array(items) => self.fit_all(items, 1),
            Value::Object(members) => self.fit_members(members),
            value => self.take(value.to_string().len()),
        }
    }

    fn fit_members(&mut self, members: &mut Map<String, Value>) {
        // Lists and long texts get the space that the others leave.
        let is_long = |value: &Value| value.as_str().is_some_and(|text| text.len() > SENTENCE);
        let is_cut = |value: &Value| is_long(value) || value.is_array() || value.is_object();
        for (name, value) in members.iter_mut() {
            self.take(name.len() + MEMBER);
            if !is_cut(value) {
                self.fit(value);
            }
        }
        // The notes that texts are cut need space, too.
        let long = members.values().filter(|value| is_long(value)).count();
        let note = CUT.min(self.left / long.max(1));
        self.left -= note * long;
        for value in members.values_mut().filter(|value| is_cut(value)) {
            self.left += if is_long(value) { note } else { 0 };
            self.fit(value);
        }
    }

    fn take(&mut self, size: usize) {
        self.is_over |= size > self.left;
        self.left = self.left.saturating_sub(size);
    }

    /// Cuts a list at the first item that does not fit, but keeps at least `min` items.
    fn fit_all(&mut self, items: &mut Vec<Value>, min: usize) {
        let mut fitting = 0;
        while fitting < items.len() {
            let before = (self.left, self.is_over);
            self.take(ITEM);
            self.fit(&mut items[fitting]);
            let is_last = fitting + 1 == items.len();
            let has_room = !self.is_over && (is_last || self.left >= NOTICE);
            if !has_room && fitting >= min {
                // This item is left out.
                (self.left, self.is_over) = before;
                break;
            }
            fitting += 1;
        }
        self.left_out += items.len() - fitting;
        items.truncate(fitting);
    }
}

#[cfg(test)]
mod tests;
