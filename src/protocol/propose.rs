use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use editd_edit::Display;
use editd_workspace::ChangeForm;

use super::change::{ChangeParams, EditChange, PatchAndBases, PatchParams};
use super::decode::{Invalid, decode, nested, optional_list_or_json, optional_texts_or_json};
use super::edit_entry::{EditEntry, number_or_text};

/// Reduces the schema of an enum to the names of its variants.
pub(super) fn names_only(schema: &mut Schema) {
    let variants = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<_> = variants.map(|variant| variant["const"].clone()).collect();
    *schema = json_schema!({ "type": "string", "enum": names });
}

/// Matching mode for edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum Matching {
    /// Exact matches, else matches of the tolerant tiers.
    #[default]
    Fuzzy,
    /// Exact matches only.
    Exact,
}

/// Handling of a file that has changed since the author read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum OnStaleParam {
    /// Refuse.
    Reject,
    /// Merge.
    Rebase,
}

/// Handling of a conflict in a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum OnConflictParam {
    /// Refuse.
    #[default]
    Refuse,
    /// Write conflict markers.
    Markers,
}

/// Additional representation of a change in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum DisplayParam {
    /// The unified diff again.
    Unified,
    /// A diff with marks around changed words.
    Word,
    /// A few words for each hunk.
    Summary,
    /// Lines with line numbers.
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

/// The place of a change in the work of its author.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OriginParams {
    /// The turn: one prompt of the user and all work on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The sub-agent; absent for the agent that the user talks to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The call of a tool.
    #[serde(alias = "tool_call", skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<String>,
}

/// Parameters of `editd/propose`: `changes`, a `patch`, one change in a short form, or the id of a refused request or of an offer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProposeParams {
    /// Purpose of the change, shown to the user.
    pub label: Option<String>,
    /// Id that makes it safe to send the request again.
    #[serde(alias = "request_id")]
    pub request_id: Option<String>,
    /// Proposal that this one replaces.
    pub replaces: Option<String>,
    /// Id of a refused request, which is sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<String>,
    /// Id of an offer in a refusal, which is made as the refusal shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// Changes, each of a different file.
    #[serde(default, deserialize_with = "optional_list_or_json")]
    pub changes: Option<Vec<ChangeParams>>,
    /// Changes as a patch.
    pub patch: Option<PatchParams>,
    /// Base hashes of files in the patch, by path.
    #[serde(deserialize_with = "optional_texts_or_json")]
    pub bases: Option<BTreeMap<String, String>>,
    /// Allows or forbids the tolerant tiers.
    pub matching: Matching,
    /// Matches each edit in the result of the edits before it.
    pub sequential: bool,
    /// Handling of a file that others have changed since the author read it; the user configures the default.
    #[serde(alias = "on_stale")]
    pub on_stale: Option<OnStaleParam>,
    /// Handling of a conflict in a merge.
    #[serde(alias = "on_conflict")]
    pub on_conflict: OnConflictParam,
    /// Additional representation of the change in the result.
    pub display: Option<DisplayParam>,
    /// Author of the change, if an editor acts on behalf of another author.
    pub author: Option<String>,
    /// Place of the change in the work of its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginParams>,
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
    pub edits: Option<Vec<EditEntry>>,
    /// Short form: the only edit, or one more after `edits`.
    #[serde(alias = "old_text", alias = "oldString", alias = "old_string")]
    #[serde(alias = "oldStr", alias = "old_str")]
    pub old_text: Option<String>,
    /// Short form: belongs to `oldText`.
    #[serde(alias = "new_text", alias = "newString", alias = "new_string")]
    #[serde(alias = "newStr", alias = "new_str")]
    pub new_text: Option<String>,
    /// Short form: belongs to `oldText`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Short form: belongs to `oldText`.
    #[serde(alias = "replace_all")]
    pub replace_all: Option<bool>,
    /// Short form: belongs to `oldText`.
    #[serde(alias = "expected_replacements", alias = "expect")]
    pub expected_replacements: Option<u32>,
    /// Short form: belongs to `oldText`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<bool>,
    /// Short form: belongs to `oldText`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<bool>,
    /// Short form: belongs to `oldText`.
    #[serde(deserialize_with = "number_or_text", skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Short form: belongs to `oldText`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Short form: the encoding of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
}

impl ProposeParams {
    /// Takes the patch, if the request contains one.
    pub fn take_patch(&mut self) -> Result<Option<PatchAndBases>, Invalid> {
        let Some(patch) = self.patch.take() else {
            return match self.bases {
                Some(_) => Err(Invalid::new("bases", "it is allowed only with `patch`")),
                None => Ok(None),
            };
        };
        if self.base_hash.is_some() {
            return Err(Invalid::new("baseHash", "with `patch`, hashes belong in `bases`"));
        }
        let others = [
            ("changes", self.changes.is_some()),
            ("path", self.path.is_some()),
            ("uri", self.uri.is_some()),
            ("edits", self.edits.is_some()),
            ("oldText", self.old_text.is_some()),
            ("newText", self.new_text.is_some()),
            ("glob", self.glob.is_some()),
            ("replaceAll", self.replace_all.is_some()),
            ("expectedReplacements", self.expected_replacements.is_some()),
            ("word", self.word.is_some()),
            ("regex", self.regex.is_some()),
            ("lines", self.lines.is_some()),
            ("symbol", self.symbol.is_some()),
            ("encoding", self.encoding.is_some()),
        ];
        match others.iter().find(|(_, is_there)| *is_there) {
            Some((name, _)) => Err(Invalid::new(*name, "it cannot be combined with `patch`")),
            None => Ok(Some((patch, self.bases.take().unwrap_or_default()))),
        }
    }

