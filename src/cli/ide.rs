//! `editd ide`: reviews for the changes of Claude Code and Gemini CLI.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use editd_agents::ide::{self, Options, Running};

use super::arguments::IdeArguments;
use super::child::{end_of, start_and_wait};
use super::{CliError, Context, End, paint, root, stream};

/// `editd ide`.
pub(crate) fn ide(context: &Context, arguments: &IdeArguments) -> Result<End, CliError> {
    let roots = roots(&arguments.root)?;
    let options = Options { places: context.places.clone(), spawn: context.spawn, roots };
    if arguments.command.is_empty() {
        let (roots, until_eof) = (options.roots.clone(), arguments.until_eof);
        let mut told = Ok(());
        let tell = |running: Running| {
            told = warn(&running.warnings).and_then(|()| tell(&roots, until_eof));
        };
        ide::serve(options, |end| end_with(end, until_eof), tell)?;
        return Ok(told.map(|()| End::Done)?);
    }
    let (sender, started) = mpsc::channel::<Running>();
    let server = thread::spawn(move || ide::serve(options, |_| {}, |running| drop(sender.send(running))));
    // Without a message, the server could not be started.
    let ended = started.recv().ok().map(|running| {
        // The program runs without the warnings as well.
        let _ = warn(&running.warnings);
        let mut command = Command::new(&arguments.command[0]);
        command.args(&arguments.command[1..]).envs(running.environment);
        let ended = start_and_wait(&mut command);
        running.end.cancel();
        ended
    });
    server.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    Ok(ended.map_or(End::Done, |ended| end_of(&arguments.command[0], ended)))
}

fn roots(given: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    if !given.is_empty() {
        return Ok(root::given(given)?);
    }
    let here = root::of_here()?.ok_or_else(|| {
        CliError::failed("the home folder and system folders cannot be a project")
            .with_hint("run the command in the folder of a project, or pass --root")
    })?;
    Ok(vec![here])
}

fn warn(warnings: &[String]) -> io::Result<()> {
    let mut out = stream::stderr();
    for warning in warnings {
        writeln!(out, "editd: {}", paint::visible(warning))?;
    }
    out.flush()
}

/// Tells the user what runs, unless the daemon has started this command.
fn tell(roots: &[PathBuf], until_eof: bool) -> io::Result<()> {
    if until_eof {
        return Ok(());
    }
    let folders: Vec<_> = roots.iter().map(|root| paint::visible(&Path::display(root).to_string())).collect();
    let folders = folders.join(", ");
    let mut out = stream::stdout();
    writeln!(out, "Claude Code and Gemini CLI in {folders} can ask for reviews now (`/ide` in either).")?;
    writeln!(out, "Review in your editor or with `editd review`. Ctrl-C ends this.")?;
    out.flush()
}

/// Ends the server by a signal, or at the end of standard input.
fn end_with(end: &CancellationToken, until_eof: bool) {
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let ended = end.clone();
        // From here on, the signal does not end the process.
        if let Ok(mut signals) = signal(kind) {
            tokio::spawn(async move {
                signals.recv().await;
                ended.cancel();
            });
        }
    }
    if until_eof {
        let ended = end.clone();
        thread::spawn(move || {
            // An error ends the server as well.
            let _ = io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink());
            ended.cancel();
        });
    }
}
