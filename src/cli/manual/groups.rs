use std::fmt::Write as _;

/// The commands, grouped by purpose.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    ("Change text", &["edit", "write", "apply", "undo"]),
    ("Read and search", &["read", "search", "find", "list"]),
    ("Review and history", &["review", "proposals", "log", "show", "blame"]),
    ("Serve agents and editors", &["mcp", "lsp"]),
    ("The daemon", &["status", "doctor", "stop", "serve"]),
    ("Learn more", &["demo", "help", "man", "completions"]),
];

/// The command that clap adds when it parses.
const HELP: (&str, &str) = ("help", "Print the help of the program or of a command");

/// Returns a line for each of these commands.
pub(super) fn rows(command: &clap::Command, names: &[&str]) -> String {
    let style = command.get_styles().get_literal();
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or_default();
    let mut rows = String::new();
    for name in names {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        let about = about.map_or_else(|| HELP.1.to_owned(), ToString::to_string);
        // Writing to a string cannot fail.
        let _ = writeln!(rows, "  {style}{name:<width$}{style:#}  {about}");
    }
    rows
}
