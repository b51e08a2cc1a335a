use std::collections::HashSet;
use std::sync::Arc;

use crate::protocol::{
    CommentEntry, CommentParam, DecideParams, Invalid, PickParam, ProposalResult, ReplaceParam,
};
use crate::text::ContentHash;
use crate::workspace::review::{Comment, Decision, HunkId, Pick, Replace, Review};
use crate::workspace::{Proposal, Refusal};

use crate::daemon::difference::stale;
use crate::daemon::event::{Event, FindFor, ReviewEvent};
use crate::daemon::job::Job;
use crate::daemon::review::{ReviewFile, ReviewPlaces, as_kept};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// Bytes of all comments of one decision.
const COMMENT_BYTES: usize = 64 << 10;

/// What stands for all hunks.
const ALL: &str = "all";

impl Daemon {
    /// `editd/decide`.
    pub async fn decide(
        &self,
        session: &Arc<SessionContext>,
        params: DecideParams,
    ) -> Result<ProposalResult, Failure> {
        let (id, revision) = (params.id.clone(), params.revision);
        let locate = move |core: &Core, session: &SessionContext| {
            let find = |reply| ReviewEvent::FindToDecide { session: session.id, id, revision, reply };
            Ok(core.places_to_review(core.ask(find)??))
        };
        let work = move |core: &Core, session: &SessionContext, places: ReviewPlaces, job: &Job| {
            core.decide(session, places, &params, job)
        };
        self.core.on_files(session, locate, work).await
    }
}

impl Core {
    fn decide(
        &self,
        session: &SessionContext,
        places: ReviewPlaces,
        params: &DecideParams,
        job: &Job,
    ) -> Result<ProposalResult, Failure> {
        let (id, revision) = (params.id.clone(), params.revision);
        // Somebody may have decided while this request was waiting for the files.
        let find = |reply| ReviewEvent::FindToDecide { session: session.id, id: id.clone(), revision, reply };
        let proposal = self.ask(find)??;
        let places = ReviewPlaces { proposal, ..places };
        let (proposal, context, files) = self.look_at_places(places, self.deadline());
        let decision = self.read_decision(params, &proposal, &files)?;
        let seen: Vec<_> = proposal.files.iter().zip(&files).map(|(file, it)| it.seen(file)).collect();
        let review = proposal.review.clone().unwrap_or_else(|| Review::open(proposal.hunk_count()));
        let mut review = review.decide(&seen, &decision, self.deadline());
        let is_decided = review.settle(&seen, self.deadline());
        drop(seen);
        job.check()?;
        if is_decided {
            self.carry_out_review(session, &proposal, review, (&context, files))?;
            let (id, purpose) = (proposal.id.to_string(), FindFor::Looking);
            let proposal = self.ask(|reply| Event::Find { session: session.id, id, purpose, reply })??;
            return Ok(as_kept(&proposal, session.encoding));
        }
        let decided = |reply| ReviewEvent::Decide { session: session.id, id, revision, review, reply };
        let proposal = self.ask(decided)??;
        Ok(self.as_it_lies(session, &proposal, files))
    }

    fn read_decision(
        &self,
        params: &DecideParams,
        proposal: &Proposal,
        files: &[ReviewFile],
    ) -> Result<Decision, Failure> {
        let hunks = proposal.hunk_count();
        let (accept, reject) =
            (pick("accept", params.accept.as_ref(), hunks)?, pick("reject", params.reject.as_ref(), hunks)?);
        let take = named("take", params.take.as_deref().unwrap_or_default(), hunks)?;
        if (&accept, &reject) == (&Pick::All, &Pick::All) {
            return Err(Invalid::new("reject", "not both can be of all").into());
        }
        let fields = [("accept", accept.named()), ("take", &take), ("reject", reject.named())];
        require_apart(fields)?;
        let replace = self.read_replacements(params, proposal, files)?;
        let comments = read_comments(params.comment.as_ref(), proposal)?;
        let none = Pick::default();
        let nothing = accept == none && take.is_empty() && reject == none;
        if nothing && replace.is_empty() && comments.is_empty() {
            let problem = "it is missing, and so are `take`, `reject`, `replace` and `comment`";
            return Err(Invalid::new("accept", problem).into());
        }
        let ranges = proposal.hunk_ranges();
        for (field, ids) in fields {
            let is_replaced = |id: &&HunkId| {
                let file = ranges.iter().position(|range| range.contains(&(id.0 - 1)));
                // A new name is decided beside a new text.
                let is_name = |file: usize| {
                    ranges[file].start == id.0 - 1 && proposal.files[file].action.name() == "rename"
                };
                replace.iter().any(|it| Some(it.file) == file && !is_name(it.file))
            };
            if let Some(id) = ids.iter().filter(|_| !replace.is_empty()).find(is_replaced) {
                let problem = format!("the file of `{id}` is in `replace`");
                return Err(Invalid::new(field, problem).into());
            }
        }
        Ok(Decision { accept, take, reject, replace, comments })
    }

