//! Manual pages, generated from the same descriptions as the help.

use std::io::{self, Write};
use std::path::Path;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::examples::{self, Example};
use super::facts::{ENVIRONMENT, EXIT_CODES, FILES, Fact};
use super::groups::GROUPS;

/// Writes the manual page of the program.
pub(in crate::cli) fn page(out: &mut impl Write) -> io::Result<()> {
    let command = built();
    render(&command, &command, &examples::PROGRAM, out)
}

/// Writes the page of the program and one for each command to a folder, which is created if missing. Returns
/// the number of pages.
pub(in crate::cli) fn write_pages(folder: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let command = built();
    let mut pages = vec![("editd.1".to_owned(), Vec::new())];
    render(&command, &command, &examples::PROGRAM, &mut pages[0].1)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        let examples = examples::COMMANDS.iter().find(|(name, _)| *name == sub.get_name());
        let mut page = Vec::new();
        render(&command, sub, examples.map_or(&[], |(_, examples)| examples), &mut page)?;
        pages.push((format!("editd-{}.1", sub.get_name()), page));
    }
    for (name, page) in &pages {
        std::fs::write(folder.join(name), page)?;
    }
    Ok(pages.len())
}

fn built() -> clap::Command {
    // The text after the help becomes separate sections of the page.
    let mut command = super::command().after_help(None::<&str>).after_long_help(None::<&str>);
    command.build();
    command
}

fn render(
    program: &clap::Command,
    command: &clap::Command,
    examples: &[Example],
    out: &mut impl Write,
) -> io::Result<()> {
    let is_program = program.get_name() == command.get_name();
    let name = if is_program { "editd".to_owned() } else { format!("editd-{}", command.get_name()) };
    let own = command.clone().after_long_help(None::<&str>).after_help(None::<&str>).display_name(&name);
    let man = Man::new(own).title(name.to_uppercase()).section("1").source(version());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    if is_program {
        commands(program).to_writer(out)?;
    }
    man.render_options_section(out)?;
    facts("EXIT STATUS", &EXIT_CODES).to_writer(out)?;
    facts("ENVIRONMENT", &ENVIRONMENT).to_writer(out)?;
    facts("FILES", &FILES).to_writer(out)?;
    if !examples.is_empty() {
        examples_section(examples).to_writer(out)?;
    }
    see_also(program, command.get_name()).to_writer(out)
}

fn version() -> String {
    format!("editd {}", env!("CARGO_PKG_VERSION"))
}

/// Returns the section of the commands, in the groups of the help.
fn commands(program: &clap::Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for (group, names) in GROUPS {
        roff.control("SS", [group]);
        for sub in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            roff.control("TP", []).text([bold(format!("editd {}", sub.get_name()))]).text([roman(about)]);
        }
    }
    roff
}

fn facts(title: &str, facts: &[Fact]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (name, text) in facts {
        roff.control("TP", []).text([bold(*name)]).text([roman(*text)]);
    }
    roff
}

fn examples_section(examples: &[Example]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]);
    for (what, line) in examples {
        roff.control("TP", []).text([roman(*what)]).text([bold(*line)]);
    }
    roff
}

fn see_also(program: &clap::Command, but: &str) -> Roff {
    let mut roff = Roff::new();
    // Disables hyphenation of page names.
    roff.control("SH", ["SEE ALSO"]).control("nh", []);
    let groups = GROUPS.iter().filter(|(_, names)| but == program.get_name() || names.contains(&but));
    let names = groups.flat_map(|(_, names)| *names).filter(|name| ![but, "help"].contains(*name));
    let program = (but != program.get_name()).then(|| "editd".to_owned());
    let mut names: Vec<_> = names.map(|name| format!("editd-{name}")).chain(program).collect();
    names.sort_unstable();
    let last = names.len().saturating_sub(1);
    for (at, name) in names.into_iter().enumerate() {
        roff.text([bold(name), roman(if at == last { "(1)" } else { "(1)," })]);
    }
    roff
}
