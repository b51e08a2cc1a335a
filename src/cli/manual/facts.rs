//! Exit codes, environment variables and files, for the help and the manual pages.

use std::fmt::Write as _;

/// A name and its description.
pub(super) type Fact = (&'static str, &'static str);

pub(super) const EXIT_CODES: [Fact; 4] = [
    ("0", "Done, also if nothing was found."),
    ("1", "Refused or failed; standard error has the reason and the next step."),
    ("2", "Wrong usage."),
    ("3", "A person rejected the change or has not decided yet."),
];

pub(super) const ENVIRONMENT: [Fact; 7] = [
    ("EDITD_STATE_DIR", "The state folder, unless --state-dir names it."),
    ("EDITD_RUNTIME_DIR", "The folder of the sockets, unless --runtime-dir names it."),
    ("EDITD_CONFIG", "The configuration file."),
    ("EDITD_AUTHOR", "The author of changes, unless --author names it."),
    ("EDITD_LOG", "The daemon's log level: error, warn, info (default), debug or trace."),
    ("NO_COLOR, CLICOLOR_FORCE", "Disables colours; enables colours also without a terminal."),
    ("VISUAL, EDITOR", "The editor that `editd review` opens to edit lines; else vi."),
];

pub(super) const FILES: [Fact; 4] = [
    ("~/.config/editd/config.toml", "The configuration; in $XDG_CONFIG_HOME/editd if that is set."),
    (
        "~/.config/editd/policy.toml",
        "Your rules for what agents may read and change; beside the configuration.",
    ),
    (
        "~/.local/state/editd",
        "The state folder: history, proposals, logs; $XDG_STATE_HOME/editd if that is set.",
    ),
    (
        "$XDG_RUNTIME_DIR/editd",
        "The sockets agent.sock and editor.sock; `run` in the state folder if that is not set.",
    ),
];

pub(super) const ALL: [(&str, &[Fact]); 3] =
    [("Exit codes", &EXIT_CODES), ("Environment", &ENVIRONMENT), ("Files", &FILES)];

/// Maximum length of a name whose text is on the same line.
const NAME: usize = 18;
/// Width of the help, in columns.
const COLUMNS: usize = 80;

/// Formats facts as a list.
pub(super) fn list(facts: &[Fact]) -> String {
    let longest = facts.iter().map(|(name, _)| name.len()).filter(|len| *len <= NAME).max().unwrap_or(NAME);
    let indent = " ".repeat(longest + 4);
    let mut list = String::new();
    for (name, text) in facts {
        let options = textwrap::Options::new(COLUMNS).initial_indent(&indent).subsequent_indent(&indent);
        let text = textwrap::fill(text, options);
        // Writing to a string cannot fail.
        let _ = if name.len() > longest {
            writeln!(list, "  {name}\n{text}")
        } else {
            writeln!(list, "  {name:<longest$}  {}", text.trim_start())
        };
    }
    list
}
