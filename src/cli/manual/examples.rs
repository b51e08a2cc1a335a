//! Examples for the help. A test runs all of them in a folder with the files that they name.

use std::fmt::Write as _;

/// A description and the command line.
pub(super) type Example = (&'static str, &'static str);

pub(super) const COMMANDS: [(&str, &[Example]); 18] = [
    (
        "edit",
        &[
            (
                "Show a change and ask before writing it",
                "editd edit src/main.rs --old 'port = 80;' --new 'port = 8080;'",
            ),
            (
                "Replace every occurrence without asking",
                "editd edit notes.md --old colour --new color --all --yes",
            ),
            (
                "Record the purpose of a change",
                "editd edit notes.md --old tint --new tone --label 'As in the book' --yes",
            ),
        ],
    ),
    (
        "write",
        &[
            ("Create a file and its folders", "editd write config/new.toml draft.toml"),
            ("Write the output of another program", "date | editd write now.txt --yes"),
        ],
    ),
    (
        "apply",
        &[
            ("Show a patch and ask before applying it", "editd apply fix.patch"),
            ("Apply the answer of a model", "editd apply --yes < answer.md"),
        ],
    ),
    (
        "undo",
        &[
            ("Undo the newest change", "editd undo"),
            ("Undo the newest change of one file", "editd undo --path notes.md"),
            ("Undo all changes of the last two hours", "editd undo --since 2h"),
        ],
    ),
    (
        "read",
        &[(
            "Print twenty lines with their numbers",
            "editd read src/main.rs --offset 1 --limit 20 --numbered",
        )],
    ),
    (
        "search",
        &[
            ("Find functions, with two lines of context", "editd search 'fn \\w+' src --context 2"),
            ("Find literal text in Rust files", "editd search -F 'let port =' --glob '*.rs'"),
        ],
    ),
    (
        "find",
        &[
            ("Find files by name, at any depth", "editd find '*.rs'"),
            ("Find files by their path from the folder", "editd find 'src/**/main.*'"),
        ],
    ),
    ("list", &[("List a folder", "editd list src")]),
    (
        "review",
        &[
            ("Review all pending proposals", "editd review"),
            ("List them for another program", "editd review --output json"),
            ("Review what you rejected last again", "editd review --reopen"),
        ],
    ),
    ("proposals", &[("List them for another program", "editd proposals --output json")]),
    (
        "log",
        &[
            ("List the last five changes", "editd log -n 5"),
            ("List the changes of one file", "editd log notes.md"),
            ("List the changes of a folder with their diffs", "editd log src -p"),
        ],
    ),
    ("show", &[("Show the newest change", "editd show \"$(editd log -n 1 | cut -d ' ' -f 1)\"")]),
    ("blame", &[("Show the author of each line", "editd blame notes.md")]),
    (
        "mcp",
        &[
            ("Serve one project, whatever roots the client has", "editd mcp --root src"),
            ("Serve only read-only tools", "editd mcp --read-only"),
        ],
    ),
    ("status", &[("Print the state with the paths of the sockets", "editd status --output json")]),
    ("doctor", &[("Print the checks for another program", "editd doctor --output json")]),
    (
        "completions",
        &[
            ("Install completions for bash", "echo 'source <(editd completions bash)' >> ~/.bashrc"),
            (
                "Install completions for zsh, after `compinit`",
                "echo 'source <(editd completions zsh)' >> ~/.zshrc",
            ),
            (
                "Install completions for fish",
                "editd completions fish > ~/.config/fish/completions/editd.fish",
            ),
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

/// Examples on the manual page of the program.
pub(super) const PROGRAM: [Example; 4] = [
    ("Run the demo", "editd demo --no-pause"),
    ("Show a change and ask before writing it", "editd edit notes.md --old colour --new color --all"),
    ("Review the changes that agents propose", "editd review"),
    ("List changes with their authors", "editd log"),
];

/// Returns the examples of a command, formatted for its help.
pub(super) fn of(command: &str) -> Option<String> {
    let (_, examples) = COMMANDS.iter().find(|(name, _)| *name == command)?;
    let mut text = String::new();
    for (what, line) in *examples {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {what}:\n      {line}");
    }
    Some(text)
}
