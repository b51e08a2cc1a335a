//! `editd review`: decisions about proposals at a terminal, hunk by hunk.

mod choose;
mod compose;
mod show;

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::protocol::{
    Decide, Method, ProposalMethod, ProposalResult, ProposalSummary, Proposals, ProposalsResult, Reopen,
    ReopenParams, RpcError,
};
use crate::transport::{CallError, Client};

use super::arguments::{Output, ReviewArguments};
use super::paint::FAINT;
use super::read::print_json;
use super::{CliError, Context, End, ask, paint, root, stream};

use choose::{CONFLICTED, FileReview, Next};

/// `editd review`.
pub(crate) fn review(context: &Context, arguments: &ReviewArguments) -> Result<End, CliError> {
    let root = root::of_here()?;
    let mut client = context.reviewer(root.as_deref())?;
    let mut arguments = arguments.clone();
    if !arguments.hunk.is_empty() && arguments.decision().is_none() {
        return Err(CliError::usage("--hunk requires --accept or --reject"));
    }
    if arguments.reopen {
        let id = arguments.id.take();
        arguments.id = Some(client.call::<Reopen>(&json!(ReopenParams { id }))?.id);
    }
    if context.output == Output::Json && arguments.decision().is_none() {
        return print(context, &mut client, &arguments);
    }
    if let Some(decision) = arguments.decision() {
        return decide_at_once(context, &mut client, &arguments, decision);
    }
    let asks = ask::is_interactive();
    let waiting = if let Some(id) = &arguments.id {
        if !asks && !check_waiting(&fetch(&mut client, id)?)? {
            return Ok(End::Done);
        }
        if !asks {
            show::list(&pending(&mut client, Some(id))?, asks)?;
        }
        vec![id.clone()]
    } else {
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
    let mut left = false;
    for (at, id) in waiting.iter().enumerate() {
        match decide(context, &mut client, id)? {
            Outcome::Decided => {}
            Outcome::Left => left = true,
            Outcome::Quit => {
                left |= at + 1 < waiting.len();
                return Ok(if left || is_open(&mut client, id)? { End::Undecided } else { End::Done });
            }
        }
    }
    Ok(if left { End::Undecided } else { End::Done })
}

/// The outcome of the review of one proposal.
enum Outcome {
    Decided,
    Left,
    Quit,
}

fn print(context: &Context, client: &mut Client, arguments: &ReviewArguments) -> Result<End, CliError> {
    let result = match &arguments.id {
        Some(id) => client.request(ProposalMethod::NAME, &json!({ "id": id }))?,
        None => client.request(Proposals::NAME, &json!({ "state": "pending" }))?,
    };
    print_json(context, &result)?;
    let is_open = |state: &Value| matches!(state.as_str(), Some("pending" | "proposed"));
    let waits = if arguments.id.is_some() {
        is_open(&result["state"])
    } else {
        let list: ProposalsResult = serde_json::from_value(result).map_err(CliError::failed)?;
        !list.proposals.is_empty()
    };
    Ok(if waits { End::Undecided } else { End::Done })
}

/// Returns the pending proposals, or only the one with this id.
fn pending(client: &mut Client, id: Option<&str>) -> Result<Vec<ProposalSummary>, CliError> {
    let mut list = client.call::<Proposals>(&json!({ "state": "pending" }))?.proposals;
    list.retain(|proposal| id.is_none_or(|id| proposal.id == id));
    Ok(list)
}

fn fetch(client: &mut Client, id: &str) -> Result<ProposalResult, CliError> {
    Ok(client.call::<ProposalMethod>(&json!({ "id": id }))?)
}

fn is_open(client: &mut Client, id: &str) -> Result<bool, CliError> {
    Ok(is_waiting(&fetch(client, id)?))
}

fn is_waiting(proposal: &ProposalResult) -> bool {
    matches!(proposal.state.as_str(), "pending" | "proposed")
}

/// Returns `true` if the proposal is still undecided. Otherwise prints its state.
fn check_waiting(proposal: &ProposalResult) -> std::io::Result<bool> {
    let waits = is_waiting(proposal);
    if !waits {
        let (id, state) = (paint::visible(&proposal.id), paint::visible(&proposal.state));
        writeln!(stream::stdout(), "{id} is already {state}.")?;
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
    arguments: &ReviewArguments,
    decision: &str,
) -> Result<End, CliError> {
    let id = arguments.id.as_deref().unwrap_or_default();
    let proposal = fetch(client, id)?;
    if !check_waiting(&proposal)? {
        return Ok(End::Done);
    }
    let named = |hunk: &String| if hunk.starts_with('h') { hunk.clone() } else { format!("h{hunk}") };
    let hunks: Vec<String> = arguments.hunk.iter().map(named).collect();
    let which = if hunks.is_empty() { json!("all") } else { json!(hunks) };
    let params = json!({ "id": id, "revision": proposal.revision, decision: which });
    let next = client.request(Decide::NAME, &params)?;
    if !print_json(context, &next)? {
        let next: ProposalResult = serde_json::from_value(next.clone()).map_err(CliError::failed)?;
        if is_waiting(&next) {
            let open =
                next.files.iter().flat_map(|file| &file.entry.hunks).filter(|hunk| choose::is_open(hunk));
            let open: Vec<_> = open.map(|hunk| hunk.id.as_str()).collect();
            stream::note(&format!("Still to be decided: {}.", open.join(", ")))?;
        } else {
            show::outcome(&next)?;
        }
    }
    let waits = matches!(next["state"].as_str(), Some("pending" | "proposed"));
    Ok(if waits { End::Undecided } else { End::Done })
}

/// Reviews the files of a proposal. Sends the decisions about each file before it shows the next.
fn decide(context: &Context, client: &mut Client, id: &str) -> Result<Outcome, CliError> {
    let mut proposal = fetch(client, id)?;
    if !check_waiting(&proposal)? {
        return Ok(Outcome::Decided);
    }
    show::head(&proposal)?;
    let (mut at, mut touched, mut rest) = (0, None, None);
    while at < proposal.files.len() {
        let mut file = match touched.take() {
            Some(hunks) => FileReview::for_hunks(&proposal, at, hunks),
            None => rest.map_or_else(
                || FileReview::new(&proposal, at),
                |rest| FileReview::with_rest(&proposal, at, rest),
            ),
        };
        let then = file.ask()?;
        if let Next::Rest(answer) = then {
            rest = Some(answer);
        }
        let accepted = file.accepted();
        match send(context, client, &proposal, file)? {
            Sent::Done(next) if !is_waiting(&next) => {
                show::outcome(&next)?;
                return Ok(Outcome::Decided);
            }
            Sent::Done(next) => {
                proposal = *next;
                let hunks = conflicted(&proposal, at, &accepted);
                if !hunks.is_empty() {
                    show::problem("the file has just changed; review this hunk again")?;
                    touched = Some(hunks);
                }
            }
            // The proposal has changed in the meantime: ask again about the open hunks of this file.
            Sent::Retry => {
                proposal = fetch(client, id)?;
                if !is_waiting(&proposal) {
                    show::outcome(&proposal)?;
                    return Ok(Outcome::Decided);
                }
                continue;
            }
        }
        if then == Next::Quit {
            return Ok(Outcome::Quit);
        }
        at += usize::from(touched.is_none());
    }
    if let Some(notice) = &proposal.notice {
        writeln!(stream::stdout(), "{FAINT}{}{FAINT:#}", paint::visible(notice))?;
    }
    Ok(Outcome::Left)
}

/// Returns those of the given hunks that are in conflict.
fn conflicted(proposal: &ProposalResult, at: usize, ids: &[String]) -> Vec<String> {
    let hunks = proposal.files.get(at).map(|file| file.entry.hunks.as_slice()).unwrap_or_default();
    let touched = hunks.iter().filter(|hunk| hunk.state == CONFLICTED && ids.contains(&hunk.id));
    touched.map(|hunk| hunk.id.clone()).collect()
}

/// The outcome of sending decisions.
enum Sent {
    Done(Box<ProposalResult>),
    Retry,
}

fn send(
    context: &Context,
    client: &mut Client,
    proposal: &ProposalResult,
    file: FileReview<'_>,
) -> Result<Sent, CliError> {
    let mut decision = match file.decision(context) {
        Ok(Some(decision)) => decision,
        Ok(None) => return Ok(Sent::Done(Box::new(proposal.clone()))),
        Err(problem) => {
            show::problem(&problem)?;
            return Ok(Sent::Retry);
        }
    };
    decision["id"] = proposal.id.as_str().into();
    decision["revision"] = proposal.revision.into();
    match client.call::<Decide>(&decision) {
        Ok(next) => Ok(Sent::Done(Box::new(next))),
        Err(CallError::Refused(refusal)) if is_outdated(&refusal) => {
            show::problem(&refusal.message)?;
            Ok(Sent::Retry)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns `true` if the decision was about an outdated proposal.
fn is_outdated(refusal: &RpcError) -> bool {
    matches!(refusal.kind(), Some("superseded" | "stale" | "busy"))
}

/// Returns the folder that displayed paths are relative to.
fn here() -> Option<PathBuf> {
    root::of_here().ok().flatten()
}

/// Returns the label of a proposal, or an empty text.
fn label(proposal: &ProposalSummary) -> &str {
    proposal.label.as_deref().unwrap_or_default()
}
