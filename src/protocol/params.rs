use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::edit::Display;

use super::change::{ChangeParams, FileChange};
use super::decode::{Invalid, decode, optional_list_or_json, optional_texts_or_json};
use super::patch::{PatchAndBases, PatchParams};

/// One replacement in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextEditParams {
    /// The text to look for.
    #[serde(
        alias = "old_text",
        alias = "oldString",
        alias = "old_string",
        alias = "oldStr",
        alias = "old_str"
    )]
    pub old_text: String,
    /// The text to put there.
    #[serde(
        alias = "new_text",
        alias = "newString",
        alias = "new_string",
        alias = "newStr",
        alias = "new_str"
    )]
    pub new_text: String,
    /// Whether every occurrence is meant.
    #[serde(default, alias = "replace_all")]
    pub replace_all: bool,
    /// How many occurrences there must be; all of them are replaced.
    #[serde(default, alias = "expected_replacements", skip_serializing_if = "Option::is_none")]
    pub expected_replacements: Option<u32>,
}

/// How edits may find their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    /// Exactly, else by the tolerant tiers.
    #[default]
    Fuzzy,
    /// Exactly or not at all.
    Exact,
}

/// What to do where a file is not what the author was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnStaleParam {
    /// Refuse.
    #[default]
    Reject,
    /// Merge.
    Rebase,
}

/// What to do where a merge leaves a conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnConflictParam {
    /// Refuse.
    #[default]
    Refuse,
    /// Write conflict markers.
    Markers,
}

/// The form of the second text about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DisplayParam {
    /// The unified diff once more.
    Unified,
    /// With marks around changed words.
    Word,
    /// A few words for each hunk.
    Summary,
    /// Lines with their numbers.
    Numbered,
}

impl From<DisplayParam> for Display {
    fn from(param: DisplayParam) -> Self {
        match param {
            DisplayParam::Unified => Self::Unified,
            DisplayParam::Word => Self::Word,
            DisplayParam::Summary => Self::Summary,
            DisplayParam::Numbered => Self::Numbered,
        }
    }
}

/// Parameters of `editd/propose`: `changes`, a `patch`, or one change in a short form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposeParams {
    /// What the change is for, shown to people.
    pub label: Option<String>,
    /// Makes it safe to send the request again.
    #[serde(alias = "request_id")]
    pub request_id: Option<String>,
    /// A proposal that this one takes the place of.
    pub replaces: Option<String>,
    /// The changes, each of another file.
    #[serde(default, deserialize_with = "optional_list_or_json")]
    pub changes: Option<Vec<ChangeParams>>,
    /// The changes as a patch.
    pub patch: Option<PatchParams>,
    /// The bases of files in the patch, by path.
    #[serde(default, deserialize_with = "optional_texts_or_json")]
    pub bases: Option<BTreeMap<String, String>>,
    /// Whether the tolerant tiers may be used.
    #[serde(default)]
    pub matching: Matching,
    /// Whether each edit is looked for in the result of those before it.
    #[serde(default)]
    pub sequential: bool,
    /// What to do where a file is not what the author was given.
    #[serde(default, alias = "on_stale")]
    pub on_stale: OnStaleParam,
    /// What to do where a merge leaves a conflict.
    #[serde(default, alias = "on_conflict")]
    pub on_conflict: OnConflictParam,
    /// A second form in which the answer shows the change.
    pub display: Option<DisplayParam>,
    /// Who the change is by, where an editor speaks for somebody.
    pub author: Option<String>,
    /// Short form: the file.
    #[serde(alias = "file_path", alias = "filePath")]
    pub path: Option<String>,
    /// Short form: the file's URI.
    pub uri: Option<String>,
    /// Short form: the base.
    #[serde(alias = "base_hash")]
    pub base_hash: Option<String>,
    /// Short form: the edits.
    #[serde(default, deserialize_with = "optional_list_or_json")]
    pub edits: Option<Vec<TextEditParams>>,
    /// Short form: the only edit, or one more after `edits`.
    #[serde(
        alias = "old_text",
        alias = "oldString",
        alias = "old_string",
        alias = "oldStr",
        alias = "old_str"
    )]
    pub old_text: Option<String>,
    /// What goes with `oldText`.
    #[serde(
        alias = "new_text",
        alias = "newString",
        alias = "new_string",
        alias = "newStr",
        alias = "new_str"
    )]
    pub new_text: Option<String>,
    /// What goes with `oldText`.
    #[serde(alias = "replace_all")]
    pub replace_all: Option<bool>,
    /// What goes with `oldText`.
    #[serde(alias = "expected_replacements")]
    pub expected_replacements: Option<u32>,
    /// The encoding of the file, where the change is one edit in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
}

