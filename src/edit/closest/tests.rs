use proptest::prelude::*;
use rstest::rstest;

use crate::similarity::{MAX_LINES, most_similar};
use crate::{Closest, Edit, EditRefusalKind, Options, find};

fn closest(base: &str, old: &str, fuzzy: bool) -> Vec<Closest> {
    let options = Options { fuzzy, ..Options::default() };
    let kind = find(base, &[Edit::new(old, "new text")], &options).unwrap_err().remove(0).kind;
    let EditRefusalKind::NotFound { closest, .. } = kind else { panic!("{kind:?}") };
    closest
}

#[rstest]
#[case("a {\n\tb();\n}\n", "a {\n    b();\n}", 1, "the file indents with tabs")]
#[case("a {\n    b();\n}\n", "a {\n  b();\n}", 1, "line 2 is indented by 4 spaces, not by 2 spaces")]
#[case("x\nlet s = it’s;\n", "let s = it's;", 2, "the quote at column 11 of line 2 is U+2019")]
#[case("one two\n\nfoo(a,  b)\n", "foo(a, b)", 3, "the whitespace inside line 3 differs")]
#[case("x\nlet Value = 1;\n", "let value = 1;", 2, "the letter case differs in line 2")]
#[case("a1\na2\nalpha = 1\na4\na5\n", "a1\na2\nalpha = 3\na4\na5", 1, "lines 1-5 match except for line 3")]
#[case("let a = 1; \n", "let a = 1;\t\n", 1, "the trailing whitespace of line 1 differs")]
fn the_reason_names_the_difference(
    #[case] base: &str,
    #[case] old: &str,
    #[case] line: usize,
    #[case] reason: &str,
) {
    let found = closest(base, old, false);
    assert_eq!((found[0].start_line, &*found[0].reason), (line, reason), "{found:?}");
}

#[test]
fn the_diff_shows_requested_and_actual_lines() {
    let found =
        closest("fn a() {\n    one();\n    two();\n}\n", "fn a() {\n    one();\n    tow();\n}\n", true);
    assert_eq!(found[0].diff, " fn a() {\n     one();\n-    tow();\n+    two();\n }\n");
    assert_eq!((found.len(), found[0].start_line, found[0].end_line), (1, 1, 4));
    assert!(found[0].similarity > 0.9);
}

#[test]
fn up_to_three_regions_are_listed_nearest_first() {
    let base = "let first = 1;\nlet second = 2;\nlet third = 3;\nlet fourth = 4;\nunrelated\n";
    let found = closest(base, "let thirt = 3;", true);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].start_line, 3);
    assert!(found[0].similarity >= found[1].similarity && found[1].similarity >= found[2].similarity);
}

#[test]
fn without_similar_regions_none_are_listed() {
    assert_eq!(closest("alpha\nbeta\n", "0123456789", true), []);
    assert_eq!(closest("", "a", true), []);
    assert_eq!(closest("a\n", "    ", true), []);
}

#[test]
fn a_surplus_line_does_not_hide_the_region() {
    let base = "head\none();\ntwo();\nsurplus();\nthree();\nfour();\nend\n";
    let found = closest(base, "one();\ntwo();\nthree();\nfour();\n", true);
    assert_eq!(found[0].start_line, 2, "{found:?}");
}

proptest! {
    /// Signatures with few bits produce many equal scores.
    #[test]
    fn the_most_similar_lines_are_those_of_a_full_sort(
        lines in prop::collection::vec(prop_oneof![any::<u64>(), 0..16_u64, Just(0)], 0..900),
        wanted in prop_oneof![any::<u64>(), 1..16_u64],
    ) {
        let score = |pairs: u64| {
            let (shared, besides) = ((pairs & wanted).count_ones(), (pairs & !wanted).count_ones());
            (shared * 2 >= wanted.count_ones()).then(|| (shared * 3).saturating_sub(besides))
        };
        let mut sorted: Vec<_> =
            lines.iter().enumerate().filter_map(|(at, &pairs)| Some((score(pairs)?, at))).collect();
        sorted.sort_by_key(|&(score, at)| (std::cmp::Reverse(score), at));
        let most: Vec<usize> = sorted.into_iter().map(|(_, at)| at).take(MAX_LINES).collect();
        prop_assert_eq!(most_similar(&lines, wanted), most);
    }
}
