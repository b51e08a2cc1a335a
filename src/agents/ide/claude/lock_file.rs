use std::io;
use std::path::PathBuf;

use serde_json::json;

use crate::ide::files::{Named, OwnedFile, PrivateFolder};
use crate::web::Token;
use editd_daemon::transport::home;

/// Name under which Claude Code shows this server, and by which its files are recognized.
const NAME: &str = "editd";

/// Writes the file by which Claude Code finds the server.
pub(in crate::ide) fn write(port: u16, token: &Token, roots: &[PathBuf]) -> io::Result<OwnedFile> {
    let settings = match std::env::var_os("CLAUDE_CONFIG_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => home().ok_or_else(|| io::Error::other("there is no home folder"))?.join(".claude"),
    };
    let folder = settings.join("ide");
    let folder = PrivateFolder::open(&folder)?;
    folder.remove_stale(|name, content| {
        content["ideName"].as_str().filter(|name| *name == NAME)?;
        let port = name.strip_suffix(".lock")?.parse().ok()?;
        Some(Named { process: content["pid"].as_i64()?.try_into().ok()?, port })
    });
    let content = json!({
        "pid": std::process::id(),
        "workspaceFolders": roots,
        "ideName": NAME,
        "transport": "ws",
        "runningInWindows": false,
        "authToken": token.text(),
    });
    folder.write(&format!("{port}.lock"), &content)
}
