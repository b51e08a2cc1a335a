use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::snippet;

fn unified(old: &str, new: &str) -> String {
    diff_texts(old, new, Labels::same("f"), Deadline::NONE).unified
}

#[rstest]
#[case("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nx\nf\n", "@@ -2,5 +2,5 @@\n b\n c\n d\n-e\n+x\n f\n")]
#[case("a\n", "a\nb\n", "@@ -1 +1,2 @@\n a\n+b\n")]
#[case("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")]
#[case("", "a\n", "@@ -0,0 +1 @@\n+a\n")]
#[case("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n")]
#[case("a\r\nb\r\n", "a\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n")]
fn changes_are_shown_with_their_bytes(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    assert_eq!(unified(old, new), format!("--- a/f\n+++ b/f\n{expected}"));
}

#[test]
fn a_hunk_is_one_run_of_changed_lines() {
    let diff = diff_texts("a\nb\nc\nd\n", "x\nb\nc\n", Labels { old: Some("f"), new: None }, Deadline::NONE);
    let hunk =
        |old_start, old_lines, new_start, new_lines| Hunk { old_start, old_lines, new_start, new_lines };
    assert_eq!(diff.hunks, [hunk(1, 1, 1, 1), hunk(4, 1, 3, 0)]);
    assert_eq!((diff.first_changed_line, diff.added, diff.removed), (Some(1), 1, 2));
    assert!(diff.unified.starts_with("--- a/f\n+++ /dev/null\n@@ -1,4 +1,3 @@\n"));
}

#[test]
fn texts_that_are_equal_have_no_diff() {
    assert_eq!(diff_texts("a\n", "a\n", Labels::same("f"), Deadline::NONE), FileDiff::default());
}

#[test]
fn a_snippet_is_numbered_and_cut() {
    assert_eq!(snippet("a\nb\nc\nd\n", 2, 2, 1), "1\ta\n2\tb\n3\tc\n");
    assert_eq!(snippet("a\n", 9, 9, 1), "");
    let long = (1..=500).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let shown = snippet(&long, 10, 400, 3);
    assert_eq!(shown.lines().count(), 61);
    assert!(shown.starts_with("7\t7\n") && shown.ends_with("403\t403\n"), "{shown}");
}

/// Applies a unified diff to a text with LF line endings.
fn patched(old: &str, unified: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut result, mut at) = (String::new(), 0);
    let mut rest = unified.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = rest.next() {
        let mut text = line[1..].to_owned();
        if rest.next_if(|next| next.starts_with('\\')).is_some() {
            text.pop();
        }
        match &line[..1] {
            "@" => {
                let start: Vec<usize> = line.split(' ').nth(1).unwrap()[1..]
                    .split(',')
                    .map(|number| number.parse().unwrap())
                    .collect();
                let upto = start[0] - usize::from(start.get(1) != Some(&0));
                result.extend(old[at..upto].iter().copied());
                at = upto;
            }
            "+" => result.push_str(&text),
            sign => {
                assert_eq!(old[at], text);
                at += 1;
                if sign == " " {
                    result.push_str(&text);
                }
            }
        }
    }
    result.extend(old[at..].iter().copied());
    result
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_diff_turns_the_old_text_into_the_new(
        old in proptest::collection::vec("[ab]{0,1}\n", 0..24), new in proptest::collection::vec("[ab]{0,1}\n", 0..24),
        open in any::<bool>(),
    ) {
        let (mut old, new) = (old.concat(), new.concat());
        if open { old.pop(); }
        let diff = diff_texts(&old, &new, Labels::same("f"), Deadline::NONE);
        prop_assert_eq!(patched(&old, &diff.unified), new.as_str());
        let plan = Plan::between(&old, &new, Deadline::NONE);
        let local = diff_plan(&old, &plan, Labels::same("f"), Deadline::NONE);
        prop_assert_eq!(patched(&old, &local.unified), &*new);
        let removed: usize = local.hunks.iter().map(|hunk| hunk.old_lines).sum();
        prop_assert_eq!(removed, local.removed);
        let by_hunk = plan.by_hunk(&old, &local.hunks);
        prop_assert_eq!(by_hunk.len(), local.hunks.len());
        prop_assert_eq!(Plan::new(old.len(), by_hunk).unwrap().apply(&old), new);
    }
}

#[test]
fn a_name_that_would_break_the_header_is_quoted_like_git() {
    for (name, header) in [
        ("plain name.txt", "a/plain name.txt"),
        ("漢.txt", "a/漢.txt"),
        ("x\n@@ -1 +1 @@\n-y", r#""a/x\n@@ -1 +1 @@\n-y""#),
        ("tab\tquote\"back\\slash", r#""a/tab\tquote\"back\\slash""#),
        ("\u{1b}]0;t\u{7}\u{9b}", r#""a/\033]0;t\007\302\233""#),
    ] {
        let diff = diff_texts("a\n", "b\n", Labels::same(name), Deadline::NONE);
        assert_eq!(diff.unified.lines().next(), Some(format!("--- {header}").as_str()));
    }
}

/// Returns the lines of one side of a diff, with those of both sides.
fn side(diff: &str, sign: char) -> Vec<&str> {
    let body = diff.split_inclusive('\n').skip(2);
    let (mut lines, mut is_wanted) = (Vec::new(), false);
    for line in body.filter(|line| !line.starts_with("@@")) {
        if !line.starts_with('\\') {
            is_wanted = line.starts_with([' ', sign]);
        }
        if is_wanted {
            lines.push(&line[usize::from(!line.starts_with('\\'))..]);
        }
    }
    lines
}

proptest! {
    #[test]
    fn the_inverse_exchanges_the_sides(old in "[ab\\r\\n]{0,24}", new in "[ab\\r\\n]{0,24}") {
        let diff = diff_texts(&old, &new, Labels { old: Some("f"), new: None }, Deadline::NONE);
        let inverse = diff.inverse();
        prop_assert_eq!(side(&inverse.unified, '-'), side(&diff.unified, '+'));
        prop_assert_eq!(side(&inverse.unified, '+'), side(&diff.unified, '-'));
        prop_assert!(diff.unified.is_empty() || inverse.unified.starts_with("--- /dev/null\n+++ b/f\n@@ "));
        prop_assert_eq!(&inverse.inverse().unified, &diff.unified);
        prop_assert_eq!(inverse.inverse().hunks, diff.hunks);
    }
}
