//! Refused changes that can be sent again without their content, and offers of what they probably mean.

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::change::EditIndex;
use crate::engine::change::retried::{AcceptedEdit, SeenFile, SeenFiles};
use crate::engine::{Failure, Result};
use editd_disk::fill_randomly;
use editd_edit::{EditRefusalKind, LineRefusal};
use editd_protocol::{ChangeParams, EditEntry, Invalid, Matching, OnConflictParam, ProposeParams};
use editd_workspace::limits::{KEPT_REQUEST_BYTES, KEPT_REQUESTS};
use editd_workspace::{Refusal, RefusalKind, SessionId};

/// Maximum number of offers of a request, and total size of their diffs in bytes. An answer to a model has room for them.
const MAX_OFFERS: usize = 3;
const MAX_OFFER_BYTES: usize = 2_400;

/// Numbers with which the ids of a daemon can begin. Longer ones would cost models another token.
const FIRST_IDS: Range<u64> = 100_000..900_000;

/// Requests that were refused and may be sent again, or whose offers may be accepted, by an id.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusedRequests(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    /// Number of the next request.
    next: NonZeroU64,
    /// Oldest first.
    requests: VecDeque<Request>,
    bytes: usize,
}

#[derive(Debug)]
struct Request {
    number: NonZeroU64,
    session: SessionId,
    params: Candidate,
    /// The files as they were when it was refused.
    seen: Vec<SeenFile>,
    again: Again,
}

/// The way in which a refused request can be sent again.
#[derive(Debug)]
enum Again {
    /// As it is. Contains the change and the edit that had several places, if only it was refused.
    AsItIs { ambiguous: Option<(usize, usize)> },
    /// With the offered edits instead of those that were refused.
    Offered(Vec<AcceptedEdit>),
}

/// A request that is kept if it is refused, and its size in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    params: ProposeParams,
    /// The `review` parameter.
    review: Option<bool>,
    bytes: usize,
}

impl Candidate {
    /// Copies the parameters of a request, if they are not too long to be kept.
    pub(crate) fn of(params: &ProposeParams, review: Option<bool>) -> Option<Self> {
        let bytes = size(params);
        (bytes <= KEPT_REQUEST_BYTES).then(|| Self { params: params.clone(), review, bytes })
    }
}

/// What is kept of a request if it is refused.
pub(crate) struct Refusable {
    pub(crate) candidate: Option<Candidate>,
    pub(crate) seen: SeenFiles,
}

/// A request that may send a refused one again.
pub(crate) struct Expanded {
    /// The parameters, with those of the refused request.
    pub(crate) params: ProposeParams,
    /// The `review` parameter.
    pub(crate) review: Option<bool>,
    /// The files as they were when it was refused.
    pub(crate) retried: Vec<SeenFile>,
    /// The edits of the refused request that its author has accepted instead of its own.
    pub(crate) accepted: Vec<AcceptedEdit>,
}

impl RefusedRequests {
    /// Returns the parameters of a request, completed by those of the request that it sends again.
    pub(crate) fn expanded(
        &self,
        session: SessionId,
        params: ProposeParams,
        review: Option<bool>,
    ) -> Result<Expanded> {
        let (by, id) = match (&params.retry, &params.accept) {
            (None, None) => {
                return Ok(Expanded { params, review, retried: Vec::new(), accepted: Vec::new() });
            }
            (Some(id), _) => ("retry", id.clone()),
            (None, Some(id)) => ("accept", id.clone()),
        };
        check_alone(&params, by)?;
        let kept = self.0.lock();
        let is_named = |request: &&Request| request.has_id(&id) && request.session == session;
        let Some(request) = kept.requests.iter().find(is_named) else {
            return Err(Refusal::new(RefusalKind::NothingToRetry { id }).into());
        };
        let accepted = match &request.again {
            Again::AsItIs { .. } if by == "retry" => Vec::new(),
            Again::Offered(edits) if by == "accept" => edits.clone(),
            Again::AsItIs { .. } => {
                return Err(Invalid::new(by, "this is no offer; send it as `retry`").into());
            }
            Again::Offered(_) => return Err(Invalid::new(by, "this is an offer; send it as `accept`").into()),
        };
        let mut again = request.params.params.clone();
        if let Some(lines) = &params.lines {
            let edit = match request.again {
                Again::AsItIs { ambiguous: Some(place) } => edit_at(&mut again, place),
                Again::AsItIs { ambiguous: None } | Again::Offered(_) => None,
            };
            let Some(edit) = edit else {
                let problem = "it is allowed with `retry` only if one edit alone was `ambiguous`";
                return Err(Invalid::new("lines", problem).into());
            };
            *edit = Some(lines.clone());
        }
        check_path(&again, &params)?;
        again.on_stale = params.on_stale.or(again.on_stale);
        if params.on_conflict != OnConflictParam::default() {
            again.on_conflict = params.on_conflict;
        }
        if params.matching != Matching::default() {
            again.matching = params.matching;
        }
        again.display = params.display.or(again.display);
        again.label = params.label.or(again.label);
        again.request_id = None;
        again.origin = params.origin;
        let (review, retried) = (review.or(request.params.review), request.seen.clone());
        Ok(Expanded { params: again, review, retried, accepted })
    }

