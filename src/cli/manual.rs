//! Text of the help and the manual pages beyond the descriptions in `arguments`. Both show the same text.

mod pages;
mod tables;

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

use super::CliError;
use super::arguments::Arguments;

use tables::{ENVIRONMENT, EXIT_CODES, FILES, Fact, GROUPS};

pub(super) use pages::man;

/// Global options that have no effect on some commands. Those commands hide and reject them.
const IGNORED_OPTIONS: [(&str, &[&str]); 6] = [
    ("serve", &["output", "no_spawn"]),
    ("lsp", &["output"]),
    ("mcp", &["output"]),
    ("demo", &["output", "state_dir", "runtime_dir", "no_spawn"]),
    ("completions", &["output", "state_dir", "runtime_dir", "no_spawn"]),
    ("man", &["output", "state_dir", "runtime_dir", "no_spawn"]),
];

/// Maximum length of a name whose text is on the same line.
const NAME: usize = 18;
/// Width of the help, in columns.
const COLUMNS: usize = 80;

/// The command that clap adds when it parses.
const HELP: (&str, &str) = ("help", "Print the help of the program or of a command");

/// End of the program's help.
const NEXT: &str =
    "`editd COMMAND --help` describes a command, with examples. `editd demo` shows editd at work.";

/// Returns the command line definition, which the parser, the help, the completions and the manual pages
/// share.
pub(super) fn command() -> clap::Command {
    let mut command = Arguments::command();
    for (name, options) in IGNORED_OPTIONS {
        let ignored = command.get_arguments().filter(|it| options.contains(&it.get_id().as_str()));
        let hidden: Vec<_> = ignored.map(|option| option.clone().hide(true)).collect();
        command = command.mut_subcommand(name, |command| command.args(hidden));
    }
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    for name in names {
        let mut help = format!("{}\n", heading(&command, "Examples"));
        let title = help.len();
        for (what, line) in tables::examples_of(&name) {
            // Writing to a string cannot fail.
            let _ = writeln!(help, "  {what}:\n      {line}");
        }
        if help.len() > title {
            let help = StyledStr::from(help);
            command = command.mut_subcommand(&name, |command| command.after_long_help(help));
        }
    }
    let template = template(&command);
    let long = long(&command);
    let short = format!("{NEXT}\n`editd --help` also lists exit codes, environment variables and files.");
    command.help_template(template).after_help(short).after_long_help(long)
}

/// Returns an error if an option was passed that has no effect on the command.
pub(super) fn check(matches: &ArgMatches) -> Result<(), CliError> {
    let Some((name, given)) = matches.subcommand() else { return Ok(()) };
    let unused = IGNORED_OPTIONS.iter().filter(|(of, _)| *of == name).flat_map(|(_, options)| *options);
    for option in unused {
        if given.value_source(option) == Some(ValueSource::CommandLine) {
            let option = option.replace('_', "-");
            return Err(CliError::usage(format!("`editd {name}` does not take --{option}"))
                .with_hint(format!("omit --{option}")));
        }
    }
    Ok(())
}

fn heading(command: &clap::Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}

/// Returns the template of the program's help: commands in groups, then the options.
fn template(command: &clap::Command) -> StyledStr {
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (group, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}\n{}", heading(command, group), rows(command, names));
    }
    let _ = write!(text, "\n{}\n{{options}}{{after-help}}", heading(command, "Global options"));
    text.into()
}

/// Returns the end of the program's long help.
fn long(command: &clap::Command) -> StyledStr {
    let mut text = String::new();
    let lists: [(&str, &[Fact]); 3] =
        [("Exit codes", &EXIT_CODES), ("Environment", &ENVIRONMENT), ("Files", &FILES)];
    for (title, facts) in lists {
        let _ = write!(text, "{}\n{}\n", heading(command, title), list(facts));
    }
    text.push_str(NEXT);
    text.into()
}

/// Returns a line for each of these commands.
fn rows(command: &clap::Command, names: &[&str]) -> String {
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

/// Formats facts as a list.
fn list(facts: &[Fact]) -> String {
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

/// Converts an error of clap. If it carries help or the version, prints that and returns `None`.
pub(super) fn usage_error(error: &clap::Error) -> Option<CliError> {
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
    let command = command();
    let typed = std::env::args().skip(1).find(|word| command.find_subcommand(word).is_some());
    typed.map_or_else(|| "editd".to_owned(), |name| format!("editd {name}"))
}

/// Returns the words of a usage line that name the command.
fn command_of_usage(usage: &str) -> String {
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    usage.split_whitespace().take_while(is_name).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum length of a description, so that it fits its line in the list.
    const ROOM: usize = 62;

    #[test]
    fn every_command_is_in_one_group_and_fits_its_line() {
        let mut command = command();
        command.build();
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            let times = GROUPS.iter().flat_map(|(_, names)| *names).filter(|it| **it == name).count();
            assert_eq!(times, 1, "{name} is in one group");
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty() && about.chars().count() <= ROOM, "{name}: {about}");
        }
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(command.find_subcommand(name).is_some(), "there is no {name}");
        }
    }

    #[test]
    fn the_table_of_ignored_options_names_existing_commands() {
        let command = command();
        for (name, _) in IGNORED_OPTIONS {
            assert!(command.find_subcommand(name).is_some(), "there is no {name}");
        }
    }

    #[test]
    fn the_parser_definition_is_valid() {
        command().debug_assert();
    }
}
