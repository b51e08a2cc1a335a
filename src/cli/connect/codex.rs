//! The trust of Codex in hooks. Codex runs only hooks whose hash is in its configuration. Codex itself computes the
//! hash, in a separate settings folder.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};

use super::file::{FileChange, read, restored, unreadable};
use crate::cli::{CliError, Context};
use editd_agents::connect::codex_trust::{self, TrustedHook};

/// Maximum time to wait for Codex.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the change of the configuration by which Codex trusts the hooks, or forgets them. Returns `None` if
/// Codex cannot be asked for the hashes.
pub(super) fn trust(
    context: &Context,
    hooks: &FileChange,
    disconnects: bool,
) -> Result<Option<FileChange>, CliError> {
    let file = configuration(&hooks.file);
    let before = read(&file)?;
    let after = if disconnects {
        let removed = || codex_trust::remove(&before, &hooks.file, &hooks.before);
        restored(context, &file, &before).map_or_else(removed, Ok)
    } else {
        let Some(hashes) = hashes(&hooks.after) else { return Ok(None) };
        codex_trust::add(&before, &hooks.file, &hooks.after, &hashes)
    };
    let after = after.map_err(|error| unreadable(&file, &error))?;
    Ok(Some(FileChange { file, before, after }))
}

/// Returns `true` if the configuration has hashes for all hooks of editd in a file.
pub(super) fn is_trusted(hooks: &Path) -> bool {
    let texts = read(hooks).and_then(|settings| Ok((settings, read(&configuration(hooks))?)));
    texts.is_ok_and(|(settings, config)| codex_trust::is_trusted(&config, hooks, &settings))
}

/// Returns the configuration file of the user.
fn configuration(hooks: &Path) -> PathBuf {
    let user = super::file_of(editd_agents::gate::AgentProgram::Codex, false);
    user.unwrap_or_else(|_| hooks.to_owned()).with_file_name("config.toml")
}

/// Asks Codex for the hashes of the hooks in a file with this content.
fn hashes(settings: &str) -> Option<Vec<TrustedHook>> {
    let home = tempfile::tempdir().ok()?;
    let file = home.path().join("hooks.json");
    fs::write(&file, settings).ok()?;
    let answer = ask(home.path())?;
    let hooks = answer["result"]["data"][0]["hooks"].as_array()?;
    let hook = |hook: &Value| {
        let place = hook["key"].as_str()?.rsplit_once(".json:")?.1.to_owned();
        Some(TrustedHook { place, hash: hook["currentHash"].as_str()?.to_owned() })
    };
    hooks.iter().map(hook).collect()
}

/// Sends `hooks/list` to Codex with a separate settings folder, and returns the answer.
fn ask(home: &Path) -> Option<Value> {
    // Without these features, Codex creates fewer files and asks no other machine for plugins.
    let options = ["-c", "features.plugins=false", "-c", "skills.bundled.enabled=false"];
    let mut codex = Command::new("codex")
        .arg("app-server")
        .args(options)
        .env("CODEX_HOME", home)
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (mut input, output) = (codex.stdin.take()?, codex.stdout.take()?);
    let version = env!("CARGO_PKG_VERSION");
    let client = json!({ "name": "editd", "title": "editd", "version": version });
    let messages = [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": client } }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "hooks/list", "params": { "cwds": [home] } }),
    ];
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        let mut messages = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        // No one waits for an answer that comes too late.
        let _ = messages.find(|message| message["id"] == 2).map(|answer| sender.send(answer));
    });
    let sent = messages.iter().try_for_each(|message| writeln!(input, "{message}"));
    let answer = sent.ok().and_then(|()| answers.recv_timeout(PATIENCE).ok());
    drop(input);
    // It may have ended by itself.
    let _ = codex.kill();
    let _ = codex.wait();
    answer
}
