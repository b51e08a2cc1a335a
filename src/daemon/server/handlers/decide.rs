//! `editd/decide`.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::engine::change::rebase::stale;
use crate::engine::review::ReviewFile;
use crate::engine::{Engine, Failure, Result, SessionContext};
use crate::server::decode::read_hash;
use crate::server::{Daemon, encode};
use editd_protocol::{
    CommentEntry, CommentParam, DecideParams, Invalid, PickParam, ProposalResult, ReplaceParam,
};
use editd_workspace::review::{Choice, Comment, Decision, HunkId, Replace};
use editd_workspace::{Action, Proposal, Refusal};

/// Maximum size of all comments of one decision, in bytes.
const COMMENT_BYTES: usize = 64 << 10;

/// The word that selects all hunks.
const ALL: &str = "all";

impl Daemon {
    /// `editd/decide`.
    pub async fn decide(
        &self,
        session: &Arc<SessionContext>,
        params: DecideParams,
    ) -> Result<ProposalResult> {
        let (id, revision) = (params.id.clone(), params.revision);
        let decided = self.engine.on_files(
            session,
            move |engine, session| {
                let proposal =
                    engine.workspace.update(|w| w.proposal_to_decide(session.id, &id, revision).cloned())?;
                Ok(engine.locate_review(proposal))
            },
            move |engine, session, places, job| {
                let read = |proposal: &_, files: &_| read_decision(engine, &params, proposal, files);
                let view = engine.decide(session, places, read, job)?;
                Ok(encode::proposal_view(&view, session.encoding))
            },
        );
        decided.await
    }
}

fn read_decision(
    engine: &Engine,
    params: &DecideParams,
    proposal: &Proposal,
    files: &[ReviewFile],
) -> Result<Decision> {
    let hunks = proposal.hunk_count();
    let (accept, accepts_rest) = pick("accept", params.accept.as_ref(), hunks)?;
    let (reject, rejects_rest) = pick("reject", params.reject.as_ref(), hunks)?;
    let take = named("take", params.take.as_deref().unwrap_or_default(), hunks)?;
    if accepts_rest && rejects_rest {
        return Err(Invalid::new("reject", "`accept` and `reject` cannot both be `all`").into());
    }
    let rest = if accepts_rest { Some(Choice::Accepted) } else { rejects_rest.then_some(Choice::Rejected) };
    let fields = [("accept", &*accept), ("take", &take), ("reject", &reject)];
    require_disjoint(fields)?;
    let replace = read_replacements(engine, params, proposal, files)?;
    let comments = read_comments(params.comment.as_ref(), proposal)?;
    let nothing = fields.iter().all(|(_, ids)| ids.is_empty()) && rest.is_none();
    if nothing && replace.is_empty() && comments.is_empty() {
        let problem = "it is missing, and so are `take`, `reject`, `replace` and `comment`";
        return Err(Invalid::new("accept", problem).into());
    }
    let ranges = proposal.hunk_ranges();
    for (field, ids) in fields {
        let is_replaced = |id: &&HunkId| {
            let file = ranges.iter().position(|range| range.contains(&(id.0 - 1)));
            // A new name is decided separately from a new text.
            let is_name = |file: usize| {
                ranges[file].start == id.0 - 1 && matches!(proposal.files[file].action, Action::Rename { .. })
            };
            replace.iter().any(|it| Some(it.file) == file && !is_name(it.file))
        };
        if let Some(id) = ids.iter().filter(|_| !replace.is_empty()).find(is_replaced) {
            let problem = format!("the file of `{id}` is in `replace`");
            return Err(Invalid::new(field, problem).into());
        }
    }
    let keeps_earlier = params.keep_earlier.unwrap_or_default();
    Ok(Decision { accept, take, reject, rest, keeps_earlier, replace, comments })
}

