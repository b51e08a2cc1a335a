//! Examples of commands. A test runs each in a folder that has what they name.

use std::fmt::Write as _;

/// What it does, and the line to type.
pub(super) type Example = (&'static str, &'static str);

pub(super) const COMMANDS: [(&str, &[Example]); 18] = [
    (
        "edit",
        &[
            ("Show the change, ask, write", "editd edit src/main.rs --old 'port = 80;' --new 'port = 8080;'"),
            ("Every place, without asking", "editd edit notes.md --old colour --new color --all --yes"),
            (
                "Say what it is for",
                "editd edit notes.md --old tint --new tone --label 'As in the book' --yes",
            ),
        ],
    ),
    (
        "write",
        &[
            ("A new file, folders included", "editd write config/new.toml draft.toml"),
            ("What another program prints", "date | editd write now.txt --yes"),
        ],
    ),
    (
        "apply",
        &[
            ("Show what a patch does, ask, write", "editd apply fix.patch"),
            ("What a model has answered", "editd apply --yes < answer.md"),
        ],
    ),
    (
        "undo",
        &[
            ("Take the newest change back", "editd undo"),
            ("The newest change of one file", "editd undo --path notes.md"),
            ("All that was changed in the last two hours", "editd undo --since 2h"),
        ],
    ),
    (
        "read",
        &[("Twenty lines with their numbers", "editd read src/main.rs --offset 1 --limit 20 --numbered")],
    ),
    (
        "search",
        &[
            ("Functions, with two lines around each", "editd search 'fn \\w+' src --context 2"),
            ("A text as it is, in Rust files only", "editd search -F 'let port =' --glob '*.rs'"),
        ],
    ),
    (
        "find",
        &[
            ("By name, at any depth", "editd find '*.rs'"),
            ("By path from the folder", "editd find 'src/**/main.*'"),
        ],
    ),
    ("list", &[("A folder", "editd list src")]),
    (
        "review",
        &[
            ("Go through all that waits", "editd review"),
            ("List it, for another program", "editd review --output json"),
            ("Bring back what was rejected last", "editd review --reopen"),
        ],
    ),
    ("proposals", &[("With ids and states, for another program", "editd proposals --output json")]),
    (
        "log",
        &[
            ("The last five changes", "editd log -n 5"),
            ("Those of one file", "editd log notes.md"),
            ("Those of a folder, with their diffs", "editd log src -p"),
        ],
    ),
    ("show", &[("A change", "editd show \"$(editd log -n 1 | cut -d ' ' -f 1)\"")]),
    ("blame", &[("Line by line", "editd blame notes.md")]),
    (
        "mcp",
        &[
            ("In one project, whatever the client says", "editd mcp --root src"),
            ("Only for looking around", "editd mcp --read-only"),
        ],
    ),
    ("status", &[("Where the sockets are, among other things", "editd status --output json")]),
    ("doctor", &[("For another program", "editd doctor --output json")]),
    (
        "completions",
        &[
            ("Install them for bash", "echo 'source <(editd completions bash)' >> ~/.bashrc"),
            ("For zsh, below `compinit`", "echo 'source <(editd completions zsh)' >> ~/.zshrc"),
            ("For fish", "editd completions fish > ~/.config/fish/completions/editd.fish"),
        ],
    ),
    (
        "man",
        &[
            ("Read the page", "editd man | man -l -"),
            ("Install all pages", "editd man ~/.local/share/man/man1"),
        ],
    ),
];

/// Those of the program as a whole, for its page.
pub(super) const PROGRAM: [Example; 4] = [
    ("See it at work", "editd demo --no-pause"),
    ("Show a change, ask, write", "editd edit notes.md --old colour --new color --all"),
    ("Decide what agents may change", "editd review"),
    ("What was changed, and by whom", "editd log"),
];

/// The examples of a command, for its help.
pub(super) fn of(command: &str) -> Option<String> {
    let (_, examples) = COMMANDS.iter().find(|(name, _)| *name == command)?;
    let mut text = String::new();
    for (what, line) in *examples {
        // A string takes all.
        let _ = writeln!(text, "  {what}:\n      {line}");
    }
    Some(text)
}
