//! The plugins for opencode and pi, which are bundled with editd.

use super::Unreadable;

pub(super) const OPENCODE: &str = include_str!("plugins/opencode.ts");
pub(super) const PI: &str = include_str!("plugins/pi.ts");

/// A part of the first line of both files.
const MARK: &str = "`editd connect ";
/// The line of the plugins that names the program to start.
const PROGRAM: &str = "const EDITD = 'editd';";

/// Returns the plugin that starts `program`. Refuses to replace a file that is not a plugin of editd.
pub(super) fn written(plugin: &str, present: &str, program: &str) -> Result<String, Unreadable> {
    if !present.is_empty() && !is_ours(present) {
        return Err(Unreadable { line: 1, problem: "the file is not a plugin of editd".to_owned() });
    }
    let program = program.replace('\\', "\\\\").replace('\'', "\\'");
    Ok(plugin.replacen(PROGRAM, &format!("const EDITD = '{program}';"), 1))
}

/// Returns nothing if the file is a plugin of editd.
pub(super) fn removed(present: &str) -> String {
    if is_ours(present) { String::new() } else { present.to_owned() }
}

fn is_ours(file: &str) -> bool {
    file.lines().next().is_some_and(|line| line.contains(MARK))
}
