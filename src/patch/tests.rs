//! Tables per format: a patch, and exactly what it asks for.

mod apply_patch;
mod malformed;
mod properties;
mod search_replace;
mod unified_diff;

use std::fmt::Write;

use rstest::rstest;

use super::*;
use crate::edit::Anchor;

/// What a patch asks for, a line for each file and each hunk.
fn told(text: &str, format: Option<PatchFormat>) -> String {
    match parse(text, format) {
        Ok(files) => files.iter().map(of_file).collect(),
        Err(PatchError { line, expected }) => format!("line {line}: expected {expected}\n"),
    }
}

/// The same in the format that the text shows, which must be this one.
#[track_caller]
fn told_by(format: PatchFormat, text: &str) -> String {
    let told_so = told(text, Some(format));
    assert_eq!(told(text, None), told_so, "the format is recognised");
    told_so
}

fn of_file(file: &FilePatch) -> String {
    let path = &file.path;
    match &file.change {
        PatchChange::Edit { hunks, to: None } => format!("edit {path}\n{}", of_hunks(hunks)),
        PatchChange::Edit { hunks, to: Some(to) } => format!("rename {path} to {to}\n{}", of_hunks(hunks)),
        PatchChange::Create { content, executable } => {
            let what = if *executable { "create executable" } else { "create" };
            format!("{what} {path} {content:?}\n")
        }
        PatchChange::Fill { content, creates: true, .. } => format!("fill or create {path} {content:?}\n"),
        PatchChange::Fill { content, creates: false, .. } => format!("fill {path} {content:?}\n"),
        PatchChange::Delete { hunks } => format!("delete {path}\n{}", of_hunks(hunks)),
    }
}

fn of_hunks(hunks: &[PatchHunk]) -> String {
    let mut told = String::new();
    for PatchHunk { line, edit } in hunks {
        let Anchor { under, line: hint, at_end, whole_lines } = &edit.anchor;
        assert!(whole_lines, "a hunk is whole lines");
        write!(told, "  {line}:").unwrap();
        for context in under {
            write!(told, " under {context:?}").unwrap();
        }
        if let Some(hint) = hint {
            write!(told, " near {hint}").unwrap();
        }
        if *at_end {
            told.push_str(" at the end");
        }
        writeln!(told, " {:?} -> {:?}", edit.old, edit.new).unwrap();
    }
    told
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
fn the_mark_that_comes_first_tells_the_format(#[case] text: &str, #[case] format: PatchFormat) {
    assert_eq!(parse(text, None), parse(text, Some(format)));
    assert!(parse(text, None).is_ok(), "{:?}", parse(text, None));
}

#[rstest]
#[case::nothing("")]
#[case::prose("Please change `a.txt`.\n\n- it\n+ that\n")]
#[case::code("```python\nprint(1)\n```\n")]
#[case::conflict("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n")]
fn text_without_a_patch_is_none(#[case] text: &str) {
    for format in [None, Some(PatchFormat::SearchReplace), Some(PatchFormat::ApplyPatch)] {
        let error = parse(text, format).unwrap_err();
        assert_eq!(error.line, 1, "{error:?}");
    }
    assert!(parse(text, Some(PatchFormat::UnifiedDiff)).is_err());
}
