//! Changes that the user consents to: an answer at the terminal, `--yes`, `--base` or a review.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use editd_daemon::transport::Client;
use editd_protocol::{Apply, ApplyResult, Decide, Discard, Edit, FileEntry, Method, Propose, SyntaxEntry};

use super::arguments::Output;
use super::paint::{ERROR, FAINT, GOOD};
use super::{CliError, Context, End, paint, stream};

/// State of a proposal that waits for a person's decision.
const PENDING: &str = "pending";

/// Returns `true` if a person can be asked and has not passed `--yes`.
pub(super) fn should_ask(context: &Context, yes: bool) -> bool {
    !yes && context.output == Output::Text && stream::is_interactive()
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

/// Lets a change of the version that a tag names be made where its lines are now. Only for a change that a person sees
/// there before it is applied, or who accepts any current content.
pub(super) fn take_later_changes(request: &mut Value) {
    request["onStale"] = "rebase".into();
}

/// Maximum number of attempts to change a file that other programs change concurrently.
const MAX_ATTEMPTS: u32 = 200;

/// Longest pause before another attempt, in milliseconds.
const MAX_PAUSE_MS: u32 = 20;

/// Makes a change, and retries as long as other programs change the file in between. Retries only if
/// `takes_any`, which means that any content of the file is acceptable: `--yes` or `--review` without a base.
/// Returns the last refusal after [`MAX_ATTEMPTS`] attempts.
pub(super) fn retry_while_stale(
    takes_any: bool,
    mut make: impl FnMut() -> Result<End, CliError>,
) -> Result<End, CliError> {
    for attempt in 1..MAX_ATTEMPTS {
        match make() {
            Err(error) if takes_any && error.kind() == Some("stale") => {
                let pause = Duration::from_millis(attempt.min(MAX_PAUSE_MS).into());
                std::thread::sleep(pause);
            }
            end => return end,
        }
    }
    make()
}

fn ask_and_apply(context: &Context, client: &mut Client, request: &Value) -> Result<End, CliError> {
    let (mut id, mut revision, needs_decision) = match client.call::<Propose>(request).map_err(CliError::from)
    {
        // A path rule requires a person's decision: the person at this terminal. A change that a rule forbids
        // altogether is refused again.
        Err(error) if error.kind() == Some("protected") => {
            let mut request = request.clone();
            request["review"] = true.into();
            let waits = client.call::<Edit>(&request)?;
            show(waits.files.iter().map(|file| &file.entry))?;
            (waits.id, waits.revision, true)
        }
        proposal => {
            let proposal = proposal?;
            show(&proposal.files)?;
            (proposal.id, proposal.revision, false)
        }
    };
    if !stream::confirm("Apply this change?")? {
        client.call::<Discard>(&json!({ "id": id, "reason": "declined at the terminal" }))?;
        return nothing_changed();
    }
    if !needs_decision {
        let applied = client.call::<Apply>(&json!({ "id": id, "revision": revision }))?;
        if applied.state != PENDING {
            summarize(&applied)?;
            return Ok(End::Done);
        }
        (id, revision) = (applied.id, applied.revision);
    }
    // The person has just confirmed the pending change.
    let accept = json!({ "id": id, "revision": revision, "accept": "all" });
    context.person(None)?.call::<Decide>(&accept)?;
    summarize(&client.call::<Apply>(&json!({ "id": id, "revision": revision }))?)?;
    Ok(End::Done)
}

/// Ends a command after the person has answered no.
pub(super) fn nothing_changed() -> Result<End, CliError> {
    writeln!(stream::stdout(), "Nothing was changed.")?;
    Ok(End::Undecided)
}

/// Prints the result of a change.
pub(super) fn report(context: &Context, result: &Value) -> Result<End, CliError> {
    let applied: ApplyResult = serde_json::from_value(result.clone()).map_err(CliError::failed)?;
    let waits = applied.state == PENDING;
    if !context.print_json(result)? {
        if waits {
            let id = paint::visible(&applied.id);
            writeln!(stream::stdout(), "The change waits for review: editd review {id}")?;
        } else {
            summarize(&applied)?;
        }
        // On standard error, so that scripts do not mistake the notes for data.
        let mut err = stream::stderr();
        for file in &applied.files {
            let path = paint::visible(&file.entry.path);
            let about = if applied.files.len() == 1 { String::new() } else { format!("{path}: ") };
            notes(&mut err, &file.entry, &about)?;
        }
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
    let is_tolerant = |strategy: &str| !matches!(strategy, "exact" | "lines" | "symbol");
    for found in file.matches.iter().filter(|found| is_tolerant(&found.strategy)) {
        let (strategy, line) = (&found.strategy, found.start_line);
        writeln!(out, "{FAINT}note: {about}matched by {strategy} at line {line}{FAINT:#}")?;
    }
    let is_one_edit = file.matches.iter().all(|found| found.edit == 0);
    for warning in &file.warnings {
        let plain = warning.strip_prefix("edit 0, ").or_else(|| warning.strip_prefix("edit 0: "));
        let warning = plain.filter(|_| is_one_edit).unwrap_or(warning);
        writeln!(out, "{FAINT}note: {about}{}{FAINT:#}", paint::visible(warning))?;
    }
    syntax_errors(out, &file.syntax, about)
}

/// Prints the syntax errors that a change adds, one per line. `about` is put before each of them.
pub(super) fn syntax_errors(
    out: &mut impl Write,
    errors: &[SyntaxEntry],
    about: &str,
) -> std::io::Result<()> {
    for SyntaxEntry { line, excerpt } in errors {
        let excerpt = paint::visible(excerpt);
        writeln!(out, "{ERROR}note: {about}new syntax error in line {line}: {excerpt}{ERROR:#}")?;
    }
    Ok(())
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
