//! The installed versions of agent programs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use editd_agents::gate::AgentProgram;

/// Returns the version of a program, if `PATH` leads to the program.
///
/// A program of an npm package is not run for this: one of them needs seconds to start, and leaves files in the
/// home folder.
pub(super) fn installed(client: AgentProgram) -> Option<String> {
    let program = find(client.name())?;
    packaged(client.name(), &program).or_else(|| printed(&program))
}

/// Returns the file that `PATH` leads to for a name.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// Returns the version of the npm package that contains the program.
fn packaged(name: &str, program: &Path) -> Option<String> {
    let program = fs::canonicalize(program).ok()?;
    let manifests = program.ancestors().skip(1).map(|folder| folder.join("package.json"));
    let package: Value = manifests
        .filter_map(|manifest| fs::read(manifest).ok())
        .find_map(|text| serde_json::from_slice(&text).ok())?;
    // The folder of the program can also be in an unrelated package.
    package["bin"].get(name)?;
    package["version"].as_str().map(str::to_owned)
}

/// Asks a program for its version.
fn printed(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.split_whitespace().find(is_version).map(str::to_owned)
}