    /// Forgets a request that is sent again.
    pub(crate) fn forget(&self, id: Option<&str>) {
        let Some(id) = id else { return };
        let mut kept = self.0.lock();
        if let Some(at) = kept.requests.iter().position(|request| request.has_id(id)) {
            kept.remove(at);
        }
    }

    /// Keeps a refused request, if it can be sent again as it is or has offers, and adds its id to the refusal.
    pub(crate) fn keep(
        &self,
        session: SessionId,
        Refusable { candidate, seen }: Refusable,
        failure: Failure,
    ) -> Failure {
        let Failure::Refused(mut refusals) = failure else { return failure };
        let (Some(params), Some(again)) = (candidate, again(&refusals)) else {
            return Failure::Refused(refusals);
        };
        let mut kept = self.0.lock();
        let number = kept.next;
        kept.next = number.saturating_add(1);
        for refusal in &mut refusals {
            refusal.number = Some(number);
        }
        let request = Request { number, session, params, seen: seen.take(), again };
        kept.bytes += request.params.bytes;
        kept.requests.push_back(request);
        while kept.requests.len() > KEPT_REQUESTS || kept.bytes > 16 * KEPT_REQUEST_BYTES {
            kept.remove(0);
        }
        Failure::Refused(refusals)
    }
}

impl Default for Kept {
    /// Begins with a random number, so that an id of an earlier daemon does not mean a request of this one.
    fn default() -> Self {
        let mut random = [0; 4];
        if let Err(error) = fill_randomly(&mut random) {
            tracing::warn!(%error, "the ids of refused requests begin with the same number as before");
        }
        let first =
            FIRST_IDS.start + u64::from(u32::from_ne_bytes(random)) % (FIRST_IDS.end - FIRST_IDS.start);
        Self { next: NonZeroU64::new(first).unwrap_or(NonZeroU64::MIN), requests: VecDeque::new(), bytes: 0 }
    }
}

impl Request {
    fn has_id(&self, id: &str) -> bool {
        let first = match self.again {
            Again::AsItIs { .. } => 'r',
            Again::Offered(_) => 'o',
        };
        id.strip_prefix(first).and_then(|number| number.parse().ok()) == Some(self.number)
    }
}

impl Kept {
    fn remove(&mut self, at: usize) -> Option<Request> {
        let removed = self.requests.remove(at)?;
        self.bytes -= removed.params.bytes;
        Some(removed)
    }
}

/// Returns the way in which a request with these refusals can be sent again.
fn again(refusals: &[Refusal]) -> Option<Again> {
    if refusals.iter().all(can_be_sent_again) {
        let ambiguous = match refusals {
            [Refusal { kind: RefusalKind::Edit(EditRefusalKind::Ambiguous { .. }), change, edit, .. }] => {
                Some((change.unwrap_or_default(), edit.unwrap_or_default()))
            }
            _ => None,
        };
        return Some(Again::AsItIs { ambiguous });
    }
    // All of them are shown, whatever form the answer has.
    let size: usize = refusals.iter().filter_map(Refusal::offered).map(|offer| offer.diff.len()).sum();
    if refusals.len() > MAX_OFFERS || size > MAX_OFFER_BYTES {
        return None;
    }
    let offered = |refusal: &Refusal| {
        let of =
            EditIndex { change: refusal.change.unwrap_or_default(), edit: refusal.edit.unwrap_or_default() };
        Some(AcceptedEdit { path: refusal.path.clone()?, of, edit: refusal.offered()?.edit.clone() })
    };
    refusals.iter().map(offered).collect::<Option<Vec<_>>>().map(Again::Offered)
}

