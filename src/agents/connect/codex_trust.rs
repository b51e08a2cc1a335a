//! The hooks that Codex trusts: `[hooks.state."FILE:EVENT:GROUP:HOOK"]` with a `trusted_hash`, in its configuration.

use std::path::Path;

use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use super::{Unreadable, codex};

/// A hook with the hash by which Codex trusts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedHook {
    /// Place of the hook in its file: `EVENT:GROUP:HOOK`.
    pub place: String,
    /// The hash.
    pub hash: String,
}

const HASH: &str = "trusted_hash";

/// Returns the configuration in which Codex trusts the hooks of editd in a file with the content `settings`.
pub fn add(config: &str, file: &Path, settings: &str, hashes: &[TrustedHook]) -> Result<String, Unreadable> {
    let mut document = parse(config)?;
    let state = member(document.as_table_mut(), "hooks").and_then(|hooks| member(hooks, "state"));
    let state = state
        .ok_or_else(|| Unreadable { line: 1, problem: "expected a table at `hooks.state`".to_owned() })?;
    for place in places(settings) {
        let Some(hook) = hashes.iter().find(|hook| hook.place == place) else { continue };
        let mut entry = Table::new();
        entry.insert(HASH, value(&hook.hash));
        state.insert(&key(file, &place), Item::Table(entry));
    }
    Ok(document.to_string())
}

/// Returns the configuration without the trust in the hooks of editd.
pub fn remove(config: &str, file: &Path, settings: &str) -> Result<String, Unreadable> {
    let mut document = parse(config)?;
    let mut is_changed = false;
    if let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) {
        if let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut) {
            for place in places(settings) {
                is_changed |= state.remove(&key(file, &place)).is_some();
            }
            if is_changed && state.is_empty() {
                hooks.remove("state");
            }
        }
        if is_changed && hooks.is_empty() {
            document.remove("hooks");
        }
    }
    Ok(if is_changed { document.to_string() } else { config.to_owned() })
}

/// Returns `true` if the configuration has hashes for all hooks of editd in a file.
pub fn is_trusted(config: &str, file: &Path, settings: &str) -> bool {
    let Ok(document) = parse(config) else { return false };
    let trusts = |place: &String| {
        let entry =
            document.get("hooks").and_then(|hooks| hooks.get("state")?.get(key(file, place))?.get(HASH));
        entry.is_some()
    };
    let places = places(settings);
    !places.is_empty() && places.iter().all(trusts)
}

fn key(file: &Path, place: &str) -> String {
    format!("{}:{place}", file.display())
}

fn parse(config: &str) -> Result<DocumentMut, Unreadable> {
    config.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| config.get(..span.start)).unwrap_or_default();
        Unreadable { line: before.lines().count().max(1), problem: error.message().to_owned() }
    })
}

/// Returns a table in a table, which is created without a separate header.
fn member<'a>(table: &'a mut dyn TableLike, name: &str) -> Option<&'a mut dyn TableLike> {
    if !table.contains_key(name) {
        let mut new = Table::new();
        new.set_implicit(true);
        table.insert(name, Item::Table(new));
    }
    table.get_mut(name)?.as_table_like_mut()
}

/// Returns the places of the hooks of editd in a file with hooks.
fn places(settings: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    let events = settings["hooks"].as_object().into_iter().flatten();
    let places = events.flat_map(|(event, groups)| {
        let groups = groups.as_array().into_iter().flatten().enumerate();
        let ours = groups.filter(|(_, group)| codex::is_ours(group));
        ours.flat_map(move |(index, group)| {
            let hooks = group["hooks"].as_array().map_or(0, Vec::len);
            (0..hooks).map(move |hook| format!("{}:{index}:{hook}", snake_case(event)))
        })
    });
    places.collect()
}

/// Returns the name of an event as it is in keys: `pre_tool_use` for `PreToolUse`.
fn snake_case(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}
