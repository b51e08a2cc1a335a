//! Data for programs about the project and its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use editd_protocol::{Diagnostics, path_of_uri, uri_of};

use super::daemon::{Failure, Session};

/// Returns the diagnostics of a file, or of all files, by file.
pub(super) async fn diagnostics(session: &Session, uri: Option<String>) -> Result<Value, Failure> {
    // Claude Code sends paths with a scheme, some of which are not URIs.
    let path = uri.map(|uri| path_of_uri(&uri).unwrap_or_else(|_| uri.trim_start_matches("file://").into()));
    let listed = session.call::<Diagnostics>(json!({ "path": path })).await?;
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for item in listed.items {
        let item = json!(item);
        let path = item["path"].as_str().unwrap_or_default();
        let entry = json!({
            "message": item["message"],
            "severity": severity(item["severity"].as_str().unwrap_or_default()),
            "range": item["range"],
            "source": item["source"],
        });
        files.entry(uri_of(Path::new(path)).to_string()).or_default().push(entry);
    }
    Ok(files
        .into_iter()
        .map(|(uri, diagnostics)| json!({ "uri": uri, "diagnostics": diagnostics }))
        .collect())
}

fn severity(name: &str) -> &'static str {
    match name {
        "error" => "Error",
        "warning" => "Warning",
        "hint" => "Hint",
        _ => "Info",
    }
}

/// Returns the folders of the project.
pub(super) fn folders(roots: &[PathBuf]) -> Value {
    let folder = |root: &PathBuf| {
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy();
        json!({ "name": name, "uri": uri_of(root), "path": root })
    };
    let list: Vec<_> = roots.iter().map(folder).collect();
    json!({ "success": true, "folders": list, "rootPath": roots.first() })
}
