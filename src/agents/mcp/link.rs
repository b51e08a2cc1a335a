use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use serde_json::{Value, json};

use editd_daemon::transport::{CallError, Client, ConcurrentClient, PendingCall};
use editd_protocol::{FILE_CHANGED, Forget, Method};

use super::relative::FirstRoot;

/// A connection to the daemon, with the files that others have changed.
pub(super) struct Link {
    client: ConcurrentClient,
    /// Files that others have changed since the session read them, with the authors.
    changed: Arc<Mutex<BTreeMap<String, String>>>,
    /// The folder that paths in answers are relative to.
    pub(super) root: FirstRoot,
}

impl Link {
    /// Creates a link over an initialized connection of a session with this first root.
    pub(super) fn over(client: Client, root: FirstRoot) -> io::Result<Self> {
        let changed: Arc<Mutex<BTreeMap<_, _>>> = Arc::default();
        let known = changed.clone();
        let client = ConcurrentClient::over(client, move |method, params| {
            if method == FILE_CHANGED {
                let text = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
                known.lock().insert(text("path"), text("by"));
            }
        })?;
        Ok(Self { client, changed, root })
    }

    pub(super) fn is_over(&self) -> bool {
        self.client.is_over()
    }

    /// Sends a request after all earlier ones. Returns `None` if the connection has ended.
    pub(super) fn send(self: &Arc<Self>, method: &str, params: &Value) -> Option<Ticket> {
        Some(Ticket { call: self.client.send(method, params)?, link: self.clone() })
    }

    /// Makes the session forget that it has read a file.
    pub(super) fn forget(&self, file: &Value) {
        self.client.send_only(Forget::NAME, file);
    }

    /// Returns the files that others have changed since the last call.
    pub(super) fn take_changed_files(&self) -> BTreeMap<String, String> {
        let changed = std::mem::take(&mut *self.changed.lock());
        changed.into_iter().map(|(path, by)| (self.root.relative(&path).to_owned(), by)).collect()
    }
}

/// A sent request.
pub(super) struct Ticket {
    call: PendingCall,
    link: Arc<Link>,
}

impl Ticket {
    /// Returns the connection that the request was sent over.
    pub(super) fn link(&self) -> Arc<Link> {
        self.link.clone()
    }

    /// Waits for the response. Returns `None` if the connection ends first.
    pub(super) async fn answer(&mut self) -> Option<Result<Value, CallError>> {
        self.call.answer().await
    }

    /// Collects the files that the result delivers to the session.
    pub(super) fn delivery(&self, result: &Value) -> Delivery {
        Delivery::by(result, Arc::downgrade(&self.link), &self.link.root)
    }

    /// Makes the session forget that it has read files.
    pub(super) fn forget(&self, paths: &[String]) {
        for path in paths {
            self.link.forget(&json!({ "path": path }));
        }
    }

    /// Cancels the request, unless it has already begun to write. The response shows the outcome.
    pub(super) fn cancel(&self) {
        self.call.cancel();
    }
}

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
    pub(super) fn by(result: &Value, to: Weak<Link>, root: &FirstRoot) -> Self {
        let lists = [&result["files"], &result["reads"]];
        let listed = lists.into_iter().filter_map(Value::as_array).flatten();
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
                .filter_map(|file| file["path"].as_str().map(|path| root.relative(path).to_owned()))
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
        let files = |result: Value| Delivery::by(&result, Weak::new(), &FirstRoot::default()).files;
        assert_eq!(files(json!({ "path": "/a", "uri": "file:///a" })), [json!({ "uri": "file:///a" })]);
        let renamed = json!({ "files": [{ "path": "/a", "newPath": "/b" }, { "path": "/c" }] });
        assert_eq!(
            files(renamed),
            [json!({ "path": "/b" }), json!({ "path": "/a" }), json!({ "path": "/c" })]
        );
        assert!(
            Delivery::by(&json!({ "matches": [{ "path": "/a" }] }), Weak::new(), &FirstRoot::default())
                .is_empty()
        );
    }
}