    fn read_replacements(
        &self,
        params: &DecideParams,
        proposal: &Proposal,
        files: &[ReviewFile],
    ) -> Result<Vec<Replace>, Failure> {
        let (mut replaced, mut refusals, mut known) = (Vec::new(), Vec::new(), HashSet::new());
        for (at, entry) in params.replace.iter().flatten().enumerate() {
            let ReplaceParam { path, base_hash, content } = entry;
            let field = |name: &str| format!("replace[{at}].{name}");
            let file = proposal.files.iter().position(|file| file.path.display().to_string() == *path);
            let Some(file) = file.filter(|file| known.insert(*file)) else {
                let problem = "it is no file of the proposal, or there twice";
                return Err(Invalid::new(field("path"), problem).into());
            };
            let parse = |hash: &String| hash.parse::<ContentHash>();
            let base = base_hash.as_ref().map(parse).transpose();
            let base = base
                .map_err(|_| Invalid::new(field("baseHash"), "a hash is `b3:` and 32 hexadecimal digits"))?;
            let looked = &files[file];
            match &looked.place {
                Err(refusal) => refusals.push(refusal.clone().of_change(file)),
                Ok((observed, _)) if observed.truth.hash() != base => {
                    let kind = stale(None, observed, self.deadline());
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
}

fn pick(field: &str, param: Option<&PickParam>, hunks: usize) -> Result<Pick, Invalid> {
    match param {
        None => Ok(Pick::default()),
        Some(PickParam::Word(word)) if word == ALL => Ok(Pick::All),
        Some(PickParam::Word(_)) => Err(Invalid::new(field, "expected a list of hunks, or `all`")),
        Some(PickParam::Hunks(ids)) => named(field, ids, hunks).map(Pick::Hunks),
    }
}

/// The hunks in order, each once.
fn named(field: &str, ids: &[String], hunks: usize) -> Result<Vec<HunkId>, Invalid> {
    let read = |(at, text): (usize, &String)| {
        let id = text.parse().ok().filter(|HunkId(number)| (1..=hunks).contains(number));
        id.ok_or_else(|| {
            let problem = format!("`{text}` is no hunk of the proposal, whose hunks are h1 to h{hunks}");
            Invalid::new(format!("{field}[{at}]"), problem)
        })
    };
    let ids = ids.iter().enumerate().map(read).collect::<Result<HashSet<HunkId>, _>>()?;
    let mut ids: Vec<_> = ids.into_iter().collect();
    ids.sort_unstable();
    Ok(ids)
}

/// No hunk is in two of these lists, which are in order.
fn require_apart(fields: [(&str, &[HunkId]); 3]) -> Result<(), Invalid> {
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
            id.ok_or_else(|| Invalid::new(field("hunk"), format!("`{hunk}` is no hunk of the proposal")))
        });
        let path = entry.path.map(|path| {
            let file = proposal.files.iter().find(|file| file.path.display().to_string() == path);
            let unknown = || Invalid::new(field("path"), "it is no file of the proposal");
            file.map(|file| file.path.clone()).ok_or_else(unknown)
        });
        Ok(Comment { path: path.transpose()?, hunk: hunk.transpose()?, text: entry.text })
    };
    let entries = entries.into_iter().filter(|entry| !entry.text.trim().is_empty());
    entries.enumerate().map(read).collect()
}
