//! What the help and the manual pages say beside the descriptions in `arguments`: both are made of the same.

mod examples;
mod facts;
mod groups;
mod pages;
mod wrong;

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

use super::Complaint;
use super::arguments::Arguments;

pub(super) use pages::{page, write_pages};
pub(super) use wrong::wrong_usage;

/// Options for all commands that mean nothing to some: those do not show them, and refuse them.
const MEANINGLESS: [(&str, &[&str]); 6] = [
    ("serve", &["output", "no_spawn"]),
    ("lsp", &["output"]),
    ("mcp", &["output"]),
    ("demo", &["output", "state_dir", "runtime_dir", "no_spawn"]),
    ("completions", &["output", "state_dir", "runtime_dir", "no_spawn"]),
    ("man", &["output", "state_dir", "runtime_dir", "no_spawn"]),
];

const SHORT: &str = "\
`editd COMMAND --help` tells of a command, with examples. `editd demo` shows it all at work.
`editd --help` also tells of exit codes, environment and files.";

const LONG: &str =
    "`editd COMMAND --help` tells of a command, with examples. `editd demo` shows it all at work.";

/// The whole command line, as it is parsed and as help, completions and manual pages show it.
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
    for (name, options) in MEANINGLESS {
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

/// Says that an option was given which means nothing to the command.
pub(super) fn check(matches: &ArgMatches) -> Result<(), Complaint> {
    let Some((name, given)) = matches.subcommand() else { return Ok(()) };
    let unused = MEANINGLESS.iter().filter(|(of, _)| *of == name).flat_map(|(_, options)| *options);
    for option in unused {
        if given.value_source(option) == Some(ValueSource::CommandLine) {
            let option = option.replace('_', "-");
            return Err(Complaint::usage(format!("`editd {name}` has no use for --{option}"))
                .with_hint(format!("leave --{option} out")));
        }
    }
    Ok(())
}

fn heading(command: &clap::Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}

/// The help of the program: commands in groups, then the options.
fn template(command: &clap::Command) -> StyledStr {
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (group, names) in groups::GROUPS {
        // A string takes all.
        let _ = write!(text, "\n{}\n{}", heading(command, group), groups::rows(command, names));
    }
    let _ = write!(text, "\n{}\n{{options}}{{after-help}}", heading(command, "Global options"));
    text.into()
}

/// What the long help of the program ends with.
fn long(command: &clap::Command) -> StyledStr {
    let mut text = String::new();
    for (title, facts) in facts::ALL {
        let _ = write!(text, "{}\n{}\n", heading(command, title), facts::shown(facts));
    }
    text.push_str(LONG);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Descriptions that would be broken in a list are none.
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
    fn what_is_said_of_commands_is_said_of_some_that_exist() {
        let command = command();
        let named = MEANINGLESS.iter().map(|(name, _)| *name).chain(examples::COMMANDS.iter().map(|it| it.0));
        for name in named {
            assert!(command.find_subcommand(name).is_some(), "there is no {name}");
        }
    }

    #[test]
    fn the_parser_is_sound() {
        command().debug_assert();
    }
}
