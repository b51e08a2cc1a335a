use rstest::rstest;

use super::*;

const REGEX: PatternKind = PatternKind { word: false, regex: true };
const WORD: PatternKind = PatternKind { word: true, regex: false };
const BOTH: PatternKind = PatternKind { word: true, regex: true };

/// Returns the text with all matches replaced.
fn replaced(kind: PatternKind, text: &str, old: &str, new: &str) -> String {
    let pattern = Pattern::new(kind, old, new).unwrap();
    let (mut result, mut copied) = (String::new(), 0);
    let each = |found: PatternMatch| {
        result.push_str(&text[copied..found.range.start]);
        result.push_str(&found.new);
        copied = found.range.end;
        Ok::<(), ()>(())
    };
    pattern.each_match(text, 0..text.len(), each).unwrap();
    result + &text[copied..]
}

#[rstest]
#[case::whole_match(REGEX, "a1 b2", r"\w\d", "<$0>", "<a1> <b2>")]
#[case::groups(REGEX, "get(x, y)", r"get\((\w), (\w)\)", "set($2, $1)", "set(y, x)")]
#[case::braces_end_a_number(REGEX, "ab", "(a)b", "${1}0", "a0")]
#[case::a_named_group(REGEX, "ab", "(?<first>a)b", "${first}!", "a!")]
#[case::dollar_signs(REGEX, "5", r"\d", "$$$0 $ $.", "$5 $ $.")]
#[case::a_group_that_did_not_match(REGEX, "b", "(a)?b", "[$1]", "[]")]
#[case::lines_begin_and_end(REGEX, "a\nb\na", "^a$", "x", "x\nb\nx")]
#[case::only_the_text_begins(REGEX, "a\na", "(?-m)^a", "x", "x\na")]
#[case::a_dot_ends_with_the_line(REGEX, "a1\n2", "a.*", "x", "x\n2")]
#[case::over_lines(REGEX, "a1\n2b", "(?s)a.*b", "x", "x")]
#[case::overlapping_from_the_left(REGEX, "aaa", "aa", "x", "xa")]
#[case::without_case(REGEX, "Ärger", "(?i)ä", "x", "xrger")]
#[case::words(WORD, "rv = rva + a.rv", "rv", "value", "value = rva + a.value")]
#[case::a_word_is_literal(WORD, "a.b axb a.b", "a.b", "$0", "$0 axb $0")]
#[case::other_scripts(WORD, "größe größen 大小 大小写", "größe", "x", "x größen 大小 大小写")]
#[case::cjk(WORD, "大小 大小写", "大小", "x", "x 大小写")]
#[case::combining_characters(WORD, "cafe cafe\u{301}", "cafe", "x", "x cafe\u{301}")]
#[case::no_word_at_an_edge(WORD, "a->b, a->bc", "->b", ".b", "a.b, a->bc")]
#[case::emoji(WORD, "😀a 😀", "😀", "x", "xa x")]
#[case::words_by_a_pattern(BOTH, "id1 id12 xid1", r"id\d", "n", "n id12 xid1")]
#[case::alternatives_are_grouped(BOTH, "ab b abx", "ab|b", "x", "x x abx")]
fn matches_are_replaced(
    #[case] kind: PatternKind,
    #[case] text: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    assert_eq!(replaced(kind, text, old, new), expected);
}

#[rstest]
#[case::empty(REGEX, "")]
#[case::matches_the_empty_text(REGEX, "a*")]
#[case::a_place(REGEX, "^")]
#[case::one_empty_alternative(REGEX, "a|")]
#[case::not_a_pattern(REGEX, "(a")]
#[case::look_around(REGEX, "(?=a)b")]
#[case::back_reference(REGEX, r"(a)\1")]
#[case::parentheses_of_the_wrapping(BOTH, "a)(?:b")]
#[case::too_large(REGEX, r"\w{5000}")]
#[case::an_empty_word(WORD, "")]
fn bad_patterns_are_refused(#[case] kind: PatternKind, #[case] old: &str) {
    assert!(matches!(kind.check(old, "x"), Err(PatternError::Old(_))), "{:?}", kind.check(old, "x"));
}

#[test]
fn a_pattern_that_is_too_long_is_refused() {
    assert!(matches!(WORD.check(&"x".repeat(MAX_PATTERN + 1), ""), Err(PatternError::Old(_))));
}

#[rstest]
#[case::unknown_number("$9")]
#[case::no_group("$1")]
#[case::unknown_name("${name}")]
#[case::without_braces("$name")]
#[case::open("${0")]
#[case::two_digits("$10")]
fn references_to_no_group_are_refused(#[case] new: &str) {
    assert!(matches!(REGEX.check("a", new), Err(PatternError::New(_))), "{:?}", REGEX.check("a", new));
    assert_eq!(WORD.check("a", new), Ok(()), "the new text of a word is literal");
}

#[test]
fn no_match_reaches_over_the_range_but_the_text_around_it_counts() {
    let pattern = Pattern::new(BOTH, "a+", "").unwrap();
    let found = |range: Range<usize>| {
        let mut found = Vec::new();
        let each = |one: PatternMatch| {
            found.push(one.range);
            Ok::<(), ()>(())
        };
        pattern.each_match("aaaa aa", range, each).unwrap();
        found
    };
    assert_eq!(found(0..7), [0..4, 5..7]);
    assert!(found(1..4).is_empty(), "it begins within a word");
    assert!(found(0..3).is_empty(), "it ends within a word");
}
