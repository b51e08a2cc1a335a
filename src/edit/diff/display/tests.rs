use rstest::rstest;

use super::*;

fn shown(old: &str, new: &str, display: Display) -> String {
    let plan = Plan::between(old, new, Deadline::NONE);
    display_plan(old, &plan, Labels::same("f"), display, Deadline::NONE)
}

fn counted(numbers: Range<u32>) -> String {
    numbers.flat_map(|number| ["line ".to_owned(), number.to_string(), "\n".to_owned()]).collect()
}

#[rstest]
#[case::a_word("a b c\n", "a x c\n", "a [-b-]{+x+} c\n")]
#[case::several_words("a b c d\n", "a x y d\n", "a [-b c-]{+x y+} d\n")]
#[case::added("a\n", "a b\n", "a{+ b+}\n")]
#[case::a_line_added("a\n", "a\nb\n", "a\n{+b+}\n")]
#[case::a_blank_line_added("a\n", "a\n\n", "a\n{++}\n")]
#[case::a_line_removed("a\nb\n", "a\n", "a\n[-b-]\n")]
#[case::lines_side_by_side("a\nb\n", "c\nd\n", "[-a-]{+c+}\n[-b-]{+d+}\n")]
#[case::blanks("  a\n", "\ta\n", "[-  -]{+\t+}a\n")]
#[case::joined("a\nb\n", "a b\n", "a\n{+ +}b\n")]
#[case::line_ends("a\r\n", "a\n", "a\n\\ Only line endings differ\n")]
#[case::an_open_end("a", "a\n", "a\n\\ Only line endings differ\n")]
#[case::crlf("a b\r\nx\r\n", "a c\r\nx\r\n", "a [-b-]{+c+}\nx\n")]
fn words_are_marked(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    let shown = shown(old, new, Display::Word);
    let (head, body) = shown.split_once(" @@\n").expect("a hunk header");
    assert!(head.starts_with("--- a/f\n+++ b/f\n@@ -1"), "{head}");
    assert_eq!(body, expected);
}

#[rstest]
#[case("a\nb\nc\n", "a\nx\ny\nc\n", " 1\ta\n-2\tb\n+2\tx\n+3\ty\n 4\tc\n")]
#[case("a\nb\n", "b\n", "-1\ta\n 1\tb\n")]
#[case("a\r\n", "a\n", "-1\ta\n+1\ta\n\\ Only line endings differ\n")]
fn lines_are_numbered(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    assert_eq!(shown(old, new, Display::Numbered), expected);
}

#[test]
fn separate_changes_are_separate_in_every_format() {
    let old: String = counted(1..21);
    let new = old.replace("line 2\n", "two\n2b\n").replace("line 19\n", "");
    let numbered = shown(&old, &new, Display::Numbered);
    let expected = " 1\tline 1\n-2\tline 2\n+2\ttwo\n+3\t2b\n 4\tline 3\n 5\tline 4\n 6\tline 5\n…\n \
                    17\tline 16\n 18\tline 17\n 19\tline 18\n-19\tline 19\n 20\tline 20\n";
    assert_eq!(numbered, expected);
    let words = shown(&old, &new, Display::Word);
    assert_eq!(words.matches("@@ -").count(), 2, "{words}");
    assert!(words.contains("[-line 2-]{+two+}\n{+2b+}\n") && words.contains("[-line 19-]\n"), "{words}");
    let summary = shown(&old, &new, Display::Summary);
    let expected =
        "f: 2 places changed, +2 -2\nline 2 replaced by 2 lines: `two`\nline 19 removed: `line 19`\n";
    assert_eq!(summary, expected);
    let unified =
        diff_plan(&old, &Plan::between(&old, &new, Deadline::NONE), Labels::same("f"), Deadline::NONE);
    assert_eq!(shown(&old, &new, Display::Unified), unified.unified);
}

#[rstest]
#[case("a\n", "x\na\n", "f: 1 place changed, +1 -0\n1 line added at the top: `x`\n")]
#[case("a\nb\n", "a\n\n  x\nb\n", "f: 1 place changed, +2 -0\n2 lines added after line 1: `x`\n")]
#[case("a\nb\nc\n", "a\nx\n", "f: 1 place changed, +1 -2\nlines 2-3 replaced by 1 line: `x`\n")]
#[case(
    "a\r\n",
    "a\n",
    "f: 1 place changed, +1 -1\nline 1 replaced by 1 line, only line endings differ: `a`\n"
)]
#[case("a\n", "a\n", "f: no line changed\n")]
fn a_summary_describes_each_change(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    assert_eq!(shown(old, new, Display::Summary), expected);
}

#[test]
fn a_summary_names_the_operation_on_the_file() {
    let summary = |old, new| {
        let plan = Plan::between("a\n", "a\n", Deadline::NONE);
        display_plan("a\n", &plan, Labels { old, new }, Display::Summary, Deadline::NONE)
    };
    assert_eq!(summary(Some("f"), Some("g")), "f -> g: renamed, no line changed\n");
    assert_eq!(
        (summary(None, Some("g")), summary(Some("f"), None)),
        ("g: created, 0 lines\n".into(), "f: deleted, 0 lines\n".into())
    );
}

#[rstest]
#[case(Display::Word)]
#[case(Display::Numbered)]
fn long_output_is_cut(#[case] display: Display) {
    let new: String = counted(0..50_000);
    let text = shown("", &new, display);
    assert!(text.len() < MAX_BYTES + 100 && text.ends_with(TRUNCATED), "{}", text.len());
    let text = shown("é\n", &format!("{}\n", "é".repeat(1 << 20)), display);
    assert!(text.len() < 3 * MAX_LINE_BYTES && text.contains("é…\n"), "{}", text.len());
}

#[test]
fn after_the_deadline_there_is_still_output() {
    let past = Deadline::after(std::time::Duration::ZERO);
    let (old, new) = ("a b\nc\nd e\n", "a x\nc\nd y\n");
    let plan =
        Plan::new(old.len(), vec![crate::Splice { range: 0..old.len(), text: new.to_owned() }]).unwrap();
    for display in [Display::Word, Display::Numbered, Display::Summary, Display::Unified] {
        assert!(!display_plan(old, &plan, Labels::same("f"), display, past).is_empty());
    }
}
