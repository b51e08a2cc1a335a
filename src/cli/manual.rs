//! Text of the help and the manual pages beyond the descriptions in `arguments`. Both show the same text.

mod examples;
mod facts;
mod groups;
mod pages;
mod usage;

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

use super::CliError;
use super::arguments::Arguments;

pub(super) use pages::{page, write_pages};
pub(super) use usage::usage_error;

/// Global options that have no effect on some commands. Those commands hide and reject them.
const IGNORED_OPTIONS: [(&str, &[&str]); 6] = [
    ("serve", &["output", "no_spawn"]),
    ("lsp", &["output"]),
    ("mcp", &["output"]),
    ("demo", &["output", "state_dir", "runtime_dir", "no_spawn"]),
    ("completions", &["output", "state_dir", "runtime_dir", "no_spawn"]),
    ("man", &["output", "state_dir", "runtime_dir", "no_spawn"]),
];

const SHORT: &str = "\
`editd COMMAND --help` describes a command, with examples. `editd demo` shows editd at work.
`editd --help` also lists exit codes, environment variables and files.";

const LONG: &str =
    "`editd COMMAND --help` describes a command, with examples. `editd demo` shows editd at work.";

/// Returns the command line definition, which the parser, the help, the completions and the manual pages
/// share.
pub(super) fn command() -> clap::Command {
    let mut command = Arguments::command();
    command = command.disable_version_flag(true).arg(
        clap::Arg::new("version")
            .short('V')
            .long("version")
            .action(clap::ArgAction::Version)
            .help("Print the version")
            .help_heading("Global options")
            .display_order(905),
    );
    for (name, options) in IGNORED_OPTIONS {
        command = command.mut_subcommand(name, |command| command);
        for option in options {
            let hidden = command.get_arguments().find(|it| it.get_id() == option).cloned();
            let hidden = hidden.map(|option| option.hide(true));
            command = command.mut_subcommand(name, |command| command.args(hidden));
        }
    }
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    for name in names {
        if let Some(text) = examples::of(&name) {
            let heading = heading(&command, "Examples");
            let help = StyledStr::from(format!("{heading}\n{text}"));
            command = command.mut_subcommand(&name, |command| command.after_long_help(help));
        }
    }
    let template = template(&command);
    let long = long(&command);
    command.help_template(template).after_help(SHORT).after_long_help(long)
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
    for (group, names) in groups::GROUPS {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}\n{}", heading(command, group), groups::rows(command, names));
    }
    let _ = write!(text, "\n{}\n{{options}}{{after-help}}", heading(command, "Global options"));
    text.into()
}

/// Returns the end of the program's long help.
fn long(command: &clap::Command) -> StyledStr {
    let mut text = String::new();
    for (title, facts) in facts::ALL {
        let _ = write!(text, "{}\n{}\n", heading(command, title), facts::list(facts));
    }
    text.push_str(LONG);
    text.into()
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
            let times = groups::GROUPS.iter().flat_map(|(_, names)| *names).filter(|it| **it == name).count();
            assert_eq!(times, 1, "{name} is in one group");
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty() && about.chars().count() <= ROOM, "{name}: {about}");
        }
        for name in groups::GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(command.find_subcommand(name).is_some(), "there is no {name}");
        }
    }

    #[test]
    fn option_and_example_tables_name_existing_commands() {
        let command = command();
        let named =
            IGNORED_OPTIONS.iter().map(|(name, _)| *name).chain(examples::COMMANDS.iter().map(|it| it.0));
        for name in named {
            assert!(command.find_subcommand(name).is_some(), "there is no {name}");
        }
    }

    #[test]
    fn the_parser_definition_is_valid() {
        command().debug_assert();
    }
}
