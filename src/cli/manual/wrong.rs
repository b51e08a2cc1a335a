//! What clap has to say of wrong usage, in the form that all complaints have.

use clap::error::ErrorKind;

use crate::cli::Complaint;

/// A complaint; nothing if help or version was asked for, which is printed then.
pub(in crate::cli) fn wrong_usage(error: &clap::Error) -> Option<Complaint> {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // A reader that is gone wants no help.
        let _ = error.print();
        return None;
    }
    Some(in_our_form(&error.render().to_string()))
}

/// clap puts the matter first, then tips, then the usage, each after an empty line.
fn in_our_form(rendered: &str) -> Complaint {
    let text = rendered.strip_prefix("error: ").unwrap_or(rendered).trim_end();
    let (mut what, mut hints) = (Vec::new(), Vec::new());
    let mut called = called();
    for line in text.lines() {
        if let Some(tip) = line.trim_start().strip_prefix("tip: ") {
            hints.push(tip.to_owned());
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            called = command_in(usage);
            what.push(line);
        } else if !line.trim().is_empty() && !line.starts_with("For more information") {
            what.push(line);
        }
    }
    hints.push(format!("`{called} --help` tells more"));
    hints.into_iter().fold(Complaint::usage(what.join("\n")), Complaint::with_hint)
}

/// What was typed, as far as it is a command.
fn called() -> String {
    let command = super::command();
    let typed = std::env::args().skip(1).find(|word| command.find_subcommand(word).is_some());
    typed.map_or_else(|| "editd".to_owned(), |name| format!("editd {name}"))
}

/// The words of a usage that a person would type before `--help`.
fn command_in(usage: &str) -> String {
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    usage.split_whitespace().take_while(is_name).collect::<Vec<_>>().join(" ")
}
