//! `editd review`: decisions about proposals at a terminal, hunk by hunk.

mod file;
mod progress;
mod questions;
mod reviewers;
mod several;
mod show;
mod web;

use std::io::Write;

use anstyle::Style;
use serde_json::{Value, json};

use editd_daemon::transport::{CallError, Client};
use editd_protocol::{
    Decide, Method, ProposalMethod, ProposalResult, ProposalSummary, Proposals, ProposalsParams, Reopen,
    ReopenParams,
};

use super::arguments::{Output, ReviewArguments};
use super::paint::{FAINT, PLACE, Row, fitted, one_line, widest, width};
use super::{CliError, Context, End, paint, root, stream};

pub(super) use reviewers::described;

use file::{CONFLICTED, FileReview, LANDED, Next, Rest};
use progress::Progress;

/// Width of the state column.
const STATE: usize = 10;

/// `editd review`.
pub(crate) fn review(context: &Context, arguments: &ReviewArguments) -> Result<End, CliError> {
    let root = root::of_here()?;
    if arguments.web {
        return web::review(context, root.as_deref(), arguments);
    }
    let mut client = context.person(root.as_deref())?;
    if arguments.off {
        return reviewers::dismiss(context, &mut client, root.as_deref());
    }
    if !arguments.hunk.is_empty() && arguments.decision().is_none() {
        return Err(CliError::usage("--hunk requires --accept or --reject"));
    }
    let mut id = arguments.id.clone();
    if arguments.reopen {
        id = Some(client.call::<Reopen>(&json!(ReopenParams { id }))?.id);
    }
    if let (Some(decision), Some(id)) = (arguments.decision(), &id) {
        return decide_at_once(context, &mut client, (id, &arguments.hunk), decision);
    }
    if context.output == Output::Json {
        return print(context, &mut client, id.as_deref());
    }
    let asks = stream::is_interactive();
    let waiting = if let Some(id) = &id {
        if !asks {
            if !check_waiting(&fetch(&mut client, id)?)? {
                return Ok(End::Done);
            }
            show::list(&pending(&mut client, Some(id))?, asks)?;
        }
        vec![id.to_owned()]
    } else {
        reviewers::report(&mut client)?;
        let list = pending(&mut client, None)?;
        show::list(&list, asks)?;
        list.into_iter().map(|proposal| proposal.id).collect()
    };
    if waiting.is_empty() {
        return Ok(End::Done);
    }
    if !asks {
        stream::note("Decide on a terminal: `editd review`.")?;
        return Ok(End::Undecided);
    }
    let mut undecided = false;
    for (at, id) in waiting.iter().enumerate() {
        match decide(context, &mut client, id)? {
            Outcome::Decided => {}
            Outcome::Left => undecided = true,
            Outcome::Quit => {
                undecided |= at + 1 < waiting.len() || is_waiting(&fetch(&mut client, id)?.state);
                break;
            }
        }
    }
    Ok(end_if(undecided))
}

/// The outcome of the review of one proposal.
enum Outcome {
    Decided,
    Left,
    Quit,
}

/// Returns the end of a command that may leave proposals undecided.
fn end_if(undecided: bool) -> End {
    if undecided { End::Undecided } else { End::Done }
}

/// Prints the proposal, or all that are undecided, as JSON.
fn print(context: &Context, client: &mut Client, id: Option<&str>) -> Result<End, CliError> {
    let result = match id {
        Some(id) => client.request(ProposalMethod::NAME, &json!({ "id": id }))?,
        None => json!({ "proposals": pending(client, None)? }),
    };
    context.print_json(&result)?;
    let is_listed = result["proposals"].as_array().is_some_and(|list| !list.is_empty());
    Ok(end_if(is_listed || result["state"].as_str().is_some_and(is_waiting)))
}

/// Returns the pending proposals and the landed changes, or only the one with this id.
fn pending(client: &mut Client, id: Option<&str>) -> Result<Vec<ProposalSummary>, CliError> {
    let mut list = Vec::new();
    for state in ["pending", LANDED] {
        list.append(&mut client.call::<Proposals>(&json!({ "state": state }))?.proposals);
    }
    list.retain(|proposal| id.is_none_or(|id| proposal.id == id));
    Ok(list)
}