    /// Returns the form of a change by a tool, which makes one change at a time.
    pub fn form(&self) -> ChangeForm {
        match self.changes.as_deref() {
            _ if self.patch.is_some() => ChangeForm::Patch,
            Some([ChangeParams::Write(_)]) => ChangeForm::Content,
            Some([ChangeParams::Notebook(_)]) => ChangeForm::Cells,
            _ => ChangeForm::Edits,
        }
    }

    /// Takes the changes, with short forms expanded.
    pub fn take_changes(&mut self) -> Result<Vec<ChangeParams>, Invalid> {
        let single = self.take_single()?;
        let is_short = self.path.is_some() || self.uri.is_some() || self.edits.is_some() || single.is_some();
        match self.changes.take() {
            Some(_) if is_short => {
                Err(Invalid::new("changes", "it cannot be combined with `path`, `uri`, `edits` or `oldText`"))
            }
            Some(_) if self.base_hash.is_some() => {
                Err(Invalid::new("baseHash", "with `changes`, it belongs in each change"))
            }
            Some(changes) if changes.is_empty() => Err(Invalid::new("changes", "it is empty")),
            Some(changes) => Ok(changes),
            None if !is_short => Err(Invalid::new("changes", "it is missing, and so is `patch`")),
            None => {
                if self.edits.is_none() && single.is_none() {
                    return Err(Invalid::new("edits", "it is missing, and so is `oldText` with `newText`"));
                }
                let edits = self.edits.take().into_iter().flatten().chain(single).collect();
                let (path, uri) = (self.path.take(), self.uri.take());
                let (base_hash, encoding) = (self.base_hash.take(), self.encoding.take());
                Ok(vec![ChangeParams::Edit(EditChange { path, uri, base_hash, edits, encoding })])
            }
        }
    }

    fn take_single(&mut self) -> Result<Option<EditEntry>, Invalid> {
        let goes_with_text = self.glob.is_some()
            || self.replace_all.is_some()
            || self.expected_replacements.is_some()
            || self.word.is_some()
            || self.regex.is_some()
            || self.lines.is_some()
            || self.symbol.is_some();
        match (self.old_text.take(), self.new_text.take()) {
            (Some(old_text), Some(new_text)) => Ok(Some(EditEntry {
                old_text: Some(old_text),
                new_text: Some(new_text),
                glob: self.glob.take(),
                replace_all: self.replace_all.take().unwrap_or_default(),
                expected_replacements: self.expected_replacements.take(),
                word: self.word.take().unwrap_or_default(),
                regex: self.regex.take().unwrap_or_default(),
                lines: self.lines.take(),
                symbol: self.symbol.take(),
                ..EditEntry::default()
            })),
            (Some(_), None) => Err(Invalid::new("newText", "it is missing, but `oldText` is present")),
            (None, Some(_)) => Err(Invalid::new("oldText", "it is missing, but `newText` is present")),
            (None, None) if goes_with_text => Err(Invalid::new("oldText", "it is missing")),
            (None, None) => Ok(None),
        }
    }
}

/// Parameters of `editd/apply`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplyParams {
    /// The proposal.
    pub id: String,
    /// Revision that the caller has seen; an outdated one is refused.
    pub revision: Option<u32>,
    /// Requires a decision by the user, even if the configuration does not.
    pub review: Option<bool>,
    /// Maximum time to wait for the user's decision, in milliseconds.
    #[serde(alias = "wait_ms")]
    pub wait_ms: Option<u64>,
    /// Maximum time to wait for diagnostics of editors, in milliseconds.
    #[serde(alias = "diagnostics_wait_ms")]
    pub diagnostics_wait_ms: Option<u64>,
}

/// Parameters of `editd/edit`: those of `editd/propose` and of `editd/apply` together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditParams {
    /// Changes to propose.
    pub propose: ProposeParams,
    /// Options for applying them; the id is empty.
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
        let apply = decode(Value::Object(apply)).map_err(nested)?;
        let propose = decode(Value::Object(fields)).map_err(|invalid| nested(with_apply(invalid)))?;
        Ok(Self { propose, apply })
    }
}

/// Adds the fields of `editd/apply` to the fields that an error of `editd/propose` lists as known.
fn with_apply(mut invalid: Invalid) -> Invalid {
    if invalid.problem.starts_with("unknown field") && !invalid.field.contains(['.', '[']) {
        invalid.problem.push_str(", `review`, `waitMs`, `diagnosticsWaitMs`");
    }
    invalid
}

/// Parameters of `editd/discard`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiscardParams {
    /// The proposal.
    pub id: String,
    /// Reason, for the record.
    pub reason: Option<String>,
}

/// Parameters of `editd/proposal`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposalParams {
    /// The proposal.
    pub id: String,
    /// Maximum time to wait for the user's decision, in milliseconds.
    #[serde(alias = "wait_ms")]
    pub wait_ms: Option<u64>,
}

/// Parameters of `editd/proposals`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposalsParams {
    /// Restricts the result to proposals in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}
