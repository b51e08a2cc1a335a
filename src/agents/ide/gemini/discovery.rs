use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::ide::files::{self, Named, OwnedFile, PrivateFolder};
use crate::web::Token;

/// Returns the variables with which Gemini CLI prefers this server to others.
pub(in crate::ide) fn environment(
    port: u16,
    token: &Token,
    roots: &[PathBuf],
) -> Vec<(&'static str, String)> {
    vec![
        ("GEMINI_CLI_IDE_SERVER_PORT", port.to_string()),
        ("GEMINI_CLI_IDE_WORKSPACE_PATH", joined(roots)),
        ("GEMINI_CLI_IDE_AUTH_TOKEN", token.text().to_owned()),
    ]
}

/// Writes the file by which Gemini CLI finds the server. Its folder belongs to the first user who has one; the folder
/// around it is left to all.
pub(in crate::ide) fn write(port: u16, token: &Token, roots: &[PathBuf]) -> io::Result<OwnedFile> {
    let shared = std::env::temp_dir().join("gemini");
    files::create_shared(&shared)?;
    let folder = shared.join("ide");
    let id = std::process::id();
    let folder = PrivateFolder::open(&folder)?;
    folder.remove_stale(|name, _| {
        let (process, port) =
            name.strip_prefix("gemini-ide-server-")?.strip_suffix(".json")?.split_once('-')?;
        Some(Named { process: process.parse().ok()?, port: port.parse().ok()? })
    });
    let content = json!({
        "port": port,
        "workspacePath": joined(roots),
        "authToken": token.text(),
        "ideInfo": { "name": "editd", "displayName": "editd" },
    });
    folder.write(&format!("gemini-ide-server-{id}-{port}.json"), &content)
}

/// Joins paths as in `PATH`.
fn joined(roots: &[PathBuf]) -> String {
    roots.iter().map(|root| Path::display(root).to_string()).collect::<Vec<_>>().join(":")
}
