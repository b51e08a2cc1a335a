//! Checks of data blocks: configurations and messages.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Deserializer, Value};

use crate::support::Wire;

/// Checks a configuration or a policy with `editd doctor`. Returns the report as the error.
pub(super) fn configuration(text: &str, set_environment: impl FnOnce(&mut Command)) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let is_policy = text.contains("[[rules]]");
    let file = folder.path().join(if is_policy { "policy.toml" } else { "config.toml" });
    fs::write(&file, text).expect("a file");
    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a mode");
    let mut command = Command::new(env!("CARGO_BIN_EXE_editd"));
    set_environment(&mut command);
    command.arg("doctor").env("EDITD_CONFIG", folder.path().join("config.toml"));
    let output = command.output().expect("editd can be run");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() && report.contains(&file.display().to_string()) { Ok(()) } else { Err(report) }
}

/// Parses the messages of a block. Other values in the block must be valid JSON and are ignored.
pub(super) fn messages(text: &str) -> Result<Vec<Value>, String> {
    let values: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter().collect();
    let is_message = |value: &Value| value.get("method").is_some();
    Ok(values.map_err(|error| format!("invalid JSON: {error}"))?.into_iter().filter(is_message).collect())
}

/// Sends a message. Waits for the answer if the message is a request.
pub(super) fn send(wire: &mut Wire, message: &Value) -> Result<(), String> {
    wire.send(message);
    let Some(id) = message.get("id") else { return Ok(()) };
    loop {
        let arrived = wire.receive();
        if arrived.get("method").is_none() && arrived.get("id") == Some(id) {
            let refused = arrived.get("error");
            return refused.map_or(Ok(()), |error| Err(format!("{message} is answered by {error:#}")));
        }
    }
}
