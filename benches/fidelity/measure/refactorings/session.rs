//! The daemon that receives the requests.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::super::daemon::machine::Machine;
use super::{Case, Tree};

/// A daemon, which has a new session and a new folder for each case.
pub(crate) struct Session {
    machine: Machine,
    cases: Cell<usize>,
}

impl Session {
    pub(crate) fn start() -> Self {
        Self { machine: Machine::configured(""), cases: Cell::new(0) }
    }

    /// Sends the request of a case. Returns the kind and the message of a refusal, and the files afterwards.
    pub(crate) fn run(&self, case: &Case) -> (Result<(), String>, Tree) {
        self.cases.set(self.cases.get() + 1);
        let root = self.machine.root().join(format!("case{}", self.cases.get()));
        fs::create_dir(&root).expect("a folder");
        write(&root, &case.before);
        let mut client = Machine::session("bench", &self.machine.socket(), &root);
        for path in case.before.keys() {
            match case.shown.get(path) {
                Some((_, 0)) => {}
                Some((offset, limit)) => {
                    client.call("editd/read", &json!({ "path": path, "offset": offset, "limit": limit }));
                }
                None => {
                    client.call("editd/read", &json!({ "path": path }));
                }
            }
        }
        write(&root, &case.others);
        let answer = client.try_call("editd/edit", &case.request);
        drop(client);
        let mut after = Tree::new();
        collect(&root, &root, &mut after);
        fs::remove_dir_all(&root).expect("a folder");
        let answer = match answer {
            Ok(result) if result["state"] == "applied" => Ok(()),
            Ok(result) => Err(format!("state: {}", result["state"])),
            Err(error) => {
                let kind = error["data"]["kind"].as_str().unwrap_or("invalid_params");
                Err(format!("{kind}: {}; {}", error["message"], error["data"]))
            }
        };
        (answer, after)
    }
}

fn write(root: &Path, tree: &Tree) {
    for (path, text) in tree {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
}

/// Reads all files of a folder.
fn collect(root: &Path, folder: &Path, into: &mut Tree) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, into);
            continue;
        }
        let name = path.strip_prefix(root).expect("a path below the root").display().to_string();
        let bytes = fs::read(&path).expect("a file");
        into.insert(name, String::from_utf8_lossy(&bytes).into_owned());
    }
}
