use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::decode::{Invalid, decode, object_of_json};
use crate::patch::PatchFormat;

/// A patch in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchParams {
    /// Format of the patch; `None` to detect it from the text.
    pub format: Option<PatchFormat>,
    /// Text of the patch, which may be surrounded by other text.
    pub text: String,
}

/// A patch, and the base hashes of its files by path.
pub type PatchAndBases = (PatchParams, BTreeMap<String, String>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatchFields {
    #[serde(default)]
    format: FormatParam,
    text: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormatParam {
    #[default]
    Auto,
    SearchReplace,
    ApplyPatch,
    UnifiedDiff,
}

impl Serialize for PatchParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.format.map(PatchFormat::name), &self.text).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PatchParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = match Value::deserialize(deserializer)? {
            // A patch never begins with a brace, so this is the object as a string of JSON.
            Value::String(text) if text.trim_start().starts_with('{') => {
                object_of_json(&text).map_err(serde::de::Error::custom)?
            }
            Value::String(text) => return Ok(Self { format: None, text }),
            value => value,
        };
        let PatchFields { format, text } = decode(value).map_err(Invalid::nested)?;
        let format = match format {
            FormatParam::Auto => None,
            FormatParam::SearchReplace => Some(PatchFormat::SearchReplace),
            FormatParam::ApplyPatch => Some(PatchFormat::ApplyPatch),
            FormatParam::UnifiedDiff => Some(PatchFormat::UnifiedDiff),
        };
        Ok(Self { format, text })
    }
}
