//! Tracking of the files that a result delivered to the session, so that the session forgets them if the
//! client never received the result.

use std::sync::Weak;

use serde_json::{Value, json};

use super::link::Link;

/// Maximum number of files of a change to list.
const NAMED: usize = 5;

/// The files of a result, which the daemon counts as read by the session.
#[derive(Clone)]
pub(super) struct Delivery {
    to: Weak<Link>,
    /// Parameters of `editd/forget` for each file.
    files: Vec<Value>,
    applied: Option<AppliedChange>,
}

/// A change that was applied.
#[derive(Clone, Debug)]
pub(super) struct AppliedChange {
    pub(super) transaction: String,
    pub(super) paths: Vec<String>,
}

impl Delivery {
    /// Collects the files of a result that arrived over a link.
    pub(super) fn by(result: &Value, to: Weak<Link>) -> Self {
        let listed = result["files"].as_array().into_iter().flatten();
        let named: Vec<_> = listed.chain([result]).filter(|file| file["path"].is_string()).collect();
        let new_names = named.iter().filter_map(|file| file["newPath"].as_str());
        let mut files: Vec<_> = new_names.map(|path| json!({ "path": path })).collect();
        files.extend(named.iter().map(|file| match &file["uri"] {
            Value::String(uri) => json!({ "uri": uri }),
            _ => json!({ "path": file["path"] }),
        }));
        let applied = result["transaction"].as_str().map(|transaction| AppliedChange {
            transaction: transaction.to_owned(),
            paths: named
                .iter()
                .take(NAMED)
                .filter_map(|file| file["path"].as_str().map(str::to_owned))
                .collect(),
        });
        Self { to, files, applied }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Makes the session forget the files, unless it has ended. Returns the change that was applied
    /// nevertheless.
    pub(super) fn revoke(self) -> Option<AppliedChange> {
        if let Some(link) = self.to.upgrade() {
            self.files.iter().for_each(|file| link.forget(file));
        }
        self.applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_of_a_result_are_collected() {
        let files = |result: Value| Delivery::by(&result, Weak::new()).files;
        assert_eq!(files(json!({ "path": "/a", "uri": "file:///a" })), [json!({ "uri": "file:///a" })]);
        let renamed = json!({ "files": [{ "path": "/a", "newPath": "/b" }, { "path": "/c" }] });
        assert_eq!(
            files(renamed),
            [json!({ "path": "/b" }), json!({ "path": "/a" }), json!({ "path": "/c" })]
        );
        assert!(Delivery::by(&json!({ "matches": [{ "path": "/a" }] }), Weak::new()).is_empty());
    }
}
