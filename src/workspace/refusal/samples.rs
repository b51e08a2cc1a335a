//! A refusal of each kind, for tests.

use editd_edit::notebook::{CellRef, CellRefusalKind, Unreadable};
use editd_edit::{Closest, EditRefusalKind, LineRange, LineRefusal, Occurrences};
use editd_syntax::{
    BadText, Candidate, Language, RenameRefusal, SymbolKind, SymbolRefusal, SyntaxError, Unclear,
};
use editd_text::ContentHash;

use super::{
    Contest, EditorRefusal, Known, ProposalRefusal, Refusal, RefusalKind, ReviewRefusal, Since, UndoRefusal,
};
use crate::review::HunkId;
use crate::rules::{Cause, Protection, Remedy};
use crate::{ProposalId, ProposalState};

/// Returns refusals of all edits of texts and of cells, each of which quotes a text.
fn kinds_of_edits(quoted: &str) -> Vec<RefusalKind> {
    let text = || quoted.to_owned();
    let lines = LineRange { start: 1, end: 2 };
    let closest = |text: &str| {
        let diff = text.to_owned();
        vec![Closest { start_line: 1, end_line: 1, similarity: 0.5, diff, reason: String::new() }]
    };
    let occurrences = |overlap| Occurrences { total: 2, overlap, ..Occurrences::default() };
    let edits = [
        EditRefusalKind::NotFound { closest: closest(quoted), already_applied: true, offer: None },
        EditRefusalKind::NotFound { closest: Vec::new(), already_applied: false, offer: None },
        EditRefusalKind::NotFound { closest: closest(quoted), already_applied: false, offer: None },
        EditRefusalKind::MissingContext { context: text(), closest: closest(quoted) },
        EditRefusalKind::Placeholder { line: 1, text: text() },
        EditRefusalKind::Ambiguous { occurrences: occurrences(true) },
        EditRefusalKind::Ambiguous { occurrences: occurrences(false) },
        EditRefusalKind::OutsideScope { scope: lines, occurrences: occurrences(false) },
        EditRefusalKind::NoMatch { scope: None, within_words: Occurrences::default() },
        EditRefusalKind::NoMatch { scope: Some(lines), within_words: occurrences(false) },
        EditRefusalKind::TooManyMatches { limit: 3 },
        EditRefusalKind::CountMismatch { expected: 3, found: 2, occurrences: occurrences(false) },
        EditRefusalKind::Overlap { other_edit: 1, lines, other_lines: lines },
        EditRefusalKind::Dependency { other_edit: 1 },
        EditRefusalKind::Contradiction { other_edit: 1, lines },
        EditRefusalKind::Lines(LineRefusal::NoSuchLine { line: 3, total: 2 }),
        EditRefusalKind::Lines(LineRefusal::OtherText { line: 1, parameter: "first", excerpt: text() }),
        EditRefusalKind::Lines(LineRefusal::Unseen { lines, excerpt: text(), complete: true }),
        EditRefusalKind::Lines(LineRefusal::Unseen { lines, excerpt: text(), complete: false }),
        EditRefusalKind::Lines(LineRefusal::SeveralVersions { lines, tags: vec!["123456".to_owned()] }),
        EditRefusalKind::NoChange,
        EditRefusalKind::EmptyOldText,
        EditRefusalKind::TooLarge { limit: 1, size: 2 },
        EditRefusalKind::Timeout,
    ];
    let cells = [
        CellRefusalKind::NotFound { wanted: Some(CellRef::Id(text())), cells: Vec::new(), total: 0 },
        CellRefusalKind::NotFound { wanted: Some(CellRef::Index(1)), cells: Vec::new(), total: 0 },
        CellRefusalKind::NotFound { wanted: None, cells: Vec::new(), total: 0 },
        CellRefusalKind::Ambiguous { id: text(), occurrences: occurrences(false) },
        CellRefusalKind::Contradiction { other_op: 1, cell: 0, lines },
    ];
    edits.into_iter().map(RefusalKind::Edit).chain(cells.into_iter().map(RefusalKind::Cells)).collect()
}

