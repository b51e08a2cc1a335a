//! Tables per format: a patch and a summary of what it requests.

mod anchored;
mod apply_patch;
mod malformed;
mod properties;
mod search_replace;
mod unified_diff;

use std::fmt::Write;

use rstest::rstest;

use super::*;
use crate::Anchor;

/// Summarizes a parsed patch, with one line per file and per hunk.
fn summarize(text: &str, format: Option<PatchFormat>) -> String {
    match parse(text, format) {
        Ok(files) => files.iter().map(summarize_file).collect(),
        Err(PatchError { line, expected }) => format!("line {line}: expected {expected}\n"),
    }
}

/// Summarizes a patch in a given format, and asserts that the format is also detected.
#[track_caller]
fn summarize_as(format: PatchFormat, text: &str) -> String {
    let summary = summarize(text, Some(format));
    assert_eq!(summarize(text, None), summary, "the format is detected");
    summary
}

fn summarize_file(file: &FilePatch) -> String {
    let path = &file.path;
    match &file.change {
        PatchChange::Edit { hunks, to: None } => format!("edit {path}\n{}", summarize_edits(hunks)),
        PatchChange::Edit { hunks, to: Some(to) } => {
            format!("rename {path} to {to}\n{}", summarize_edits(hunks))
        }
        PatchChange::Create { content, executable } => {
            let what = if *executable { "create executable" } else { "create" };
            format!("{what} {path} {content:?}\n")
        }
        PatchChange::Fill { content, creates: true, .. } => format!("fill or create {path} {content:?}\n"),
        PatchChange::Fill { content, creates: false, .. } => format!("fill {path} {content:?}\n"),
        PatchChange::Lines { hunks, .. } => format!("edit {path} by {} lines\n", hunks.len()),
        PatchChange::Delete { hunks } => format!("delete {path}\n{}", summarize_edits(hunks)),
    }
}

fn summarize_edits(hunks: &[PatchHunk]) -> String {
    let mut summary = String::new();
    for PatchHunk { line, edit } in hunks {
        let Anchor { under, line: hint, at_end, whole_lines, ordered: _, section: _ } = &edit.anchor;
        assert!(whole_lines, "a hunk is whole lines");
        write!(summary, "  {line}:").unwrap();
        for context in under {
            write!(summary, " under {context:?}").unwrap();
        }
        if let Some(hint) = hint {
            write!(summary, " near {hint}").unwrap();
        }
        if *at_end {
            summary.push_str(" at the end");
        }
        writeln!(summary, " {:?} -> {:?}", edit.old, edit.new).unwrap();
    }
    summary
}

#[rstest]
#[case::blocks(
    "a.c\n<<<<<<< SEARCH\n*** Begin Patch\n=======\n>>>>>>> REPLACE\n",
    PatchFormat::SearchReplace
)]
#[case::sections(
    "*** Begin Patch\n*** Add File: a\n+<<<<<<< SEARCH\n+--- a\n+++ b\n*** End Patch\n",
    PatchFormat::ApplyPatch
)]
#[case::diff("--- a\n+++ b\n@@ -1 +1 @@\n-*** Begin Patch\n+<<<<<<< SEARCH\n", PatchFormat::UnifiedDiff)]
#[case::git("diff --git a/x b/y\nrename from x\nrename to y\n", PatchFormat::UnifiedDiff)]
fn the_first_marker_decides_the_format(#[case] text: &str, #[case] format: PatchFormat) {
    assert_eq!(parse(text, None), parse(text, Some(format)));
    assert!(parse(text, None).is_ok(), "{:?}", parse(text, None));
}

#[rstest]
#[case::nothing("")]
#[case::prose("Please change `a.txt`.\n\n- it\n+ that\n")]
#[case::code("```python\nprint(1)\n```\n")]
#[case::conflict("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n")]
fn text_without_a_patch_is_an_error(#[case] text: &str) {
    for format in [None, Some(PatchFormat::SearchReplace), Some(PatchFormat::ApplyPatch)] {
        let error = parse(text, format).unwrap_err();
        assert_eq!(error.line, 1, "{error:?}");
    }
    assert!(parse(text, Some(PatchFormat::UnifiedDiff)).is_err());
}