fn fetch(client: &mut Client, id: &str) -> Result<ProposalResult, CliError> {
    Ok(client.call::<ProposalMethod>(&json!({ "id": id }))?)
}

/// Returns `true` if this is the state of a proposal that is undecided.
fn is_waiting(state: &str) -> bool {
    matches!(state, "pending" | "proposed" | LANDED)
}

/// Returns `true` if the proposal is still undecided. Otherwise prints its state.
fn check_waiting(proposal: &ProposalResult) -> std::io::Result<bool> {
    let waits = is_waiting(&proposal.state);
    if !waits {
        let (id, state) = (paint::visible(&proposal.id), show::state(proposal));
        writeln!(stream::stdout(), "{id} is already {state}.")?;
        if proposal.landed.is_some() {
            return Ok(false);
        }
        if let Some(other) = &proposal.replaced_by {
            writeln!(stream::stdout(), "It was replaced: `editd review {}`.", paint::visible(other))?;
        } else if matches!(proposal.state.as_str(), "rejected" | "partial") {
            show::reopen_hint(&proposal.id)?;
        }
    }
    Ok(waits)
}

/// Decides a proposal, or some of its hunks, without asking.
fn decide_at_once(
    context: &Context,
    client: &mut Client,
    (id, hunks): (&str, &[String]),
    decision: &str,
) -> Result<End, CliError> {
    let proposal = fetch(client, id)?;
    if !check_waiting(&proposal)? {
        return Ok(End::Done);
    }
    let named = |hunk: &String| if hunk.starts_with('h') { hunk.clone() } else { format!("h{hunk}") };
    let hunks: Vec<String> = hunks.iter().map(named).collect();
    let known: Vec<_> =
        proposal.files.iter().flat_map(|file| &file.entry.hunks).map(|hunk| &hunk.id).collect();
    if let Some(unknown) = hunks.iter().find(|hunk| !known.contains(hunk)) {
        let (id, number) = (paint::visible(id), paint::visible(unknown.trim_start_matches('h')));
        let hint = match known.len() {
            1 => "it has one hunk, 1".to_owned(),
            count => format!("its hunks are 1 to {count}; `editd show {id}` prints them"),
        };
        return Err(CliError::failed(format!("{id} has no hunk {number}")).with_hint(hint));
    }
    let which = if hunks.is_empty() { json!("all") } else { json!(hunks) };
    let params = json!({ "id": id, "revision": proposal.revision, decision: which });
    let result = client.request(Decide::NAME, &params)?;
    let waits = result["state"].as_str().is_some_and(is_waiting);
    if hunks.is_empty() && context.output == Output::Text {
        note_earlier(&proposal, if decision == "accept" { Rest::Accept } else { Rest::Reject })?;
    }
    match context.unless_json::<ProposalResult>(result)? {
        None => {}
        Some(next) if waits => {
            let hunks = next.files.iter().flat_map(|file| &file.entry.hunks);
            let open: Vec<_> =
                hunks.filter(|hunk| file::is_open(hunk)).map(|hunk| hunk.id.as_str()).collect();
            stream::note(&format!("Still to be decided: {}.", open.join(", ")))?;
        }
        Some(next) => show::outcome(&next)?,
    }
    Ok(end_if(waits))
}

/// Names the hunks that a decision about the whole proposal leaves as they were decided the other way before. The daemon
/// refuses a decision that would write such hunks.
fn note_earlier(proposal: &ProposalResult, rest: Rest) -> std::io::Result<()> {
    let hunks = proposal.files.iter().flat_map(|file| &file.entry.hunks);
    let contrary: Vec<_> = hunks.filter(|hunk| rest.is_contrary(hunk)).map(|hunk| hunk.id.as_str()).collect();
    if contrary.is_empty() {
        return Ok(());
    }
    let (first, was) = rest.earlier(proposal.landed.is_some()).split_at(1);
    stream::note(&format!("{}{was} before, and still so: {}.", first.to_uppercase(), contrary.join(", ")))
}

