//! `editd review --web`: the server of the review page, in the foreground.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::cli::arguments::{Output, ReviewArguments};
use crate::cli::paint::PLACE;
use crate::cli::{CliError, Context, End, paint, stream};
use editd_agents::page::{Notice, Options, serve};
use editd_daemon::transport::was_enforced;
use editd_syntax::parsing;

/// Variables that are set where a browser can be shown.
const DISPLAYS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

/// Serves the page until Ctrl-C.
pub(super) fn review(
    context: &Context,
    root: Option<&Path>,
    arguments: &ReviewArguments,
) -> Result<End, CliError> {
    parsing::use_processes(parsing::this_program()?);
    let is_json = context.output == Output::Json;
    let opening = match (arguments.no_open, was_enforced(&context.places.state_dir)) {
        (true, _) => Opening::ByRequest,
        (false, true) => Opening::Unobserved,
        (false, false) => Opening::Browser,
    };
    // The output may be closed while the page is still open in a browser.
    let noticed = move |notice| drop(say(&notice, is_json, opening));
    serve(Options {
        places: context.places.clone(),
        spawn: context.spawn,
        identity: context.reviewer(root),
        port: arguments.port,
        noticed: Box::new(noticed),
    })?;
    Ok(End::Done)
}

/// The way in which the page is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// By starting a browser with the address.
    Browser,
    /// By the person, who wants no browser to be started.
    ByRequest,
    /// By the person, because commands that must not decide reviews can read the arguments of a browser.
    Unobserved,
}

fn say(notice: &Notice, is_json: bool, opening: Opening) -> std::io::Result<()> {
    match notice {
        Notice::Ready(address) => ready(address, is_json, opening),
        Notice::Opened => stream::note("The page is open."),
        Notice::OpenedAgain => stream::note(
            "The address was used again and refused. If you were not the first to open it, press Ctrl-C.",
        ),
        Notice::DaemonEnded => stream::note("The daemon has ended; the page continues when it runs again."),
        Notice::DaemonBack => stream::note("The daemon runs again."),
        Notice::DaemonRefuses(reason) => stream::note(&format!(
            "The daemon does not accept this command any more: {reason}. Start it again."
        )),
    }
}

fn ready(address: &str, is_json: bool, opening: Opening) -> std::io::Result<()> {
    let mut out = stream::stdout();
    if is_json {
        writeln!(out, "{}", paint::json(&json!({ "address": address })))?;
    } else {
        writeln!(out, "{PLACE}{address}{PLACE:#}")?;
    }
    out.flush()?;
    stream::note("Changes in this project wait for your review until you press Ctrl-C.")?;
    match opening {
        Opening::Browser if !open(address) => {
            stream::note("Open the address in a browser on this machine. It works once.")?;
        }
        Opening::Unobserved => stream::note(
            "Paste the address into a browser on this machine. It works once. It is not opened for you, because a command under `editd run --enforce` could read it from the arguments of the browser.",
        )?,
        Opening::Browser | Opening::ByRequest => {}
    }
    Ok(())
}

/// Opens the address in a browser. Returns `false` if there is no display or no program to do so.
fn open(address: &str) -> bool {
    let browser = std::env::var("BROWSER").ok().filter(|browser| !browser.trim().is_empty());
    let mut command = match browser {
        Some(browser) => {
            // Runs it in a shell, because the variable may contain arguments.
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("{browser} \"$@\"")).arg(browser);
            shell
        }
        None if DISPLAYS.iter().any(|name| std::env::var_os(name).is_some()) => Command::new("xdg-open"),
        None => return false,
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut started) => {
            // A child that has ended remains until its parent waits for it.
            std::thread::spawn(move || started.wait());
            true
        }
        Err(_) => false,
    }
}
