//! Conversion of clap's usage errors into the format of all other errors.

use clap::error::ErrorKind;

use crate::cli::CliError;

/// Converts an error of clap. If it carries help or the version, prints that and returns `None`.
pub(in crate::cli) fn usage_error(error: &clap::Error) -> Option<CliError> {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // A closed standard output is not an error here.
        let _ = error.print();
        return None;
    }
    Some(converted(&error.render().to_string()))
}

/// Converts clap's text, in which the message, tips and usage follow each other, separated by empty lines.
fn converted(rendered: &str) -> CliError {
    let text = rendered.strip_prefix("error: ").unwrap_or(rendered).trim_end();
    let (mut what, mut hints) = (Vec::new(), Vec::new());
    let mut called = typed_command();
    for line in text.lines() {
        if let Some(tip) = line.trim_start().strip_prefix("tip: ") {
            hints.push(tip.to_owned());
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            called = command_of_usage(usage);
            what.push(line);
        } else if !line.trim().is_empty() && !line.starts_with("For more information") {
            what.push(line);
        }
    }
    hints.push(format!("run `{called} --help` for details"));
    hints.into_iter().fold(CliError::usage(what.join("\n")), CliError::with_hint)
}

/// Returns the command that was typed: `editd` with the subcommand, if one was found.
fn typed_command() -> String {
    let command = super::command();
    let typed = std::env::args().skip(1).find(|word| command.find_subcommand(word).is_some());
    typed.map_or_else(|| "editd".to_owned(), |name| format!("editd {name}"))
}

/// Returns the words of a usage line that name the command.
fn command_of_usage(usage: &str) -> String {
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    usage.split_whitespace().take_while(is_name).collect::<Vec<_>>().join(" ")
}