/// Returns refusals about symbols and syntax, each of which quotes a text.
fn kinds_of_symbols(quoted: &str) -> Vec<RefusalKind> {
    let text = || quoted.to_owned();
    let lines = LineRange { start: 1, end: 2 };
    let candidates = || vec![Candidate { path: text(), kind: SymbolKind::Function, lines }];
    vec![
        RefusalKind::Symbol(SymbolRefusal::Unknown { candidates: Vec::new(), total: 0 }),
        RefusalKind::Symbol(SymbolRefusal::Unknown { candidates: Vec::new(), total: 3 }),
        RefusalKind::Symbol(SymbolRefusal::Unknown { candidates: candidates(), total: 3 }),
        RefusalKind::Symbol(SymbolRefusal::Ambiguous { candidates: candidates(), more: 1 }),
        RefusalKind::Symbol(SymbolRefusal::Broken { line: 1 }),
        RefusalKind::Symbol(SymbolRefusal::WithoutBody { lines }),
        RefusalKind::Symbol(SymbolRefusal::WithoutName { lines }),
        RefusalKind::Symbol(SymbolRefusal::BadText { reason: BadText::Blank }),
        RefusalKind::Symbol(SymbolRefusal::SharedLines { line: 1 }),
        RefusalKind::Symbol(SymbolRefusal::NotAnItem { line: 1 }),
        RefusalKind::Symbol(SymbolRefusal::InMoved { line: 1 }),
        RefusalKind::Symbol(RenameRefusal::NotOffered { language: Language::Json }.into()),
        RefusalKind::Symbol(RenameRefusal::Broken { line: 1 }.into()),
        RefusalKind::Symbol(RenameRefusal::Keyword.into()),
        RefusalKind::Symbol(RenameRefusal::Captured { line: 1, by: 2 }.into()),
        RefusalKind::Symbol(RenameRefusal::Unclear { line: 1, reason: Unclear::Constructor }.into()),
        RefusalKind::Symbol(RenameRefusal::Unclear { line: 1, reason: Unclear::Import }.into()),
        RefusalKind::NoSyntax(text()),
        RefusalKind::NewErrors(vec![SyntaxError::new(1, text())]),
    ]
}

/// Returns refusals of a change or read of a file, each of which quotes a text.
fn kinds_of_files(quoted: &str) -> Vec<RefusalKind> {
    let text = || quoted.to_owned();
    let hash = Some(ContentHash::of(b""));
    let unread = |known| RefusalKind::Unread { current: hash, excerpt: None, known };
    let stale = |current, base_known, since| RefusalKind::Stale { current, diff: None, base_known, since };
    let disk = |errno, space| RefusalKind::Disk {
        operation: "write",
        errno,
        detail: text(),
        required: space,
        available: space,
    };
    let unreadable = || Unreadable { line: 1, reason: text() };
    let file = || std::path::Path::new("/policy.toml").into();
    let protected = |cause, opening| {
        RefusalKind::Protected(Protection { rule: "policy", cause, reason: Some(text()), opening })
    };
    vec![
        unread(Known::NothingYet),
        unread(Known::OtherFiles),
        unread(Known::SomeLines),
        stale(None, true, Since::Read),
        stale(hash, true, Since::Read),
        stale(hash, false, Since::Read),
        stale(hash, true, Since::Proposed),
        RefusalKind::UnknownTag { tag: ContentHash::of(b"").into(), other: None, current: hash },
        RefusalKind::UnknownTag {
            tag: ContentHash::of(b"").into(),
            other: Some("/other".into()),
            current: None,
        },
        RefusalKind::Conflict { regions: Vec::new() },
        RefusalKind::Notebook(unreadable()),
        RefusalKind::BrokenNotebook(unreadable()),
        RefusalKind::NoChange,
        RefusalKind::EmptyFile,
        RefusalKind::Exists,
        RefusalKind::OtherMode { is_executable: true },
        RefusalKind::Missing,
        RefusalKind::NothingToRetry { id: text() },
        RefusalKind::NoFileMatches { searched: 1 },
        RefusalKind::OtherTotal { expected: 1, found: 2, files: 1 },
        RefusalKind::UnreadFiles { unread: 1, found: 2, files: 1 },
        RefusalKind::NotAFile { what: text() },
        RefusalKind::Binary,
        RefusalKind::DamagedImage(text()),
        RefusalKind::Encoding { detail: text() },
        RefusalKind::GuessedEncoding { name: text() },
        RefusalKind::TooLarge { limit: 1, size: 2 },
        RefusalKind::ReadOnly,
        RefusalKind::OutsideWorkspace { roots: Vec::new() },
        protected(Cause::Pattern(text()), Remedy::Never),
        protected(Cause::Pattern(text()), Remedy::Forbidden),
        protected(Cause::Property("is secret"), Remedy::HardLinks),
        protected(Cause::Property("is secret"), Remedy::Policy { file: file(), lines: text() }),
        protected(Cause::Property("is secret"), Remedy::Review { file: file(), lines: text() }),
        RefusalKind::Root { reason: "it is wider than one project" },
        disk(None, None),
        disk(Some(13), None),
        disk(None, Some(1)),
        RefusalKind::Recovering { transaction: text() },
        RefusalKind::Timeout { what: "Merging" },
    ]
}