fn read_replacements(
    engine: &Engine,
    params: &DecideParams,
    proposal: &Proposal,
    files: &[ReviewFile],
) -> Result<Vec<Replace>> {
    let (mut replaced, mut refusals, mut known) = (Vec::new(), Vec::new(), HashSet::new());
    for (at, entry) in params.replace.iter().flatten().enumerate() {
        let ReplaceParam { path, base_hash, content } = entry;
        let field = |name: &str| format!("replace[{at}].{name}");
        let file = proposal.files.iter().position(|file| file.path.display().to_string() == *path);
        let Some(file) = file.filter(|file| known.insert(*file)) else {
            let problem = "the proposal has no such file, or `replace` names it twice";
            return Err(Invalid::new(field("path"), problem).into());
        };
        let base = base_hash.as_ref().map(|hash| read_hash(field("baseHash"), hash)).transpose()?;
        let reviewed = &files[file];
        match &reviewed.located {
            Err(refusal) => refusals.push(refusal.clone().of_change(file)),
            Ok((observed, _)) if observed.content.hash() != base => {
                let kind = stale(None, observed, engine.deadline());
                refusals.push(Refusal::at(&observed.target.path, kind).of_change(file));
            }
            Ok((observed, _)) => {
                if observed.exists()
                    && let Err(kind) = observed.content()
                {
                    refusals.push(Refusal::at(&observed.target.path, kind).of_change(file));
                }
                replaced.push(Replace { file, content: content.clone() });
            }
        }
    }
    if refusals.is_empty() { Ok(replaced) } else { Err(Failure::Refused(refusals)) }
}

/// Returns the hunks that a parameter names, and `true` if it stands for all others.
fn pick(field: &str, param: Option<&PickParam>, hunks: usize) -> Result<(Vec<HunkId>, bool), Invalid> {
    match param {
        None => Ok((Vec::new(), false)),
        Some(PickParam::Word(word)) if word == ALL => Ok((Vec::new(), true)),
        Some(PickParam::Word(_)) => Err(Invalid::new(field, "expected a list of hunks or `all`")),
        Some(PickParam::Hunks(ids)) => Ok((named(field, ids, hunks)?, false)),
    }
}

/// Parses the ids of hunks. Returns them sorted, without duplicates.
fn named(field: &str, ids: &[String], hunks: usize) -> Result<Vec<HunkId>, Invalid> {
    let read = |(at, text): (usize, &String)| {
        let id = text.parse().ok().filter(|HunkId(number)| (1..=hunks).contains(number));
        id.ok_or_else(|| {
            let problem = format!("the proposal has no hunk `{text}`; its hunks are h1 to h{hunks}");
            Invalid::new(format!("{field}[{at}]"), problem)
        })
    };
    let ids = ids.iter().enumerate().map(read).collect::<Result<HashSet<HunkId>, _>>()?;
    let mut ids: Vec<_> = ids.into_iter().collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Checks that no hunk is in two of these lists, which are sorted.
fn require_disjoint(fields: [(&str, &[HunkId]); 3]) -> Result<(), Invalid> {
    for (at, (first, ids)) in fields.iter().enumerate() {
        for (second, others) in &fields[at + 1..] {
            if let Some(both) = ids.iter().find(|id| others.binary_search(id).is_ok()) {
                return Err(Invalid::new(*second, format!("`{both}` is in `{first}` too")));
            }
        }
    }
    Ok(())
}

fn read_comments(param: Option<&CommentParam>, proposal: &Proposal) -> Result<Vec<Comment>, Invalid> {
    let hunks = proposal.hunk_count();
    let entries = match param {
        None => return Ok(Vec::new()),
        Some(CommentParam::Text(text)) => {
            vec![CommentEntry { path: None, hunk: None, text: text.clone() }]
        }
        Some(CommentParam::List(entries)) => entries.clone(),
    };
    if entries.iter().map(|entry| entry.text.len()).sum::<usize>() > COMMENT_BYTES {
        return Err(Invalid::new("comment", format!("it is longer than {COMMENT_BYTES} bytes")));
    }
    let read = |(at, entry): (usize, CommentEntry)| {
        let field = |name: &str| format!("comment[{at}].{name}");
        let hunk = entry.hunk.map(|hunk| {
            let id = hunk.parse().ok().filter(|HunkId(number)| (1..=hunks).contains(number));
            id.ok_or_else(|| Invalid::new(field("hunk"), format!("the proposal has no hunk `{hunk}`")))
        });
        let path = entry.path.map(|path| {
            let file = proposal.all_paths().find(|known| known.display().to_string() == path);
            let unknown = || Invalid::new(field("path"), "the proposal has no such file");
            file.map(Path::to_owned).ok_or_else(unknown)
        });
        Ok(Comment { path: path.transpose()?, hunk: hunk.transpose()?, text: entry.text })
    };
    let entries = entries.into_iter().filter(|entry| !entry.text.trim().is_empty());
    entries.enumerate().map(read).collect()
}
