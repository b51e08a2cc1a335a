//! What holds for the program as a whole.

use std::fmt::Write as _;

/// A name and what there is to know of it.
pub(super) type Fact = (&'static str, &'static str);

pub(super) const EXIT_CODES: [Fact; 4] = [
    ("0", "Done. Nothing found is done, too."),
    ("1", "Refused or failed; standard error says why, and what to do next."),
    ("2", "Wrong usage."),
    ("3", "A person said no, or has not decided yet."),
];

pub(super) const ENVIRONMENT: [Fact; 7] = [
    ("EDITD_STATE_DIR", "The state folder, unless --state-dir names it."),
    ("EDITD_RUNTIME_DIR", "The folder of the sockets, unless --runtime-dir names it."),
    ("EDITD_CONFIG", "The configuration file."),
    ("EDITD_AUTHOR", "Who changes are by, unless --author names it."),
    ("EDITD_LOG", "What the daemon logs: error, warn, info (as it is by itself), debug or trace."),
    ("NO_COLOR, CLICOLOR_FORCE", "No colours; colours also where no terminal is."),
    ("VISUAL, EDITOR", "What `editd review` opens to edit lines; else vi."),
];

pub(super) const FILES: [Fact; 4] = [
    ("~/.config/editd/config.toml", "The configuration, below $XDG_CONFIG_HOME if that is set."),
    ("~/.config/editd/policy.toml", "Your rules for what agents may read and change, beside it."),
    (
        "~/.local/state/editd",
        "The state folder: history, proposals, logs; below $XDG_STATE_HOME if that is set.",
    ),
    ("$XDG_RUNTIME_DIR/editd", "The sockets agent.sock and editor.sock; else in `run` in the state folder."),
];

pub(super) const ALL: [(&str, &[Fact]); 3] =
    [("Exit codes", &EXIT_CODES), ("Environment", &ENVIRONMENT), ("Files", &FILES)];

/// Names longer than this have their text on the next line.
const NAME: usize = 18;
/// Columns of the help without a terminal's width to go by.
const COLUMNS: usize = 80;

/// As a list.
pub(super) fn shown(facts: &[Fact]) -> String {
    let longest = facts.iter().map(|(name, _)| name.len()).filter(|len| *len <= NAME).max().unwrap_or(NAME);
    let indent = " ".repeat(longest + 4);
    let mut list = String::new();
    for (name, text) in facts {
        let options = textwrap::Options::new(COLUMNS).initial_indent(&indent).subsequent_indent(&indent);
        let text = textwrap::fill(text, options);
        // A string takes all.
        let _ = if name.len() > longest {
            writeln!(list, "  {name}\n{text}")
        } else {
            writeln!(list, "  {name:<longest$}  {}", text.trim_start())
        };
    }
    list
}
