//! A change, with the person's consent in one of its forms.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::protocol::{Apply, ApplyResult, Decide, Discard, Door, Edit, FileEntry, Method, Propose};
use crate::transport::Client;

use super::arguments::Output;
use super::paint::{FAINT, GOOD};
use super::read::print_json;
use super::{Complaint, Context, End, ask, paint, stream};

/// The state of what a person has to decide.
const PENDING: &str = "pending";

/// Whether a person is there to be asked; one who said `yes` before is not.
pub(super) fn asks(context: &Context, yes: bool) -> bool {
    !yes && context.output == Output::Text && ask::is_interactive()
}

/// Makes a change: shown and asked for first, or at once.
pub(super) fn make(
    context: &Context,
    client: &mut Client,
    request: &Value,
    asks: bool,
) -> Result<End, Complaint> {
    if asks {
        return ask_and_apply(context, client, request);
    }
    let result = client.request(Edit::NAME, request)?;
    report(context, &result)
}

/// The most often that a change is tried on a file that others change meanwhile.
const TRIES: u32 = 200;

/// The longest pause before another try, in milliseconds.
const PAUSE: u32 = 20;

/// Makes a change again as long as somebody changed the file in between, if any text of the file will do: that is what
/// a yes without a hash says. Gives up with the last refusal after so many tries.
pub(super) fn again_while_stale(
    takes_any: bool,
    mut make: impl FnMut() -> Result<End, Complaint>,
) -> Result<End, Complaint> {
    for attempt in 1..TRIES {
        match make() {
            Err(complaint) if takes_any && complaint.kind() == Some("stale") => {
                let pause = Duration::from_millis(attempt.min(PAUSE).into());
                std::thread::sleep(pause);
            }
            end => return end,
        }
    }
    make()
}

fn ask_and_apply(context: &Context, client: &mut Client, request: &Value) -> Result<End, Complaint> {
    let proposal = match client.call::<Propose>(request).map_err(Complaint::from) {
        Err(complaint) if complaint.kind() == Some("protected") => {
            return ask_and_decide(context, client, request);
        }
        proposal => proposal?,
    };
    show(&proposal.files)?;
    if ask::yes("Apply this change?")? {
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

/// Makes a change about which a rule wants a person to decide: the one at this terminal can be asked. What a rule
/// forbids altogether is refused once more.
fn ask_and_decide(context: &Context, client: &mut Client, request: &Value) -> Result<End, Complaint> {
    let mut request = request.clone();
    request["review"] = true.into();
    let waits = client.call::<Edit>(&request)?;
    show(waits.files.iter().map(|file| &file.entry))?;
    if ask::yes("Apply this change?")? {
        return accept(context, client, &waits);
    }
    client.call::<Discard>(&json!({ "id": waits.id, "reason": "not wanted at the terminal" }))?;
    writeln!(stream::stdout(), "Nothing was changed.")?;
    Ok(End::Undecided)
}

/// Accepts a change that waits, for the person who has just said yes.
fn accept(context: &Context, client: &mut Client, waits: &ApplyResult) -> Result<End, Complaint> {
    let mut person = context.person(None)?;
    let yes = json!({ "id": waits.id, "revision": waits.revision, "accept": "all" });
    person.call::<Decide>(&yes)?;
    summarize(&client.call::<Apply>(&json!({ "id": waits.id, "revision": waits.revision }))?)?;
    Ok(End::Done)
}

/// Prints what was done.
pub(super) fn report(context: &Context, result: &Value) -> Result<End, Complaint> {
    let applied: ApplyResult = serde_json::from_value(result.clone()).map_err(Complaint::failed)?;
    let waits = applied.state == PENDING;
    if !print_json(context, result)? {
        if waits {
            let id = paint::visible(&applied.id);
            writeln!(stream::stdout(), "It waits for a person: editd review {id}")?;
        } else {
            summarize(&applied)?;
        }
        notes_beside(&applied)?;
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

/// How a tolerant edit found its place, and what else should be known before a yes, or where nobody was asked; each
/// in a line that begins with `about`.
pub(super) fn notes(out: &mut impl Write, file: &FileEntry, about: &str) -> std::io::Result<()> {
    for found in file.matches.iter().filter(|found| found.strategy != "exact") {
        let (strategy, line) = (&found.strategy, found.start_line);
        writeln!(out, "{FAINT}note: {about}matched by {strategy} at line {line}{FAINT:#}")?;
    }
    let is_one_edit = file.matches.iter().all(|found| found.edit == 0);
    for warning in &file.warnings {
        let warning = warning.strip_prefix("edit 0, ").filter(|_| is_one_edit).unwrap_or(warning);
        let warning = Door::CommandLine.say(warning);
        writeln!(out, "{FAINT}note: {about}{}{FAINT:#}", paint::visible(&warning))?;
    }
    Ok(())
}

/// What nobody was shown before: beside the result, so that a script takes nothing of it for data.
fn notes_beside(applied: &ApplyResult) -> std::io::Result<()> {
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
