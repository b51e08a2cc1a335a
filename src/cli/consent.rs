//! Changes with the consent of the person: an answer at the terminal, `--yes`, `--base` or a review.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::protocol::{Apply, ApplyResult, Decide, Discard, Edit, FileEntry, Method, Propose};
use crate::transport::Client;

use super::arguments::Output;
use super::paint::{FAINT, GOOD};
use super::read::print_json;
use super::{CliError, Context, End, ask, paint, stream};

/// State of a proposal that waits for a person's decision.
const PENDING: &str = "pending";

/// Returns `true` if a person can be asked and has not passed `--yes`.
pub(super) fn should_ask(context: &Context, yes: bool) -> bool {
    !yes && context.output == Output::Text && ask::is_interactive()
}

/// Makes a change. If `asks`, shows it and asks for confirmation first.
pub(super) fn make(
    context: &Context,
    client: &mut Client,
    request: &Value,
    asks: bool,
) -> Result<End, CliError> {
    if asks {
        return ask_and_apply(context, client, request);
    }
    let result = client.request(Edit::NAME, request)?;
    report(context, &result)
}

/// Maximum number of attempts to change a file that other programs change concurrently.
const TRIES: u32 = 200;

/// Longest pause before another attempt, in milliseconds.
const PAUSE: u32 = 20;

/// Makes a change, and retries while another program changed the file in between. Retries only if
/// `takes_any`, which means that any content of the file is acceptable: `--yes` without a hash. Returns the
/// last refusal after [`TRIES`] attempts.
pub(super) fn retry_while_stale(
    takes_any: bool,
    mut make: impl FnMut() -> Result<End, CliError>,
) -> Result<End, CliError> {
    for attempt in 1..TRIES {
        match make() {
            Err(error) if takes_any && error.kind() == Some("stale") => {
                let pause = Duration::from_millis(attempt.min(PAUSE).into());
                std::thread::sleep(pause);
            }
            end => return end,
        }
    }
    make()
}

fn ask_and_apply(context: &Context, client: &mut Client, request: &Value) -> Result<End, CliError> {
    let proposal = match client.call::<Propose>(request).map_err(CliError::from) {
        Err(error) if error.kind() == Some("protected") => {
            return ask_and_decide(context, client, request);
        }
        proposal => proposal?,
    };
    show(&proposal.files)?;
    if ask::confirm("Apply this change?")? {
        let params = json!({ "id": proposal.id, "revision": proposal.revision });
        let applied = client.call::<Apply>(&params)?;
        if applied.state == PENDING {
            return accept(context, client, &applied);
        }
        summarize(&applied)?;
        return Ok(End::Done);
    }
    client.call::<Discard>(&json!({ "id": proposal.id, "reason": "not wanted at the terminal" }))?;
    writeln!(stream::stdout(), "Nothing was changed.")?;
    Ok(End::Undecided)
}

/// Makes a change that needs a person's decision because of a path rule, by asking the person at this
/// terminal. A change that a rule forbids altogether is refused again.
fn ask_and_decide(context: &Context, client: &mut Client, request: &Value) -> Result<End, CliError> {
    let mut request = request.clone();
    request["review"] = true.into();
    let waits = client.call::<Edit>(&request)?;
    show(waits.files.iter().map(|file| &file.entry))?;
    if ask::confirm("Apply this change?")? {
        return accept(context, client, &waits);
    }
    client.call::<Discard>(&json!({ "id": waits.id, "reason": "not wanted at the terminal" }))?;
    writeln!(stream::stdout(), "Nothing was changed.")?;
    Ok(End::Undecided)
}

/// Accepts a pending change on behalf of the person who has just confirmed it.
fn accept(context: &Context, client: &mut Client, waits: &ApplyResult) -> Result<End, CliError> {
    let mut person = context.person(None)?;
    let yes = json!({ "id": waits.id, "revision": waits.revision, "accept": "all" });
    person.call::<Decide>(&yes)?;
    summarize(&client.call::<Apply>(&json!({ "id": waits.id, "revision": waits.revision }))?)?;
    Ok(End::Done)
}

/// Prints the result of a change.
pub(super) fn report(context: &Context, result: &Value) -> Result<End, CliError> {
    let applied: ApplyResult = serde_json::from_value(result.clone()).map_err(CliError::failed)?;
    let waits = applied.state == PENDING;
    if !print_json(context, result)? {
        if waits {
            let id = paint::visible(&applied.id);
            writeln!(stream::stdout(), "The change waits for review: editd review {id}")?;
        } else {
            summarize(&applied)?;
        }
        notes_on_stderr(&applied)?;
    }
    Ok(if waits { End::Undecided } else { End::Done })
}

pub(super) fn show<'a>(files: impl IntoIterator<Item = &'a FileEntry>) -> std::io::Result<()> {
    let mut out = stream::stdout();
    for file in files {
        paint::diff(&mut out, &file.diff)?;
        notes(&mut out, file, "")?;
    }
    Ok(())
}

/// Prints how tolerant edits were matched, and the warnings, one per line. `about` is put before each of
/// them.
pub(super) fn notes(out: &mut impl Write, file: &FileEntry, about: &str) -> std::io::Result<()> {
    for found in file.matches.iter().filter(|found| found.strategy != "exact") {
        let (strategy, line) = (&found.strategy, found.start_line);
        writeln!(out, "{FAINT}note: {about}matched by {strategy} at line {line}{FAINT:#}")?;
    }
    let is_one_edit = file.matches.iter().all(|found| found.edit == 0);
    for warning in &file.warnings {
        let warning = warning.strip_prefix("edit 0, ").filter(|_| is_one_edit).unwrap_or(warning);
        writeln!(out, "{FAINT}note: {about}{}{FAINT:#}", paint::visible(warning))?;
    }
    Ok(())
}

/// Prints the notes of a change that was made without asking, on standard error, so that no script takes them
/// for data.
fn notes_on_stderr(applied: &ApplyResult) -> std::io::Result<()> {
    let mut err = stream::stderr();
    let is_one_file = applied.files.len() == 1;
    applied.files.iter().try_for_each(|file| {
        let path = paint::visible(&file.entry.path);
        notes(&mut err, &file.entry, &if is_one_file { String::new() } else { format!("{path}: ") })
    })
}

pub(super) fn summarize(applied: &ApplyResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    for file in &applied.files {
        let entry = &file.entry;
        let verb = match entry.action.as_str() {
            "create" => "created",
            "delete" => "deleted",
            "rename" => "renamed",
            _ => "edited",
        };
        let path = paint::visible(&entry.path);
        writeln!(out, "{GOOD}{verb}{GOOD:#} {path} (+{} -{})", entry.added, entry.removed)?;
        if let Some(hash) = file.landed.as_ref().and_then(|landed| landed.hash.as_ref()) {
            writeln!(out, "{FAINT}{hash}{FAINT:#}")?;
        }
    }
    Ok(())
}