/// Returns `true` if the author needs nothing but the refusal to send the change again.
fn can_be_sent_again(refusal: &Refusal) -> bool {
    match &refusal.kind {
        RefusalKind::Stale { base_known, current, .. } => *base_known && current.is_some(),
        RefusalKind::Unread { excerpt, current, .. } => excerpt.is_some() && current.is_some(),
        RefusalKind::Edit(EditRefusalKind::Lines(LineRefusal::Unseen { complete, .. })) => *complete,
        RefusalKind::Conflict { .. } | RefusalKind::Edit(EditRefusalKind::Ambiguous { .. }) => true,
        _ => false,
    }
}

/// Refuses parameters that would change what is sent again.
fn check_alone(params: &ProposeParams, by: &str) -> Result<(), Invalid> {
    let ProposeParams {
        // The request that is sent again, its place and its circumstances.
        retry: _,
        lines: _,
        label: _,
        request_id,
        on_stale,
        on_conflict,
        display: _,
        author: _,
        origin: _,
        matching,
        accept,
        replaces,
        changes,
        patch,
        bases,
        sequential,
        path: _,
        uri: _,
        base_hash,
        edits,
        old_text,
        new_text,
        glob,
        replace_all,
        expected_replacements,
        word,
        regex,
        symbol,
        encoding,
    } = params;
    let is_offer = by == "accept";
    let others = [
        // Its answer could not be repeated: the id of the refused request is gone then.
        ("requestId", request_id.is_some()),
        // What an offer shows is made, and nothing else.
        ("onStale", is_offer && on_stale.is_some()),
        ("onConflict", is_offer && *on_conflict != OnConflictParam::default()),
        ("matching", is_offer && *matching != Matching::default()),
        ("accept", by != "accept" && accept.is_some()),
        ("replaces", replaces.is_some()),
        ("changes", changes.is_some()),
        ("patch", patch.is_some()),
        ("bases", bases.is_some()),
        ("baseHash", base_hash.is_some()),
        ("sequential", *sequential),
        ("edits", edits.is_some()),
        ("oldText", old_text.is_some()),
        ("newText", new_text.is_some()),
        ("glob", glob.is_some()),
        ("replaceAll", replace_all.is_some()),
        ("expect", expected_replacements.is_some()),
        ("word", word.is_some()),
        ("regex", regex.is_some()),
        ("symbol", symbol.is_some()),
        ("encoding", encoding.is_some()),
    ];
    match others.iter().find(|(_, is_there)| *is_there) {
        Some((name, _)) => Err(Invalid::new(*name, format!("it cannot be combined with `{by}`"))),
        None => Ok(()),
    }
}

/// Refuses another file than that of the request that is sent again.
fn check_path(again: &ProposeParams, params: &ProposeParams) -> Result<(), Invalid> {
    let named = (&params.path, &params.uri);
    if named != (&None, &None) && named != (&again.path, &again.uri) {
        return Err(Invalid::new("path", "it is not that of the refused change; leave it out"));
    }
    Ok(())
}

/// Returns the lines of an edit that searches for text in the whole file.
fn edit_at<'a>(
    params: &'a mut ProposeParams,
    (change, edit): (usize, usize),
) -> Option<&'a mut Option<String>> {
    let of_entry = |entry: &'a mut EditEntry| {
        (entry.lines.is_none() && entry.symbol.is_none()).then_some(&mut entry.lines)
    };
    if let Some(changes) = &mut params.changes {
        return match changes.get_mut(change)? {
            ChangeParams::Edit(change) => change.edits.get_mut(edit).and_then(of_entry),
            _ => None,
        };
    }
    // The single edit of the short form comes last.
    if edit < params.edits.as_ref().map_or(0, Vec::len) {
        return params.edits.as_mut()?.get_mut(edit).and_then(of_entry);
    }
    let is_whole = params.old_text.is_some() && params.lines.is_none() && params.symbol.is_none();
    is_whole.then_some(&mut params.lines)
}

/// Returns the approximate size of the parameters, in bytes.
fn size(params: &ProposeParams) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let of_edits = |edits: &[EditEntry]| -> usize {
        edits.iter().map(|edit| 200 + text(&edit.old_text) + text(&edit.new_text)).sum()
    };
    let changes = params.changes.iter().flatten().map(|change| match change {
        ChangeParams::Edit(change) => of_edits(&change.edits),
        ChangeParams::Write(change) => change.content.len(),
        ChangeParams::Notebook(_) => KEPT_REQUEST_BYTES,
        ChangeParams::Delete(_) | ChangeParams::Rename(_) => 0,
    });
    let patch = params.patch.as_ref().map_or(0, |patch| patch.text.len());
    let edits = params.edits.as_deref().map_or(0, of_edits);
    500 + changes.sum::<usize>() + patch + edits + text(&params.old_text) + text(&params.new_text)
}
