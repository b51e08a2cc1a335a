//! Tables of the help and the manual pages.

/// The commands, grouped by purpose.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    ("Change text", &["edit", "move", "rename", "write", "apply", "run", "undo"]),
    ("Read and search", &["read", "outline", "search", "find", "list"]),
    ("Review and history", &["review", "proposals", "log", "show", "blame"]),
    ("Serve agents and editors", &["connect", "mcp", "ide", "lsp"]),
    ("The daemon", &["status", "doctor", "stop", "serve"]),
    ("Learn more", &["demo", "help", "man", "completions"]),
];

/// A name and its description.
pub(super) type Fact = (&'static str, &'static str);

/// The exit codes.
pub(super) const EXIT_CODES: [Fact; 4] = [
    ("0", "Done, even if nothing was found."),
    ("1", "Refused or failed; standard error has the reason and the next step."),
    ("2", "Wrong usage."),
    ("3", "A person rejected the change or has not decided yet."),
];

/// The environment variables.
pub(super) const ENVIRONMENT: [Fact; 10] = [
    ("EDITD_STATE_DIR", "The state folder, unless --state-dir names it."),
    ("EDITD_RUNTIME_DIR", "The folder of the sockets, unless --runtime-dir names it."),
    ("EDITD_CONFIG", "The configuration file."),
    ("EDITD_AUTHOR", "The author of changes, unless --author names it."),
    ("EDITD_LOG", "The daemon's log level: error, warn, info (default), debug or trace."),
    ("EDITD_ENFORCED", "Set by `editd run --enforce`: editd makes all edits, and starts no daemon."),
    ("EDITD_SSH", "The command that --ssh starts instead of `ssh`, such as `ssh -F FILE`."),
    ("NO_COLOR, CLICOLOR_FORCE", "Disables colours; enables colours even without a terminal."),
    ("VISUAL, EDITOR", "The editor that `editd review` opens to edit lines; else vi."),
    ("BROWSER", "The browser that `editd review --web` opens; else xdg-open, if there is a display."),
];

/// The files and folders.
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

/// A description and the command line.
pub(super) type Example = (&'static str, &'static str);

/// Examples on the manual page of the program.
pub(super) const PROGRAM_EXAMPLES: [Example; 4] = [
    ("Run the demo", "editd demo --no-pause"),
    ("Show a change and ask before writing it", "editd edit notes.md --old colour --new color --all"),
    ("Review the changes that agents propose", "editd review"),
    ("List changes with their authors", "editd log"),
];

/// Examples of the commands. Each belongs to the command that its line names first. A test runs all of them in a
/// folder with the files that they name.
const EXAMPLES: [Example; 36] = [
    (
        "Show a change and ask before writing it",
        "editd edit src/main.rs --old 'port = 80;' --new 'port = 8080;'",
    ),
    ("Replace every occurrence without asking", "editd edit notes.md --old colour --new color --all --yes"),
    (
        "Record the purpose of a change",
        "editd edit notes.md --old tint --new tone --label 'As in the book' --yes",
    ),
    ("Create a file and its folders", "editd write config/new.toml draft.toml"),
    ("Write the output of another program", "date | editd write now.txt --yes"),
    ("Show a patch and ask before applying it", "editd apply fix.patch"),
    ("Apply the answer of a model", "editd apply --yes < answer.md"),
    ("Record what a script changes", "editd run -- sed -i s/colour/color/ notes.md"),
    ("Run a build that cannot write to the project", "editd run --enforce -- sh -c 'echo built'"),
    ("Undo the newest change", "editd undo"),
    ("Undo the newest change of one file", "editd undo --path notes.md"),
    ("Undo all changes of the last two hours", "editd undo --since 2h"),
    ("Print twenty lines with their numbers", "editd read src/main.rs --offset 1 --limit 20 --numbered"),
    ("Find functions, with two lines of context", "editd search 'fn \\w+' src --context 2"),
    ("Find literal text in Rust files", "editd search -F 'let port =' --glob '*.rs'"),
    ("Find files by name, at any depth", "editd find '*.rs'"),
    ("Find files by their path from the folder", "editd find 'src/**/main.*'"),
    ("List a folder", "editd list src"),
    ("Review all pending proposals", "editd review"),
    ("List them for another program", "editd review --output json"),
    ("Reopen the last rejected hunks and review them", "editd review --reopen"),
    ("List them for another program", "editd proposals --output json"),
    ("List the last five changes", "editd log -n 5"),
    ("List the changes of one file", "editd log notes.md"),
    ("List the changes of a folder with their diffs", "editd log src -p"),
    ("Show the newest change", "editd show \"$(editd log -n 1 | cut -d ' ' -f 1)\""),
    ("Show the author of each line", "editd blame notes.md"),
    ("Serve one project, whatever roots the client has", "editd mcp --root src"),
    ("Serve only read-only tools", "editd mcp --read-only"),
    ("Print the state with the paths of the sockets", "editd status --output json"),
    ("Print the checks for another program", "editd doctor --output json"),
    ("Install completions for bash", "echo 'source <(editd completions bash)' >> ~/.bashrc"),
    ("Install completions for zsh, after `compinit`", "echo 'source <(editd completions zsh)' >> ~/.zshrc"),
    ("Install completions for fish", "editd completions fish > ~/.config/fish/completions/editd.fish"),
    ("Read the page", "editd man | man -l -"),
    ("Install all pages", "editd man ~/.local/share/man/man1"),
];

/// Returns the examples of a command.
pub(super) fn examples_of(command: &str) -> impl Iterator<Item = &'static Example> {
    EXAMPLES.iter().filter(move |(_, line)| first_command(line) == Some(command))
}

/// Returns the command that a line of shell calls first.
fn first_command(line: &str) -> Option<&str> {
    let called = line.split_once("editd ")?.1;
    called.split(|c: char| !c.is_ascii_lowercase()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_belongs_to_a_command() {
        for (what, line) in EXAMPLES {
            let command = first_command(line);
            let is_known = GROUPS.iter().flat_map(|(_, names)| *names).any(|name| command == Some(name));
            assert!(is_known, "{what}: {line}");
        }
    }
}
