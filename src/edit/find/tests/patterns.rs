//! Patterns, and texts that are searched for in a part of the base.

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::PatternKind;

const REGEX: PatternKind = PatternKind { word: false, regex: true };
const WORD: PatternKind = PatternKind { word: true, regex: false };

fn all(kind: PatternKind, old: &str, new: &str) -> Edit {
    Edit { kind, count: Count::All, ..Edit::new(old, new) }
}

/// Returns an edit that searches within a part of the base.
fn within(base: &str, part: &str, edit: Edit) -> Edit {
    let start = base.find(part).expect("a part of the base");
    Edit { scope: Some(start..start + part.len()), ..edit }
}

#[rstest]
#[case::crlf("a\r\nb\r\na\r\n", all(REGEX, "^a$", "x"), "x\r\nb\r\nx\r\n")]
#[case::new_lines_end_like_the_region("a\r\nb\nc\n", all(REGEX, "a\nb", "$0\nx"), "a\r\nb\nx\nc\n")]
#[case::a_match_over_mixed_endings("a\r\nb\nc", all(REGEX, "(?s)a.*c", "[$0]"), "[a\r\nb\nc]")]
#[case::lone_cr("a\rb\r", all(REGEX, "a\n", "x\n"), "x\rb\r")]
#[case::byte_order_mark("\u{feff}a\na\n", all(REGEX, "^a", "x"), "\u{feff}x\nx\n")]
#[case::tabs("\ta\n\t\ta\n", all(REGEX, r"^\t+a", "b"), "b\nb\n")]
#[case::a_line_and_its_ending("a\nb\nc\n", all(REGEX, "^b\n", ""), "a\nc\n")]
#[case::only_the_text_of_a_line("a\nb\nc\n", all(REGEX, "^b$", ""), "a\n\nc\n")]
#[case::no_final_line_ending("a\nb", all(REGEX, "b$", "c\nd"), "a\nc\nd")]
#[case::words("a ab a\n", all(WORD, "a", "x"), "x ab x\n")]
#[case::a_word_over_lines("f(\r\n  a)\r\n", all(WORD, "f(\n  a", "g(\n  a"), "g(\r\n  a)\r\n")]
#[case::overlapping_text("aaaaa\n", all(PatternKind::default(), "aa", "x"), "xxa\n")]
#[case::overlapping_lines("a\na\na\n", all(PatternKind::default(), "a\na\n", "b\n"), "b\na\n")]
fn all_matches_are_replaced(#[case] base: &str, #[case] edit: Edit, #[case] expected: &str) {
    let (result, ..) = apply(base, &[edit]).unwrap();
    assert_eq!(result, expected);
}

#[test]
fn the_answer_has_the_lines_of_each_match() {
    let (_, matches, _) = apply("a\nb\na\nxa\n", &[all(REGEX, "a", "c")]).unwrap();
    let lines: Vec<_> = matches[0].places.iter().map(|lines| (lines.start, lines.end)).collect();
    assert_eq!((matches[0].replacements, lines), (3, vec![(1, 1), (3, 3), (4, 4)]));
}

#[test]
fn long_runs_of_overlapping_matches_are_replaced_completely() {
    let (result, matches, _) = apply(&"a".repeat(10_001), &[all(PatternKind::default(), "aa", "b")]).unwrap();
    assert_eq!((result, matches[0].replacements), ("b".repeat(5_000) + "a", 5_000));
}

#[rstest]
#[case::exact("a\nb\na\n", "b\na\n", Edit::new("a", "x"), "a\nb\nx\n")]
#[case::all("a\na\na\n", "a\na\n", Edit { count: Count::All, ..Edit::new("a", "x") }, "x\nx\na\n")]
#[case::counted("a\na\na\n", "a\na\n", Edit { count: Count::Exactly(2), ..Edit::new("a", "x") }, "x\nx\na\n")]
#[case::a_tolerant_tier(
    "if a:\n    go(1)\nif b:\n    go(1)\n",
    "if b:\n    go(1)\n",
    Edit::new("go(1)\n", "go(2)\n"),
    "if a:\n    go(1)\nif b:\n    go(2)\n"
)]
#[case::typography(
    "say “a”\nsay “a” b\n",
    "say “a” b\n",
    Edit::new("\"a\"", "\"c\""),
    "say “a”\nsay “c” b\n"
)]
#[case::a_stricter_match_outside_does_not_count(
    "\"a\"\n“a”\n",
    "“a”\n",
    Edit::new("\"a\"", "b"),
    "\"a\"\nb\n"
)]
#[case::a_pattern("a1\na2\na3\n", "a2\na3\n", all(REGEX, r"a(\d)", "b$1"), "a1\nb2\nb3\n")]
#[case::byte_order_mark("\u{feff}a\na\n", "a\n", Edit::new("a", "x"), "\u{feff}x\na\n")]
fn only_the_scope_is_searched(
    #[case] base: &str,
    #[case] part: &str,
    #[case] edit: Edit,
    #[case] expected: &str,
) {
    let (result, ..) = apply(base, &[within(base, part, edit)]).unwrap();
    assert_eq!(result, expected);
}