/// Returns refusals that do not depend on the state of a file, each of which quotes a text.
fn kinds_of_requests(quoted: &str) -> Vec<RefusalKind> {
    let text = || quoted.to_owned();
    let proposal = || ProposalId(quoted.into());
    let contested = |reason| EditorRefusal::Contested { reason, editors: vec![text()] };
    let editors = [
        contested(Contest::TwoEditors),
        contested(Contest::BufferAndDisk),
        contested(Contest::EditorOutdated),
        EditorRefusal::Refused { reason: text(), editor: text() },
        EditorRefusal::Unverified { reason: text(), actual: None },
    ];
    let undo = [
        UndoRefusal::Unknown { id: Some(text()) },
        UndoRefusal::Unknown { id: None },
        UndoRefusal::NotListed { id: text() },
        UndoRefusal::Undone { id: text(), by: text() },
        UndoRefusal::Reverted { id: text() },
        UndoRefusal::NotKept { id: text() },
    ];
    let closed = |state| ProposalRefusal::Closed { state, current_revision: 1, transaction: Some(text()) };
    let proposals = [
        ProposalRefusal::Unknown { id: text() },
        ProposalRefusal::Superseded { current_revision: 2, by: None },
        ProposalRefusal::Superseded { current_revision: 2, by: Some(proposal()) },
        ProposalRefusal::OtherRevision { named: 1, current_revision: 2 },
        ProposalRefusal::OtherRevision { named: 2, current_revision: 1 },
        closed(ProposalState::Applied),
        closed(ProposalState::Discarded),
    ];
    let reviews = [
        ReviewRefusal::Rejected { comments: vec![text()] },
        ReviewRefusal::Rejected { comments: Vec::new() },
        ReviewRefusal::Waits { proposal: proposal() },
        ReviewRefusal::NothingRejected { id: None, waits: true },
        ReviewRefusal::NothingRejected { id: None, waits: false },
        ReviewRefusal::EarlierDecision { hunks: vec![HunkId(1)], landed: false },
        ReviewRefusal::EarlierDecision { hunks: vec![HunkId(1), HunkId(3)], landed: true },
    ];
    let written = Since::Written { later: Some(quoted.into()) };
    let current = Some(ContentHash::of(b""));
    let mut kinds = vec![
        RefusalKind::Stale { current, diff: None, base_known: true, since: written },
        RefusalKind::BadPatch { line: 1, expected: text() },
        RefusalKind::NotPermitted { what: text() },
        RefusalKind::RequestIdUsed { id: text() },
        RefusalKind::Busy { what: text() },
    ];
    kinds.extend(editors.into_iter().map(RefusalKind::Editor));
    kinds.extend(undo.into_iter().map(RefusalKind::Undo));
    kinds.extend(proposals.into_iter().map(RefusalKind::Proposal));
    kinds.extend(reviews.into_iter().map(RefusalKind::Review));
    kinds
}

/// Returns `true` if a hunk of a patch can be refused in this way.
fn is_possible_in_patch(kind: &RefusalKind) -> bool {
    let RefusalKind::Edit(kind) = kind else { return false };
    let of_parameters = matches!(
        kind,
        EditRefusalKind::CountMismatch { .. }
            | EditRefusalKind::EmptyOldText
            | EditRefusalKind::OutsideScope { .. }
            | EditRefusalKind::NoMatch { .. }
            | EditRefusalKind::TooManyMatches { .. }
            | EditRefusalKind::TooLarge { .. }
    );
    !of_parameters
}

/// Returns refusals of the parts of a change, in a patch or not.
pub fn of_edits(quoted: &str) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for kind in kinds_of_edits(quoted) {
        for name in [quoted.to_owned(), format!("{quoted}.ipynb")] {
            let refusal = Refusal { edit: Some(0), ..Refusal::at(&name, kind.clone()).of_change(0) };
            refusals.push(Refusal { edit: None, ..refusal.clone() });
            if is_possible_in_patch(&kind) {
                refusals.push(Refusal { patch_line: Some(7), ..refusal.clone() });
            }
            refusals.push(refusal);
        }
    }
    refusals
}

/// Returns refusals of a change or read of a file as a whole.
pub fn of_files(quoted: &str) -> Vec<Refusal> {
    let read = kinds_of_files(quoted)
        .into_iter()
        .chain(kinds_of_symbols(quoted))
        .map(|kind| Refusal::at(quoted, kind));
    read.flat_map(|read| {
        let change = read.clone().of_change(0);
        [Refusal { patch_line: Some(7), ..change.clone() }, change, read]
    })
    .collect()
}

/// Returns refusals of all kinds that quote a text.
pub fn all(quoted: &str) -> Vec<Refusal> {
    let requests = kinds_of_requests(quoted).into_iter().map(|kind| Refusal::at(quoted, kind));
    of_edits(quoted).into_iter().chain(of_files(quoted)).chain(requests).collect()
}