impl ProposeParams {
    /// The patch, if the changes come as one.
    pub fn take_patch(&mut self) -> Result<Option<PatchAndBases>, Invalid> {
        let Some(patch) = self.patch.take() else {
            return match self.bases {
                Some(_) => Err(Invalid::new("bases", "it goes with `patch` only")),
                None => Ok(None),
            };
        };
        if self.base_hash.is_some() {
            return Err(Invalid::new("baseHash", "with `patch`, hashes belong into `bases`"));
        }
        let others = [
            ("changes", self.changes.is_some()),
            ("path", self.path.is_some()),
            ("uri", self.uri.is_some()),
            ("edits", self.edits.is_some()),
            ("oldText", self.old_text.is_some()),
            ("newText", self.new_text.is_some()),
            ("replaceAll", self.replace_all.is_some()),
            ("expectedReplacements", self.expected_replacements.is_some()),
            ("encoding", self.encoding.is_some()),
        ];
        match others.iter().find(|(_, is_there)| *is_there) {
            Some((name, _)) => Err(Invalid::new(*name, "it does not go with `patch`")),
            None => Ok(Some((patch, self.bases.take().unwrap_or_default()))),
        }
    }

    /// The changes, with the short forms written out.
    pub fn take_changes(&mut self) -> Result<Vec<ChangeParams>, Invalid> {
        let single = self.take_single()?;
        let in_short = self.path.is_some() || self.uri.is_some() || self.edits.is_some() || single.is_some();
        match self.changes.take() {
            Some(_) if in_short => {
                Err(Invalid::new("changes", "it goes without `path`, `uri`, `edits` and `oldText` beside it"))
            }
            Some(_) if self.base_hash.is_some() => {
                Err(Invalid::new("baseHash", "with `changes`, it belongs into each change"))
            }
            Some(changes) if changes.is_empty() => Err(Invalid::new("changes", "it is empty")),
            Some(changes) => Ok(changes),
            None if !in_short => Err(Invalid::new("changes", "it is missing, and so is `patch`")),
            None => {
                if self.edits.is_none() && single.is_none() {
                    return Err(Invalid::new("edits", "it is missing, and so is `oldText` with `newText`"));
                }
                let mut body = self.edits.take().unwrap_or_default();
                body.extend(single);
                let (path, uri) = (self.path.take(), self.uri.take());
                let (base_hash, body) = (self.base_hash.take(), (body, self.encoding.take()));
                Ok(vec![ChangeParams::Edit(FileChange { path, uri, base_hash, body })])
            }
        }
    }

    fn take_single(&mut self) -> Result<Option<TextEditParams>, Invalid> {
        let counted = self.replace_all.is_some() || self.expected_replacements.is_some();
        match (self.old_text.take(), self.new_text.take()) {
            (Some(old_text), Some(new_text)) => Ok(Some(TextEditParams {
                old_text,
                new_text,
                replace_all: self.replace_all.take().unwrap_or_default(),
                expected_replacements: self.expected_replacements.take(),
            })),
            (Some(_), None) => Err(Invalid::new("newText", "it is missing beside `oldText`")),
            (None, Some(_)) => Err(Invalid::new("oldText", "it is missing beside `newText`")),
            (None, None) if counted => Err(Invalid::new("oldText", "it is missing")),
            (None, None) => Ok(None),
        }
    }
}

/// Parameters of `editd/apply`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplyParams {
    /// The proposal.
    pub id: String,
    /// The revision that the caller has seen; an older one is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// Whether a person must decide, even where the configuration does not ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<bool>,
    /// How long to wait for a person's decision, in milliseconds.
    #[serde(default, alias = "wait_ms", skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// How long to wait for editors' diagnostics, in milliseconds.
    #[serde(default, alias = "diagnostics_wait_ms", skip_serializing_if = "Option::is_none")]
    pub diagnostics_wait_ms: Option<u64>,
}

/// Parameters of `editd/edit`: those of `editd/propose` and of `editd/apply` together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditParams {
    /// What to change.
    pub propose: ProposeParams,
    /// How to apply it; the id is not known yet.
    pub apply: ApplyParams,
}

impl<'de> Deserialize<'de> for EditParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = serde_json::Map::deserialize(deserializer)?;
        let mut apply = serde_json::Map::new();
        for name in ["review", "waitMs", "wait_ms", "diagnosticsWaitMs", "diagnostics_wait_ms"] {
            if let Some(value) = fields.shift_remove(name) {
                apply.insert(name.to_owned(), value);
            }
        }
        apply.insert("id".to_owned(), Value::String(String::new()));
        let apply = decode(Value::Object(apply)).map_err(Invalid::nested)?;
        let propose = decode(Value::Object(fields)).map_err(|invalid| with_apply(invalid).nested())?;
        Ok(Self { propose, apply })
    }
}

/// An error of the fields of `editd/propose`, where those of `editd/apply` are known too.
fn with_apply(mut invalid: Invalid) -> Invalid {
    if invalid.problem.starts_with("unknown field") && !invalid.field.contains(['.', '[']) {
        invalid.problem.push_str(", `review`, `waitMs`, `diagnosticsWaitMs`");
    }
    invalid
}

/// Parameters of `editd/discard`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiscardParams {
    /// The proposal.
    pub id: String,
    /// Why, for the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Parameters of `editd/proposal`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposalParams {
    /// The proposal.
    pub id: String,
    /// How long to wait for a person's decision, in milliseconds.
    #[serde(default, alias = "wait_ms", skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// Parameters of `editd/proposals`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposalsParams {
    /// Only those in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// Parameters of `editd/changes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangesParams {
    /// A cursor of an earlier answer: what came after it is told again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The only file that is wanted; else all that were read.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// Parameters of `editd/status`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusParams {}

/// Parameters of `editd/shutdown`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShutdownParams {}
