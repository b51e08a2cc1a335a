use std::time::SystemTime;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::history::Origin;
use crate::{Coverage, FileContent, FileKey, OnStale, ProposalId, Role, SessionId};
use editd_edit::{Deadline, Labels, Plan, diff_plan};
use editd_text::{ContentHash, Format};

fn snapshot(text: &str) -> Arc<Snapshot> {
    let (hash, size) = (ContentHash::of(text.as_bytes()), text.len() as u64);
    Arc::new(Snapshot { hash, text: text.into(), format: Format::UTF8, size })
}

fn text_content(text: &str) -> FileContent {
    FileContent::Text(snapshot(text))
}

fn file(before: &str, after: &str) -> PlannedFile {
    let plan = Plan::between(before, after, Deadline::NONE);
    PlannedFile {
        key: FileKey::path("/a"),
        path: "/a".into(),
        action: Action::Edit,
        before: Some(snapshot(before)),
        hash_before: Some(ContentHash::of(before.as_bytes())),
        diff: Arc::new(diff_plan(before, &plan, Labels::same("a"), Deadline::NONE)),
        plan: Arc::new(plan),
        hash_after: Some(ContentHash::of(after.as_bytes())),
        format: Format::UTF8,
        shown: None,
        matches: Vec::new(),
        warnings: Vec::new(),
        syntax: Vec::new(),
        runs_programs: false,
        rebased: false,
        original_plan: None,
        coverage: Coverage::Whole,
    }
}

fn rebase(file: &PlannedFile, now: &str) -> RebasedFile {
    RebasedFile::of(file, &text_content(now), Some(now), Deadline::NONE)
}

/// Applies these choices to the current text of a file.
fn result(file: &PlannedFile, now: &str, choices: &[Choice]) -> String {
    let rebased = rebase(file, now);
    let current = text_content(now);
    let file = CurrentFile { file, content: &current, now: Some(now), rebased: &rebased };
    match file.verdict(choices, None, Deadline::NONE) {
        FileOutcome::Nothing => now.to_owned(),
        FileOutcome::Text(plan) => plan.apply(now),
        other => panic!("{other:?}"),
    }
}

fn lines(count: usize) -> String {
    (1..=count)
        .map(|number| number.to_string())
        .flat_map(|it| ["line ".to_owned(), it, "\n".to_owned()])
        .collect()
}

#[rstest]
#[case("h1", Some(1))]
#[case("h120", Some(120))]
#[case("h0", None)]
#[case("h01", None)]
#[case("h+1", None)]
#[case("H1", None)]
#[case("1", None)]
#[case("h", None)]
#[case("h99999999999999999999999", None)]
fn a_hunk_id_has_exactly_one_spelling(#[case] text: &str, #[case] number: Option<usize>) {
    assert_eq!(text.parse().ok(), number.map(HunkId));
    if let Some(number) = number {
        assert_eq!(HunkId(number).to_string(), text);
    }
}

#[rstest]
#[case(&[Choice::Accepted, Choice::Taken, Choice::Edited], ProposalState::Applied)]
#[case(&[Choice::Accepted, Choice::Rejected], ProposalState::Partial)]
#[case(&[Choice::Rejected, Choice::Rejected], ProposalState::Rejected)]
fn the_state_follows_from_the_choices(#[case] choices: &[Choice], #[case] state: ProposalState) {
    let review = Review { choices: choices.to_vec(), ..Review::default() };
    assert!(review.is_decided());
    assert_eq!(review.verdict(), state);
}

#[test]
fn every_kind_of_change_has_hunks() {
    let kinds = |file: &PlannedFile| file.hunks().into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    let edited = file("a\nb\nc\n", "A\nb\nC\n");
    assert_eq!(kinds(&edited), [HunkKind::Text, HunkKind::Text]);
    assert_eq!(kinds(&file("a\n", "a\n")), [HunkKind::Encoding]);
    let (to, to_key) = (PathBuf::from("/b"), FileKey::path("/b"));
    let action = Action::Rename { to, to_key };
    assert_eq!(
        kinds(&PlannedFile { action: action.clone(), ..edited.clone() }),
        [HunkKind::Rename, HunkKind::Text, HunkKind::Text]
    );
    assert_eq!(kinds(&PlannedFile { action, ..file("a\n", "a\n") }), [HunkKind::Rename]);
    assert_eq!(kinds(&PlannedFile { action: Action::CREATE, ..file("", "") }), [HunkKind::Create]);
    assert_eq!(kinds(&PlannedFile { action: Action::Delete, ..edited }), [HunkKind::Delete]);
}

#[test]
fn hunks_are_numbered_over_all_files() {
    let proposal = Proposal {
        session_name: "s1".into(),
        origin: Origin::default(),
        id: ProposalId("p1".into()),
        session: SessionId(1),
        role: Role::Agent,
        roots: Vec::new(),
        author: "ada".to_owned(),
        request: None,
        label: None,
        revision: 1,
        state: ProposalState::Pending,
        reason: None,
        replaced_by: None,
        on_stale: OnStale::Reject,
        at: SystemTime::UNIX_EPOCH,
        transaction: None,
        undoes: None,
        landed: None,
        files: vec![file("a\nb\nc\n", "A\nb\nC\n"), file("a\n", "b\n")].into(),
        paths: Arc::default(),
        review: None,
    };
    assert_eq!((proposal.hunk_count(), proposal.hunk_ranges()), (3, vec![0..2, 2..3]));
}

