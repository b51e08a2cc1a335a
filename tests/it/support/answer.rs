//! Answers, and checks that apply to every refusal.

use serde_json::Value;

const STALE: i64 = -32801;
const REFUSED: i64 = -32803;
const INVALID_PARAMS: i64 = -32602;

/// All refusal kinds of the protocol.
const KINDS: &[&str] = &[
    "unread",
    "stale",
    "conflict",
    "syntax",
    "not_found",
    "ambiguous",
    "count_mismatch",
    "overlap",
    "dependency",
    "contradiction",
    "placeholder",
    "no_change",
    "empty_old_text",
    "exists",
    "missing",
    "not_a_file",
    "binary",
    "encoding",
    "too_large",
    "read_only",
    "outside_workspace",
    "protected",
    "contested",
    "editor_refused",
    "verify_failed",
    "disk",
    "recovering",
    "bad_patch",
    "unknown_proposal",
    "superseded",
    "rejected",
    "earlier_decision",
    "not_permitted",
    "busy",
    "timeout",
];

pub(crate) type Answer = Result<Value, RpcError>;

#[derive(Clone, Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Value,
}

impl RpcError {
    /// Parses an error object and checks the rules that apply to all errors.
    pub(crate) fn from_wire(error: &Value) -> Self {
        let code = error["code"].as_i64().unwrap_or_else(|| panic!("an error has a code: {error}"));
        let message = error["message"].as_str().unwrap_or_else(|| panic!("an error has a message: {error}"));
        let read = Self { code, message: message.to_owned(), data: error["data"].clone() };
        read.check();
        read
    }

    pub(crate) fn kind(&self) -> &str {
        self.data["kind"].as_str().unwrap_or_default()
    }

    fn check(&self) {
        assert!(is_one_sentence(&self.message), "the message is one sentence: {self:?}");
        if self.code != STALE && self.code != REFUSED {
            return;
        }
        assert!(KINDS.contains(&self.kind()), "a known kind: {self:?}");
        assert_eq!(self.code == STALE, self.kind() == "stale", "ContentModified means stale: {self:?}");
        assert!(has_hint(&self.data), "a refusal has a hint: {self:?}");
        let refusals = self.data["refusals"].as_array().unwrap_or_else(|| panic!("no `refusals`: {self:?}"));
        let first = refusals.first().unwrap_or_else(|| panic!("`refusals` is empty: {self:?}"));
        assert_eq!(first["kind"], self.data["kind"], "the first refusal is the error: {self:?}");
        for refusal in refusals {
            assert!(KINDS.contains(&refusal["kind"].as_str().unwrap_or_default()), "{refusal}");
            assert!(has_hint(refusal), "each refusal has a hint: {refusal}");
        }
    }
}

/// Expectations for an answer.
pub(crate) trait Outcome {
    /// Returns the result. A refusal fails the test.
    fn done(self) -> Value;
    /// Returns the data of a refusal of this kind. Anything else fails the test.
    fn refused(self, kind: &str) -> Value;
    /// Returns the data of a refusal of one of these kinds, for cases in which the protocol allows several.
    fn refused_as_any(self, kinds: &[&str]) -> Value;
    /// Returns the error. Anything but an error with this code fails the test.
    fn fails(self, code: i64) -> RpcError;
    /// Returns the error for invalid parameters. The error must name this field.
    fn invalid(self, field: &str) -> RpcError;
}

impl Outcome for Answer {
    #[track_caller]
    fn done(self) -> Value {
        match self {
            Ok(result) => result,
            Err(error) => panic!("refused: {} {} {:#}", error.code, error.message, error.data),
        }
    }

    #[track_caller]
    fn refused(self, kind: &str) -> Value {
        self.refused_as_any(&[kind])
    }

    #[track_caller]
    fn refused_as_any(self, kinds: &[&str]) -> Value {
        match self {
            Ok(result) => panic!("should be refused as {kinds:?}, but: {result:#}"),
            Err(error) => {
                assert!(kinds.contains(&error.kind()), "should be refused as {kinds:?}, but: {error:?}");
                error.data
            }
        }
    }

    #[track_caller]
    fn fails(self, code: i64) -> RpcError {
        match self {
            Ok(result) => panic!("should fail with {code}, but: {result:#}"),
            Err(error) => {
                assert_eq!(error.code, code, "{error:?}");
                error
            }
        }
    }

    #[track_caller]
    fn invalid(self, field: &str) -> RpcError {
        let error = self.fails(INVALID_PARAMS);
        assert!(error.message.contains(field), "the message should name `{field}`: {error:?}");
        error
    }
}

fn has_hint(refusal: &Value) -> bool {
    refusal["hint"].as_str().is_some_and(|hint| !hint.trim().is_empty())
}

/// Returns `true` if the message is not empty, has one line and contains no second sentence.
fn is_one_sentence(message: &str) -> bool {
    let starts_another =
        |(at, stop): (usize, &str)| message[at + stop.len()..].chars().next().is_some_and(char::is_uppercase);
    !message.trim().is_empty()
        && !message.contains(['\n', '\r'])
        && !message.match_indices(". ").any(starts_another)
        && !message.match_indices("! ").any(starts_another)
}
