//! What a result has given the session, so that it can be taken back where nobody was shown it.

use std::sync::Weak;

use serde_json::{Value, json};

use super::link::Link;

/// Files of a change that are named where there is little room.
const NAMED: usize = 5;

/// The files of a result, which the daemon takes as known to the session since.
#[derive(Clone)]
pub(super) struct Given {
    to: Weak<Link>,
    /// Each as parameters that name it.
    files: Vec<Value>,
    made: Option<Made>,
}

/// A change that was made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) transaction: String,
    pub(super) paths: Vec<String>,
}

impl Given {
    /// What is in a result that came over a link.
    pub(super) fn by(result: &Value, to: Weak<Link>) -> Self {
        let listed = result["files"].as_array().into_iter().flatten();
        let named: Vec<_> = listed.chain([result]).filter(|file| file["path"].is_string()).collect();
        let new_names = named.iter().filter_map(|file| file["newPath"].as_str());
        let mut files: Vec<_> = new_names.map(|path| json!({ "path": path })).collect();
        files.extend(named.iter().map(|file| match &file["uri"] {
            Value::String(uri) => json!({ "uri": uri }),
            _ => json!({ "path": file["path"] }),
        }));
        let made = result["transaction"].as_str().map(|transaction| Made {
            transaction: transaction.to_owned(),
            paths: named
                .iter()
                .take(NAMED)
                .filter_map(|file| file["path"].as_str().map(str::to_owned))
                .collect(),
        });
        Self { to, files, made }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Takes it back. A session that is over knows nothing any more. Gives what was done all the same.
    pub(super) fn take_back(self) -> Option<Made> {
        if let Some(link) = self.to.upgrade() {
            self.files.iter().for_each(|file| link.forget(file));
        }
        self.made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_of_a_result_are_given() {
        let files = |result: Value| Given::by(&result, Weak::new()).files;
        assert_eq!(files(json!({ "path": "/a", "uri": "file:///a" })), [json!({ "uri": "file:///a" })]);
        let renamed = json!({ "files": [{ "path": "/a", "newPath": "/b" }, { "path": "/c" }] });
        assert_eq!(
            files(renamed),
            [json!({ "path": "/b" }), json!({ "path": "/a" }), json!({ "path": "/c" })]
        );
        assert!(Given::by(&json!({ "matches": [{ "path": "/a" }] }), Weak::new()).is_empty());
    }
}