#[test]
fn a_scope_moves_with_earlier_edits_of_a_sequence() {
    let base = "a\nb\na\nb\na\n";
    let options = Options { sequential: true, ..Options::default() };
    let edits = [
        Edit::new("a\nb\na\n", "a\nb\na\nnew a\n"),
        Edit { scope: Some(6..8), ..Edit::new("b", "long b") },
        Edit { scope: Some(6..10), count: Count::All, ..Edit::new("a", "x") },
    ];
    // The first edit is ambiguous alone, so it is given its place, too.
    let edits = edits.map(|edit| Edit { scope: edit.scope.clone().or(Some(0..6)), ..edit });
    let found = find(base, &edits, &options).unwrap();
    assert_eq!(found.plan.apply(base), "a\nb\na\nnew a\nlong b\nx\n");
}

#[test]
fn a_text_outside_of_the_scope_is_named() {
    let base = "a = 1\nb = 1\na = 1\n";
    let scoped = |edit| apply(base, &[within(base, "b = 1\n", edit)]).unwrap_err().remove(0).kind;
    for edit in [Edit::new("a = 1", "x"), all(REGEX, "a = .", "x"), all(WORD, "a", "x")] {
        let EditRefusalKind::OutsideScope { scope, occurrences } = scoped(edit) else { panic!() };
        assert_eq!((scope, occurrences.total), (LineRange { start: 2, end: 2 }, 2));
        assert_eq!(occurrences.listed[1].start_line, 3);
    }
    let EditRefusalKind::NotFound { closest, .. } = scoped(Edit::new("b = 2", "x")) else { panic!() };
    assert_eq!(closest.iter().map(|region| region.start_line).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_pattern_without_a_match_is_refused() {
    let refused = |edit| apply("total = subtotal\n", &[edit]).unwrap_err().remove(0).kind;
    let EditRefusalKind::NoMatch { scope: None, within_words } = refused(all(WORD, "tot", "x")) else {
        panic!()
    };
    assert_eq!(within_words.total, 2);
    let refused_regex = refused(all(REGEX, r"\d", "x"));
    assert!(
        matches!(refused_regex, EditRefusalKind::NoMatch { scope: None, within_words } if within_words.total == 0)
    );
    assert!(
        matches!(refused(all(WORD, "totall", "x")), EditRefusalKind::NotFound { closest, .. } if closest.len() == 1)
    );
}

#[test]
fn the_number_of_matches_must_be_right() {
    let refused = |count| {
        let edit = Edit { count, ..all(REGEX, "a", "b") };
        apply("a\na\na\n", &[edit]).unwrap_err().remove(0).kind
    };
    let EditRefusalKind::CountMismatch { expected: 2, found: 3, occurrences } = refused(Count::Exactly(2))
    else {
        panic!()
    };
    assert_eq!(occurrences.lines.len(), 3);
    assert!(
        matches!(refused(Count::One), EditRefusalKind::Ambiguous { occurrences } if occurrences.total == 3)
    );
}

#[test]
fn matches_and_new_text_have_limits() {
    let refused = |base: &str, edit, room| {
        let options = Options { room, ..Options::default() };
        find(base, &[edit], &options).unwrap_err().remove(0).kind
    };
    let many = "a".repeat(100_001);
    assert_eq!(
        refused(&many, all(REGEX, "a", "b"), usize::MAX),
        EditRefusalKind::TooManyMatches { limit: 100_000 }
    );
    let large = refused(&many, all(REGEX, "a", "$0$0$0"), 1000);
    assert!(matches!(large, EditRefusalKind::TooLarge { limit: 1000, .. }), "{large:?}");
}

#[test]
fn a_placeholder_is_refused_in_a_pattern_too() {
    let base = "fn a() {\n    b();\n}\n";
    let kind = apply(base, &[all(REGEX, r"b\(\);", "// ... existing code ...")]).unwrap_err().remove(0).kind;
    assert!(matches!(kind, EditRefusalKind::Placeholder { line: 1, .. }), "{kind:?}");
    apply("// ... existing code ...\n", &[all(REGEX, "^//(.*)$", "#$1")]).unwrap();
}

proptest! {
    /// A regular expression without special characters replaces what a text with the same letters does, in any part
    /// of the base, and nothing else.
    #[test]
    fn a_plain_pattern_is_a_text(
        base in "([ab]|\n|\r\n){0,30}", old in "[ab]{1,2}", new in "[ab]{0,2}", bounds in (0_usize..30, 0_usize..30),
    ) {
        let starts: Vec<usize> = lines(&base).map(|line| line.start).chain([base.len()]).collect();
        let (one, other) = (starts[bounds.0 % starts.len()], starts[bounds.1 % starts.len()]);
        let scope = one.min(other)..one.max(other);
        let result = |kind| {
            let edit = Edit { scope: Some(scope.clone()), ..all(kind, &old, &new) };
            find(&base, &[edit], &Options { fuzzy: false, ..Options::default() }).ok().map(|found| found.plan.apply(&base))
        };
        let expected = [&base[..scope.start], &base[scope.clone()].replace(&old, &new), &base[scope.end..]].concat();
        let by_pattern = result(REGEX);
        prop_assert_eq!(by_pattern.clone().unwrap_or_else(|| base.clone()), expected);
        // A text that fills a line takes the line ending along when it is removed.
        if !new.is_empty() {
            prop_assert_eq!(by_pattern, result(PatternKind::default()));
        }
    }
}
