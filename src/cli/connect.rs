//! `editd connect`: adds the hooks of editd to the settings of an agent program, or removes them.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::connect::{self, Scope, Unreadable, folder_variable, is_connected, settings_file};
use crate::edit::{Deadline, Labels, diff_texts};
use crate::gate::AgentProgram;
use crate::server::Places;
use crate::text::ContentHash;

use super::arguments::{ConnectArguments, Output};
use super::paint::{FAINT, GOOD};
use super::serve::folder_in_state;
use super::{CliError, Context, End, paint, root, stream};

/// Folder in the state folder with the settings before each connection.
const CONNECTED: &str = "connected";

/// `editd connect`.
pub(crate) fn connect(context: &Context, arguments: &ConnectArguments) -> Result<End, CliError> {
    let client = arguments.client;
    let file = file_of(client, arguments.project)?;
    let before = read(&file)?;
    let backup = Backup::of(context, &file);
    let after = if arguments.undo {
        let removed = || connect::disconnect(client, &before);
        backup.restored(&before).map_or_else(removed, Ok)
    } else {
        connect::connect(client, &before, &program())
    };
    let after = after.map_err(|error| unreadable(&file, &error))?;
    if before == after {
        let state = if arguments.undo { "is not connected" } else { "is connected already" };
        writeln!(stream::stdout(), "{} {state}: {}", client.title(), paint::path(&file))?;
        return Ok(End::Done);
    }
    let name = file.display().to_string();
    let shown = diff_texts(&before, &after, Labels::same(name.trim_start_matches('/')), Deadline::NONE);
    paint::diff(&mut stream::stdout(), &shown.unified)?;
    if !arguments.yes {
        if context.output == Output::Json || !stream::is_interactive() {
            return Err(CliError::failed(
                "the settings were not changed, because there is no terminal to ask on",
            )
            .with_hint("pass --yes to write the settings as shown"));
        }
        if !stream::confirm("Change these settings?")? {
            return Ok(End::Undecided);
        }
    }
    if !arguments.undo {
        backup.store(&before, &after)?;
    }
    write(&file, &before, &after)?;
    if arguments.undo {
        backup.forget();
    }
    report(client, &file, arguments)
}

fn report(client: AgentProgram, file: &Path, arguments: &ConnectArguments) -> Result<End, CliError> {
    let mut out = stream::stdout();
    let (done, next) = if arguments.undo {
        ("disconnected", "Running sessions keep the hooks until they end.")
    } else {
        (
            "connected",
            "Sessions that you start from now on pass their edits through editd. To take it back: --undo.",
        )
    };
    writeln!(out, "{GOOD}{done}{GOOD:#} {} in {}", client.title(), paint::path(file))?;
    writeln!(out, "{FAINT}{next}{FAINT:#}")?;
    Ok(End::Done)
}

/// Returns the state of each program for `editd doctor`: its settings file, and whether that has the hooks.
pub(crate) fn states() -> Vec<(AgentProgram, PathBuf, Result<bool, String>)> {
    let state = |client: AgentProgram| {
        let file = file_of(client, false).ok()?;
        let text = fs::read_to_string(&file).ok()?;
        Some((client, file, is_connected(client, &text).map_err(|error| error.to_string())))
    };
    AgentProgram::ALL.into_iter().filter_map(state).collect()
}

fn file_of(client: AgentProgram, project: bool) -> Result<PathBuf, CliError> {
    if project {
        let root = root::of_here()?.ok_or_else(|| {
            CliError::failed("this folder is not in a project").with_hint("run it in the folder of a project")
        })?;
        return Ok(settings_file(client, Scope::Project(&root)));
    }
    let home = std::env::home_dir().ok_or_else(|| CliError::failed("there is no home folder"))?;
    let variable = |name: &str| std::env::var_os(name).filter(|folder| !folder.is_empty());
    let folder = folder_variable(client).and_then(variable).map(PathBuf::from);
    let folder = folder.or_else(|| {
        let config = variable("XDG_CONFIG_HOME").filter(|_| client == AgentProgram::Opencode)?;
        Some(PathBuf::from(config).join("opencode"))
    });
    Ok(settings_file(client, Scope::User(&home, folder.as_deref())))
}

