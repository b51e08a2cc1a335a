//! Number of matches that an edit replaces.

use rstest::rstest;

use super::*;

fn counted(
    base: &str,
    old: &str,
    count: Count,
) -> Result<(String, Vec<Match>, Vec<String>), Vec<EditRefusal>> {
    apply(base, &[Edit { count, ..Edit::new(old, "x") }])
}

#[rstest]
#[case("a b a\n", "a", Count::All, "x b x\n", 2)]
#[case("a b a\n", "a", Count::Exactly(2), "x b x\n", 2)]
#[case("a\r\na\r\n", "a\n", Count::All, "xx", 2)]
#[case::only_exact_matches("\"a\" “a”\n", "\"a\"", Count::All, "x “a”\n", 1)]
#[case::one_tolerant_match("“a”\n", "\"a\"", Count::All, "x\n", 1)]
#[case::one_tolerant_match_with_a_count("“a”\n", "\"a\"", Count::Exactly(1), "x\n", 1)]
fn the_requested_number_of_matches_is_replaced(
    #[case] base: &str,
    #[case] old: &str,
    #[case] count: Count,
    #[case] expected: &str,
    #[case] replacements: usize,
) {
    let (result, matches, _) = counted(base, old, count).unwrap();
    assert_eq!((&*result, matches[0].replacements), (expected, replacements));
}

#[rstest]
#[case("a a a\n", "a", 2, 3)]
#[case("a\n", "a", 2, 1)]
#[case::overlapping_hits_count_once("aaa\n", "aa", 2, 1)]
#[case::a_tolerant_place_serves_for_one("“a”\n", "\"a\"", 2, 1)]
fn another_number_is_a_mismatch(
    #[case] base: &str,
    #[case] old: &str,
    #[case] expected: u32,
    #[case] found: usize,
) {
    let kind = counted(base, old, Count::Exactly(expected)).unwrap_err().remove(0).kind;
    let EditRefusalKind::CountMismatch { expected: reported_expected, found: reported_found, .. } = kind
    else {
        panic!("{kind:?}")
    };
    assert_eq!((reported_expected, reported_found), (expected, found));
}

#[rstest]
#[case::overlapping("aaa\n", "aa", Count::One)]
#[case::several_tolerant_counted("“a” “a”\n", "\"a\"", Count::Exactly(2))]
fn overlapping_or_tolerant_matches_are_ambiguous(
    #[case] base: &str,
    #[case] old: &str,
    #[case] count: Count,
) {
    let kind = counted(base, old, count).unwrap_err().remove(0).kind;
    assert!(matches!(kind, EditRefusalKind::Ambiguous { .. }), "{kind:?}");
}

#[test]
fn several_tolerant_matches_are_not_found_all_at_once() {
    let kind = counted("“a”\n“a”\n", "\"a\"", Count::All).unwrap_err().remove(0).kind;
    assert!(matches!(kind, EditRefusalKind::NotFound { closest, .. } if !closest.is_empty()));
}

#[test]
fn no_match_at_all_is_not_found() {
    let kind = counted("b\n", "a", Count::Exactly(2)).unwrap_err().remove(0).kind;
    assert!(matches!(kind, EditRefusalKind::NotFound { .. }));
}

#[test]
fn all_matches_that_prove_their_indentation_are_replaced() {
    let all =
        |base: &str, old: &str, new: &str| apply(base, &[Edit { count: Count::All, ..Edit::new(old, new) }]);
    let base =
        "def f():\n    if a:\n        go(1)\n\ndef g():\n    if b:\n        if a:\n            go(1)\n";
    let (old, new) = ("  if a:\n      go(1)\n", "  if a:\n      go(2)\n      stop()\n");
    let (result, matches, _) = all(base, old, new).unwrap();
    let expected = "def f():\n    if a:\n        go(2)\n        stop()\n\ndef g():\n    if b:\n        if a:\n            go(2)\n            stop()\n";
    assert_eq!((&*result, matches[0].replacements), (expected, 2));
    // The second match lost the depth of its block, so the place of the new line is unclear.
    let base = "def f():\n    if a:\n        go(1)\n    c()\n\ndef g():\n    if a:\n    go(1)\n    c()\n";
    let (old, new) = ("  if a:\n  go(1)\n  c()\n", "  if a:\n  go(1)\n  stop()\n  c()\n");
    let refused = all(base, old, new).unwrap_err().remove(0).kind;
    assert!(matches!(refused, EditRefusalKind::NotFound { .. }), "{refused:?}");
}
