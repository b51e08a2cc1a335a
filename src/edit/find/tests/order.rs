//! The order of the hunks of a patch, where its format has one.

use rstest::rstest;

use super::*;
use crate::Anchor;

const BASE: &str = "a\nx\nb\nx\nc\nx\nd\nx\n";

fn hunk(old: &str, new: &str, under: &[&str]) -> Edit {
    let under = under.iter().map(|&line| line.to_owned()).collect();
    let anchor = Anchor { under, whole_lines: true, ordered: true, ..Anchor::default() };
    Edit { anchor, ..Edit::new(old, new) }
}

fn context(text: &str) -> Edit {
    hunk(text, text, &[])
}

fn is_ambiguous(edits: &[Edit]) -> bool {
    let refused = apply(BASE, edits).unwrap_err();
    refused.iter().all(|one| matches!(one.kind, EditRefusalKind::Ambiguous { .. }))
}

#[rstest]
#[case::context(&[context("b\n"), hunk("x\n", "y\n", &[])], 4)]
#[case::context_with_several_lines(&[context("x\nc\n"), hunk("x\n", "y\n", &[])], 6)]
#[case::a_named_line(&[hunk("x\n", "y\n", &["b"])], 4)]
#[case::context_twice(&[context("a\n"), context("c\n"), hunk("x\n", "y\n", &[])], 6)]
#[case::a_named_line_after_a_hunk(&[hunk("a\n", "A\n", &[]), hunk("x\n", "y\n", &["b"])], 4)]
fn the_first_place_after_a_named_one_is_taken(#[case] edits: &[Edit], #[case] line: usize) {
    let (_, matches, warnings) = apply(BASE, edits).unwrap();
    assert_eq!(matches.last().unwrap().start_line, line);
    let number = line / 2;
    let said =
        format!("the old text is in 4 places; this is number {number}, the first one after the context");
    assert!(warnings.iter().any(|warning| warning.contains(&said)), "{warnings:?}");
}

#[test]
fn as_many_equal_hunks_as_places_take_one_each() {
    let edits = ["1\n", "2\n", "3\n", "4\n"].map(|new| hunk("x\n", new, &[]));
    let (result, _, warnings) = apply(BASE, &edits).unwrap();
    assert_eq!(result, "a\n1\nb\n2\nc\n3\nd\n4\n");
    assert!(warnings[1].contains("in 4 places; this is number 2, for the patch has 4 hunks"), "{warnings:?}");
    let between = [
        hunk("x\n", "1\n", &[]),
        hunk("x\n", "2\n", &[]),
        hunk("c\n", "C\n", &[]),
        hunk("x\n", "3\n", &[]),
        hunk("x\n", "4\n", &[]),
    ];
    assert_eq!(apply(BASE, &between).unwrap().0, "a\n1\nb\n2\nC\n3\nd\n4\n");
}

#[rstest]
#[case::nothing_before(&[hunk("x\n", "y\n", &[])])]
#[case::a_changed_line_before(&[hunk("b\n", "B\n", &[]), hunk("x\n", "y\n", &[])])]
#[case::fewer_hunks_than_places(&[hunk("x\n", "y\n", &[]), hunk("x\n", "z\n", &[]), hunk("x\n", "w\n", &[])])]
#[case::more_hunks_than_places(&[0; 5].map(|_| hunk("x\n", "y\n", &[])))]
#[case::context_in_several_places(&[context("x\n"), hunk("x\n", "y\n", &[])])]
#[case::a_line_in_several_places(&[hunk("x\n", "y\n", &["x"])])]
#[case::a_hunk_between(&[context("a\n"), hunk("b\n", "B\n", &[]), hunk("x\n", "y\n", &[])])]
fn without_a_named_place_several_are_ambiguous(#[case] edits: &[Edit]) {
    assert!(is_ambiguous(edits));
}

#[test]
fn hunks_of_formats_without_an_order_are_ambiguous() {
    let mut edits = [context("b\n"), hunk("x\n", "y\n", &["a"])];
    for edit in &mut edits {
        edit.anchor.ordered = false;
    }
    assert!(is_ambiguous(&edits));
}

#[test]
fn sections_of_a_series_are_matched_one_after_the_other() {
    let section = |number: usize, old: &str, new: &str| {
        let anchor = Anchor { whole_lines: true, section: number, ..Anchor::default() };
        Edit { anchor, ..Edit::new(old, new) }
    };
    let series = [section(0, "a\nx\n", "a\ny\n"), section(1, "y\nb\n", "z\nb\n"), section(1, "d\n", "D\n")];
    let (result, matches, _) = apply(BASE, &series).unwrap();
    assert_eq!(result, "a\nz\nb\nx\nc\nx\nD\nx\n");
    assert_eq!(matches.iter().map(|found| found.edit).collect::<Vec<_>>(), [0, 1, 2]);
    // In one section, the second hunk needs what only the first one writes.
    let together = [section(0, "a\nx\n", "a\ny\n"), section(0, "y\nb\n", "z\nb\n")];
    assert!(apply(BASE, &together).is_err());
    // Both were made for the file as it is.
    let conflict = [section(0, "a\nx\n", "a\ny\n"), section(1, "a\nx\n", "a\nz\n")];
    assert!(apply(BASE, &conflict).is_err());
}