/// Returns the program for the hooks: by its name if `PATH` leads to this program, else by its path.
fn program() -> String {
    let name = env!("CARGO_PKG_NAME");
    let own = std::env::current_exe().and_then(fs::canonicalize).ok();
    let in_path = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
    });
    let found = in_path.and_then(|program| fs::canonicalize(program).ok());
    match own {
        Some(own) if found.as_ref() != Some(&own) => own.display().to_string(),
        _ => name.to_owned(),
    }
}

fn unreadable(file: &Path, error: &Unreadable) -> CliError {
    CliError::failed(format!("`{}` was not changed, because it cannot be read: {error}", paint::path(file)))
        .with_hint("correct the file first; its program ignores it as it is")
}

/// Returns the text of a file, or an empty text if it does not exist.
fn read(file: &Path) -> Result<String, CliError> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        text => text.map_err(|error| CliError::at(file, &error)),
    }
}

/// Replaces a settings file, or removes it if nothing is left of it. Refuses if it has changed since it was
/// read. A link stays a link.
fn write(file: &Path, before: &str, after: &str) -> Result<(), CliError> {
    let at = |error: &std::io::Error| CliError::at(file, error);
    if read(file)? != before {
        return Err(CliError::failed(format!("`{}` has changed in the meantime", paint::path(file)))
            .with_hint("run the command again"));
    }
    if after.is_empty() && !file.is_symlink() {
        return fs::remove_file(file).map_err(|error| at(&error));
    }
    // The target of a link may be missing.
    let linked = || fs::read_link(file).map(|to| file.parent().unwrap_or(Path::new(".")).join(to));
    let real = fs::canonicalize(file).or_else(|_| linked()).unwrap_or_else(|_| file.to_owned());
    let folder = real.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| at(&error))?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(|error| at(&error))?;
    if let Ok(known) = fs::metadata(&real) {
        new.as_file().set_permissions(known.permissions()).map_err(|error| at(&error))?;
    }
    new.write_all(after.as_bytes()).and_then(|()| new.as_file().sync_all()).map_err(|error| at(&error))?;
    new.persist(&real).map_err(|error| at(&error.error))?;
    Ok(())
}

/// The text of a settings file before editd was connected, in the state folder. As long as the settings are
/// not changed otherwise, it is restored byte for byte.
struct Backup<'a> {
    places: &'a Places,
    /// Name of the file in the folder [`CONNECTED`].
    name: String,
}

impl<'a> Backup<'a> {
    fn of(context: &'a Context, file: &Path) -> Self {
        let hash = ContentHash::of(file.as_os_str().as_encoded_bytes()).to_string();
        Self { places: &context.places, name: format!("{}.json", hash.replace(':', "-")) }
    }

    fn path(&self) -> PathBuf {
        self.places.state_dir.join(CONNECTED).join(&self.name)
    }

    fn store(&self, before: &str, after: &str) -> Result<(), CliError> {
        // The settings may be those of an earlier connection.
        let first = self.restored(before);
        let before = first.as_deref().unwrap_or(before);
        let after = ContentHash::of(after.as_bytes()).to_string();
        let stored = json!({ "before": before, "after": after }).to_string();
        folder_in_state(self.places, CONNECTED)
            .and_then(|folder| fs::write(folder.join(&self.name), stored))
            .map_err(|error| CliError::at(&self.path(), &error))
    }

    /// Returns the text before the connection, if the settings are still those that it led to.
    fn restored(&self, now: &str) -> Option<String> {
        let stored: Value = serde_json::from_str(&fs::read_to_string(self.path()).ok()?).ok()?;
        let is_same = stored["after"] == ContentHash::of(now.as_bytes()).to_string();
        stored["before"].as_str().filter(|_| is_same).map(str::to_owned)
    }

    fn forget(&self) {
        // A stored text of other settings is never restored.
        let _ = fs::remove_file(self.path());
    }
}