/// Reviews the files of a proposal. Each decision is sent before the next question, so that none is lost if the
/// command is interrupted.
fn decide(context: &Context, client: &mut Client, id: &str) -> Result<Outcome, CliError> {
    let mut proposal = fetch(client, id)?;
    if !check_waiting(&proposal)? {
        return Ok(Outcome::Decided);
    }
    show::head(&proposal)?;
    let mut progress = Progress::default();
    let (mut at, mut rest) = (0, None);
    while at < proposal.files.len() {
        let mut file = FileReview::new(&proposal, at, &mut progress);
        if let Some(rest) = rest {
            file.answer_rest(0, rest);
        }
        let next = if file.has_answers() { Next::Continue } else { file.ask_next()? };
        match &next {
            Next::Rest(answer) => rest = Some(*answer),
            Next::Quit => {
                progress.warn_about_edits()?;
                return Ok(Outcome::Quit);
            }
            Next::File => {
                at += 1;
                continue;
            }
            Next::Continue | Next::Whole(_) => {}
        }
        let written = file.written();
        let decision = match next {
            Next::Whole(decision) => Ok(Some(decision)),
            _ => file.decision(context),
        };
        let sent = send(client, &proposal, decision)?;
        let is_sent = sent.is_some();
        proposal = match sent {
            Some(next) => next,
            None => fetch(client, id)?,
        };
        progress.forget_sent(&proposal);
        if !is_waiting(&proposal.state) {
            show::outcome(&proposal)?;
            return Ok(Outcome::Decided);
        }
        if is_sent && is_conflicted(&proposal, at, &written) {
            show::problem("the file has just changed; review this hunk again")?;
        }
    }
    progress.warn_about_edits()?;
    if let Some(notice) = &proposal.notice {
        writeln!(stream::stdout(), "{FAINT}{}{FAINT:#}", paint::visible(notice))?;
    }
    Ok(Outcome::Left)
}

/// Returns `true` if one of the given hunks is in conflict.
fn is_conflicted(proposal: &ProposalResult, at: usize, ids: &[String]) -> bool {
    let hunks = proposal.files.get(at).map(|file| file.entry.hunks.as_slice()).unwrap_or_default();
    hunks.iter().any(|hunk| hunk.state == CONFLICTED && ids.contains(&hunk.id))
}

/// Sends a decision. Returns the changed proposal, or `None` if the hunks must be reviewed again.
fn send(
    client: &mut Client,
    proposal: &ProposalResult,
    decision: Result<Option<Value>, String>,
) -> Result<Option<ProposalResult>, CliError> {
    let mut decision = match decision {
        Ok(Some(decision)) => decision,
        Ok(None) => return Ok(Some(proposal.clone())),
        Err(problem) => {
            show::problem(&problem)?;
            return Ok(None);
        }
    };
    decision["id"] = proposal.id.as_str().into();
    decision["revision"] = proposal.revision.into();
    match client.call::<Decide>(&decision) {
        Ok(next) => Ok(Some(next)),
        // The decision was about an outdated proposal.
        Err(CallError::Refused(refusal))
            if matches!(refusal.kind(), Some("superseded" | "stale" | "busy")) =>
        {
            show::problem(&refusal.message)?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// `editd proposals`.
pub(crate) fn proposals(context: &Context) -> Result<End, CliError> {
    let root = root::of_here()?;
    let params = ProposalsParams::default();
    let Some(list) = context.query::<Proposals>(root.as_deref(), &params)? else { return Ok(End::Done) };
    let mut out = stream::stdout();
    if list.proposals.is_empty() {
        stream::note("You have no proposals; `editd review` lists those of agents.")?;
    }
    let (id, width) = (widest(list.proposals.iter().map(|it| it.id.as_str()), usize::MAX), width());
    for proposal in &list.proposals {
        let mut row = Row::default();
        row.add(PLACE, fitted(&proposal.id, id));
        row.add(Style::new(), format!("  {}", fitted(&proposal.state, STATE)));
        if let Some(label) = &proposal.label {
            row.add(Style::new(), format!("  {}", one_line(label)));
        }
        row.add(FAINT, format!("  {}", paint::visible(&proposal.paths.join(", "))));
        row.add_counts(proposal.added, proposal.removed);
        row.print(&mut out, width)?;
    }
    Ok(End::Done)
}
