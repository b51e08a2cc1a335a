//! Manual pages, generated from the same descriptions as the help.

use std::io::{self, Write};
use std::path::Path;

use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use crate::cli::{CliError, End, paint, stream};

use super::tables::{ENVIRONMENT, EXIT_CODES, Example, FILES, Fact, GROUPS, PROGRAM_EXAMPLES, examples_of};

/// `editd man`. Prints the page of the program, or writes all pages to a folder.
pub(in crate::cli) fn man(folder: Option<&Path>) -> Result<End, CliError> {
    // The text after the help becomes separate sections of the page.
    let mut program = super::command().after_help(None::<&str>).after_long_help(None::<&str>);
    program.build();
    match folder {
        None => render(&program, &program, &mut stream::raw_stdout())?,
        Some(folder) => {
            let pages = write_pages(&program, folder).map_err(|error| CliError::at(folder, &error))?;
            writeln!(stream::stdout(), "Wrote {pages} pages to {}.", paint::path(folder))?;
        }
    }
    Ok(End::Done)
}

/// Writes the page of the program and one for each command to a folder, which is created if missing. Returns
/// the number of pages.
fn write_pages(program: &clap::Command, folder: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let is_shown = |sub: &&clap::Command| !sub.is_hide_set() && sub.get_name() != "help";
    let mut pages = 0;
    for command in [program].into_iter().chain(program.get_subcommands().filter(is_shown)) {
        let mut page = Vec::new();
        render(program, command, &mut page)?;
        std::fs::write(folder.join(format!("{}.1", page_name(program, command))), page)?;
        pages += 1;
    }
    Ok(pages)
}

/// Returns the name of the page of the program or of a command.
fn page_name(program: &clap::Command, command: &clap::Command) -> String {
    match command.get_name() {
        name if name == program.get_name() => name.to_owned(),
        name => format!("{}-{name}", program.get_name()),
    }
}

fn render(program: &clap::Command, command: &clap::Command, out: &mut impl Write) -> io::Result<()> {
    let is_program = program.get_name() == command.get_name();
    let name = page_name(program, command);
    let own = command.clone().after_long_help(None::<&str>).after_help(None::<&str>).display_name(&name);
    let source = format!("editd {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(own).title(name.to_uppercase()).section("1").source(source);
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    if is_program {
        commands(program).to_writer(out)?;
    }
    man.render_options_section(out)?;
    let fact = |(name, text): Fact| [bold(name), roman(text)];
    section("EXIT STATUS", EXIT_CODES.map(fact)).to_writer(out)?;
    section("ENVIRONMENT", ENVIRONMENT.map(fact)).to_writer(out)?;
    section("FILES", FILES.map(fact)).to_writer(out)?;
    let examples: Vec<&Example> = if is_program {
        PROGRAM_EXAMPLES.iter().collect()
    } else {
        examples_of(command.get_name()).collect()
    };
    if !examples.is_empty() {
        let examples = examples.into_iter().map(|(what, line)| [roman(*what), bold(*line)]);
        section("EXAMPLES", examples).to_writer(out)?;
    }
    see_also(program, command.get_name()).to_writer(out)
}

/// Returns a section of terms with their descriptions.
fn section(title: &str, entries: impl IntoIterator<Item = [Inline; 2]>) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for [term, text] in entries {
        roff.control("TP", []).text([term]).text([text]);
    }
    roff
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