#[rstest]
#[case::as_it_was("a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n", "a\nb\nc\nd\ne\n", &[false, false], &[(2, 1, 2, 1), (4, 1, 4, 1)])]
#[case::moved("a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n", "0\n1\na\nb\nc\nd\ne\n", &[false, false], &[(4, 1, 4, 1), (6, 1, 6, 1)])]
#[case::touched("a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n", "a\nb\nc\nx\ne\n", &[false, true], &[(2, 1, 2, 1), (4, 1, 4, 1)])]
#[case::longer("a\nb\nc\nd\ne\n", "a\nB\nBB\nc\nd\ne\nf\n", "0\na\nb\nc\nd\ne\n", &[false, false], &[(3, 1, 3, 2), (6, 0, 8, 1)])]
#[case::crlf("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", "0\r\na\r\nb\r\nc\r\n", &[false], &[(3, 1, 3, 1)])]
#[case::no_line_end("a\nb", "a\nB", "0\na\nb", &[false], &[(3, 1, 3, 1)])]
#[case::all_gone("a\nb\n", "A\nb\n", "", &[true], &[(0, 0, 1, 1)])]
fn hunks_are_rebased_onto_the_current_text(
    #[case] before: &str,
    #[case] after: &str,
    #[case] now: &str,
    #[case] conflicted: &[bool],
    #[case] expected: &[(usize, usize, usize, usize)],
) {
    let file = file(before, after);
    let rebased = rebase(&file, now);
    assert_eq!(rebased.hunks.iter().map(|hunk| hunk.conflicted).collect::<Vec<_>>(), conflicted);
    let open = vec![Choice::Open; rebased.hunks.len()];
    let lines = rebased.lines(&file.hunks(), &open);
    let lines: Vec<_> =
        lines.iter().map(|it| (it.old_start, it.old_lines, it.new_start, it.new_lines)).collect();
    assert_eq!(lines, expected);
}

#[test]
fn a_hunk_that_is_already_present_is_not_a_conflict() {
    let file = file("a\nb\nc\nd\n", "a\nB\nc\nD\n");
    let rebased = rebase(&file, "a\nB\nc\nd\n");
    assert_eq!(
        rebased.hunks.iter().map(|hunk| (hunk.conflicted, hunk.done)).collect::<Vec<_>>(),
        [(false, true), (false, false)]
    );
    assert_eq!(result(&file, "a\nB\nc\nd\n", &[Choice::Accepted; 2]), "a\nB\nc\nD\n");
    assert_eq!(result(&file, "a\nB\nc\nd\n", &[Choice::Accepted, Choice::Rejected]), "a\nB\nc\nd\n");
}

fn decide(file: &PlannedFile, now: &str, review: &Review, decision: &Decision) -> Review {
    let (current, rebased) = (text_content(now), rebase(file, now));
    let observed = [CurrentFile { file, content: &current, now: Some(now), rebased: &rebased }];
    let mut next = review.decide(&observed, decision, Deadline::NONE);
    next.reopen_outdated(&observed, Deadline::NONE);
    next
}

#[rstest]
#[case::both("a\nB\nc\nD\n", &[Choice::Accepted, Choice::Accepted], false)]
#[case::none("a\nb\nc\nd\n", &[Choice::Rejected, Choice::Rejected], false)]
#[case::one("a\nB\nc\nd\n", &[Choice::Accepted, Choice::Rejected], false)]
#[case::another_word("a\nBB\nc\nd\n", &[Choice::Edited, Choice::Rejected], true)]
#[case::elsewhere("a\nB\nC\nD\n", &[Choice::Edited, Choice::Edited], true)]
#[case::only_something_else("0\na\nb\nc\nd\n", &[Choice::Edited, Choice::Edited], true)]
#[case::at_the_end("a\nB\nc\nD\ne\n", &[Choice::Accepted, Choice::Edited], true)]
fn a_replacement_text_decides_each_hunk(
    #[case] content: &str,
    #[case] choices: &[Choice],
    #[case] stored: bool,
) {
    let file = file("a\nb\nc\nd\n", "a\nB\nc\nD\n");
    let replace = vec![Replace { file: 0, content: content.to_owned() }];
    let decision = Decision { replace, ..Decision::default() };
    let review = decide(&file, "a\nb\nc\nd\n", &Review::open(2), &decision);
    assert_eq!(review.choices, choices);
    assert_eq!(review.replaced.contains_key(&0), stored);
}

#[test]
fn an_lf_replacement_gets_the_crlf_of_its_file() {
    let file = file("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n");
    let replace = vec![Replace { file: 0, content: "a\nB\nc\n".to_owned() }];
    let decision = Decision { replace, ..Decision::default() };
    let review = decide(&file, "a\r\nb\r\nc\r\n", &Review::open(1), &decision);
    assert_eq!((review.choices.as_slice(), review.replaced.len()), (&[Choice::Accepted][..], 0));
}

