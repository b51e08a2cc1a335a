//! Servers of `editd ide` that run as long as an editor has a folder open.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};

use parking_lot::Mutex;

use crate::engine::Places;
use editd_syntax::parsing::this_command;
use editd_workspace::SessionId;

/// Maximum number of servers.
const MAX_SERVERS: usize = 16;

/// The servers, by folder.
#[derive(Default)]
pub(super) struct IdeServers(Mutex<HashMap<PathBuf, IdeServer>>);

/// A server for one folder.
struct IdeServer {
    /// Connections of the editors that have the folder open.
    editors: HashSet<SessionId>,
    /// The process, which ends with its standard input; `None` if it could not be started.
    process: Option<Child>,
}

impl IdeServers {
    /// Starts servers for the folders of an editor that have none.
    pub(super) fn connect(&self, places: &Places, editor: SessionId, folders: &[PathBuf]) {
        let mut servers = self.0.lock();
        for folder in folders {
            if let Some(server) = servers.get_mut(folder) {
                server.editors.insert(editor);
            } else if servers.len() < MAX_SERVERS {
                let process = start(places, folder);
                let process =
                    process.inspect_err(|error| tracing::warn!(%error, "starting `editd ide`")).ok();
                servers.insert(folder.clone(), IdeServer { editors: HashSet::from([editor]), process });
            }
        }
    }

    /// Ends the servers for the folders that no other editor has open.
    pub(super) fn disconnect(&self, editor: SessionId) {
        self.0.lock().retain(|_, server| {
            server.editors.remove(&editor);
            !server.editors.is_empty()
        });
    }
}

impl Drop for IdeServer {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        drop(process.stdin.take());
        // It ends soon, and is a zombie until a thread has waited for it.
        let waiting = std::thread::Builder::new().name("ide".to_owned());
        let _ = waiting.spawn(move || process.wait());
    }
}

fn start(places: &Places, folder: &Path) -> io::Result<Child> {
    let mut process = this_command()?
        .args(["ide", "--until-eof", "--no-spawn", "--root"])
        .arg(folder)
        .arg("--state-dir")
        .arg(&places.state_dir)
        .arg("--runtime-dir")
        .arg(&places.runtime_dir)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(errors) = process.stderr.take() {
        let folder = folder.to_owned();
        std::thread::Builder::new().name("ide-log".to_owned()).spawn(move || log(&folder, errors))?;
    }
    Ok(process)
}

/// Copies the warnings of a server to the log.
fn log(folder: &Path, errors: ChildStderr) {
    for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        tracing::warn!(folder = %folder.display(), "`editd ide`: {line}");
    }
}