fn scene() -> impl Strategy<Value = (String, String, Vec<bool>)> {
    (4_usize..60).prop_flat_map(|count| {
        let marks = proptest::collection::vec(0_u8..10, count);
        let picks = proptest::collection::vec(any::<bool>(), count);
        (Just(lines(count)), marks, picks).prop_map(|(base, marks, picks)| {
            let line = |(line, mark): (&str, &u8)| match mark {
                0 => format!("new {line}"),
                1 => String::new(),
                2 => format!("{line}more\n"),
                _ => line.to_owned(),
            };
            let wanted = base.split_inclusive('\n').zip(&marks).map(line).collect();
            (base, wanted, picks)
        })
    })
}

/// Adds text in lines that no hunk touches or borders on.
fn typed(base: &str, file: &PlannedFile, picks: &[bool]) -> String {
    let hunks = file.hunks();
    let is_near = |number: usize| {
        hunks.iter().any(|(_, hunk)| {
            (hunk.old_start.saturating_sub(1)..=hunk.old_start + hunk.old_lines + 1).contains(&number)
        })
    };
    let line = |(at, (line, typed)): (usize, (&str, &bool))| {
        if *typed && !is_near(at + 1) { format!("typed {at}\nand {line}") } else { line.to_owned() }
    };
    base.split_inclusive('\n').zip(picks).enumerate().map(line).collect()
}

proptest! {
    #[test]
    fn accepting_all_gives_the_proposal_and_rejecting_all_the_original((base, wanted, _) in scene()) {
        let file = file(&base, &wanted);
        let hunks = file.hunks().len();
        prop_assert_eq!(result(&file, &base, &vec![Choice::Accepted; hunks]), wanted);
        prop_assert_eq!(result(&file, &base, &vec![Choice::Rejected; hunks]), base);
    }

    #[test]
    fn hunks_applied_together_equal_hunks_applied_in_any_order((base, wanted, picks) in scene(), backwards: bool) {
        let file = file(&base, &wanted);
        prop_assume!(wanted != base);
        let hunks = file.hunks().len();
        let choice = |yes| if yes { Choice::Accepted } else { Choice::Rejected };
        let choices: Vec<_> = picks.iter().copied().take(hunks).map(choice).collect();
        let together = result(&file, &base, &choices);
        let mut order: Vec<usize> = (0..choices.len()).filter(|at| choices[*at].has_effect()).collect();
        if backwards {
            order.reverse();
        }
        let mut one_by_one = base.clone();
        for at in order {
            let mut single = vec![Choice::Rejected; hunks];
            single[at] = Choice::Accepted;
            one_by_one = result(&file, &one_by_one, &single);
        }
        prop_assert_eq!(together, one_by_one);
    }

    #[test]
    fn typing_elsewhere_and_hunks_do_not_affect_each_other((base, wanted, picks) in scene()) {
        let file = file(&base, &wanted);
        prop_assume!(wanted != base);
        let now = typed(&base, &file, &picks);
        let rebased = rebase(&file, &now);
        for (hunk, (_, before)) in rebased.hunks.iter().zip(file.hunks()) {
            prop_assert!(!hunk.conflicted);
            let (old, _) = rebased.texts(hunk, &now).unwrap();
            let lines: String =
                base.split_inclusive('\n').skip(before.old_start - usize::from(before.old_lines > 0)).take(before.old_lines).collect();
            prop_assert_eq!(old, lines);
        }
        let all = vec![Choice::Accepted; rebased.hunks.len()];
        let both = result(&file, &now, &all);
        prop_assert_eq!(typed_lines(&both), typed_lines(&now));
        let untyped: String = strip(&both);
        prop_assert_eq!(untyped, wanted);
    }

    #[test]
    fn a_replacement_text_is_the_final_text((base, wanted, picks) in scene(), content in "([a-c]\n){0,8}") {
        let file = file(&base, &wanted);
        prop_assume!(wanted != base);
        let content = if picks[0] { content } else { typed(&base, &file, &picks) };
        let decision = Decision { replace: vec![Replace { file: 0, content: content.clone() }], ..Decision::default() };
        let review = decide(&file, &base, &Review::open(file.hunks().len()), &decision);
        prop_assert!(review.is_decided());
        let (current, rebased) = (text_content(&base), rebase(&file, &base));
        let file = CurrentFile { file: &file, content: &current, now: Some(&base), rebased: &rebased };
        let verdict = file.verdict(&review.choices, review.replaced.get(&0), Deadline::NONE);
        let written = match verdict {
            FileOutcome::Nothing => base,
            FileOutcome::Text(plan) => plan.apply(&base),
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(written, content);
    }
}

fn typed_lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("typed")).collect()
}

fn strip(text: &str) -> String {
    let original = text.split_inclusive('\n').filter(|line| !line.starts_with("typed"));
    original.map(|line| line.strip_prefix("and ").unwrap_or(line)).collect()
}
