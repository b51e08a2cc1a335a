//! Properties that hold for every text.

use proptest::prelude::*;

use super::*;
use crate::{Deadline, Labels, Options, diff_texts, find};

const PATCHES: [&str; 4] = [
    "Prose.\n\nsrc/a.rs\n```rust\n<<<<<<< SEARCH\none\n\n=======\ntwo\n>>>>>>> REPLACE\n```\nb.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n@@ fn f()\n x\n-y\n+z\n*** End of File\n*** End Patch\nEOF\n",
    "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1,3 +1,3 @@ fn f()\n a\n-b\n+c\n d\n\\ No newline at end of file\ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n",
    "--- \"a/\\303\\244\"\t2024\n+++ \"b/\\303\\244\"\n@@ -1,2 +1,2 @@\r\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n-- \n2.0\n",
];

fn in_all_formats(text: &str) {
    let lines = text.lines().count().max(1);
    for format in [None].into_iter().chain(PatchFormat::ALL.map(Some)) {
        match parse(text, format) {
            Ok(files) => assert!(!files.is_empty() && files.iter().all(|file| file.line <= lines)),
            Err(error) => assert!((1..=lines).contains(&error.line), "{error:?} in {text:?}"),
        }
    }
}

/// Generates fragments of patches in any order.
fn patch_fragments() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = PATCHES.iter().flat_map(|patch| patch.split_inclusive('\n')).collect();
    let more = ["\n", "\r\n", "a", " ", "+", "-", "\\", "@@", "```\n", "=======\n", "***", "\"", "é\u{2028}"];
    let piece = prop::sample::select([pieces, more.to_vec()].concat());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_patch_cut_anywhere_is_parsed_or_refused() {
    for patch in PATCHES {
        for end in (0..=patch.len()).filter(|&end| patch.is_char_boundary(end)) {
            in_all_formats(&patch[..end]);
            in_all_formats(&patch[end..]);
        }
    }
}

#[test]
fn a_patch_without_its_end_marker_is_not_parsed() {
    for patch in &PATCHES[..2] {
        let whole = parse(patch, None).unwrap();
        for (end, _) in patch.match_indices('\n') {
            if let Ok(files) = parse(&patch[..end], None) {
                assert!(
                    files.iter().all(|file| whole.contains(file)),
                    "{:?} is parsed as {files:?}",
                    &patch[..end]
                );
            }
        }
    }
}

#[test]
fn huge_patches_are_parsed_in_linear_time() {
    // Anything slower than linear takes so long on these inputs that the test times out.
    const LINES: usize = 200_000;
    for text in [
        format!("--- a\n+++ a\n@@ -1 +1 @@\n{}", "-a\n\n--- a\n+++ a\n".repeat(LINES)),
        format!("--- a\n+++ a\n{}", "@@ -1 +1 @@\n--- a\n+++ a\n".repeat(LINES)),
        format!("--- a\n+++ a\n@@ -1 +1 @@\n-a\n{}", "\nx\n".repeat(LINES)),
        format!("diff --git {}\n", "a ".repeat(LINES)),
        format!("*** Begin Patch\n*** Update File: a\n{}", "@@ a\n-b\n\n\n".repeat(LINES)),
        format!("*** Begin Patch\n*** Update File: a\n{}", "\n".repeat(LINES)),
        format!(" {}", "*** Begin Patch\n*** Update File: a\n*** End Patch\n".repeat(LINES)),
        format!("a.c\n{}", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n".repeat(LINES)),
        format!("a.c\n{}", "<<<<<<< SEARCH\n".repeat(LINES)),
        format!("{}\n<<<<<<< SEARCH\n", "`**`".repeat(LINES)),
        format!("{}a.c\n<<<<<<< SEARCH\n", "# ".repeat(LINES)),
        "\r".repeat(LINES),
    ] {
        in_all_formats(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_text_is_parsed_or_refused(text in patch_fragments()) {
        in_all_formats(&text);
    }

    #[test]
    fn a_diff_becomes_an_edit_with_its_old_and_new_lines(
        lines in prop::collection::vec(("[ +-]", "[-+ @a\\\\*]{0,4}"), 1..20),
    ) {
        let body: String = lines.iter().flat_map(|(mark, text)| [mark, text, "\n"]).collect();
        let side = |other: &str| -> String {
            let of_side = lines.iter().filter(|(mark, _)| mark != other);
            of_side.flat_map(|(_, text)| [text, "\n"]).collect()
        };
        let (old, new) = (side("+"), side("-"));
        let count = |side: &str| side.lines().count();
        prop_assume!(!old.is_empty());
        let patch = format!("--- x\n+++ x\n@@ -1,{} +1,{} @@\n{body}", count(&old), count(&new));
        let files = parse(&patch, None).unwrap();
        let PatchChange::Edit { hunks, .. } = &files[0].change else { panic!("{files:?}") };
        prop_assert_eq!((&hunks[0].edit.old, &hunks[0].edit.new), (&old, &new));
    }
}

proptest! {
    // Fewer cases, because each one runs the matcher.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn the_diff_of_two_texts_turns_the_first_into_the_second(
        lines in prop::collection::vec((0..3usize, "[-+@ab]{0,2}", "[-+@ab]{0,2}"), 1..40),
        open in (any::<bool>(), any::<bool>()),
    ) {
        let side = |kind: usize, open: bool| -> String {
            let kept = lines.iter().filter(|line| line.0 != kind);
            let text: String = kept.flat_map(|(_, old, new)| [if kind == 2 { old } else { new }, "\n"]).collect();
            if open { text.trim_end_matches('\n').to_owned() } else { text }
        };
        let (old, new) = (side(2, open.0), side(1, open.1));
        prop_assume!(old != new && !old.is_empty());
        let diff = diff_texts(&old, &new, Labels::same("x"), Deadline::NONE).unified;
        let files = parse(&diff, Some(PatchFormat::UnifiedDiff)).unwrap();
        let PatchChange::Edit { hunks, .. } = &files[0].change else { panic!("{files:?}") };
        let edits: Vec<_> = hunks.iter().map(|hunk| hunk.edit.clone()).collect();
        let found = find(&old, &edits, &Options { fuzzy: false, ..Options::default() });
        let result = found.map(|found| found.plan.apply(&old));
        prop_assert_eq!(result.as_deref(), Ok(&*new), "{}", diff);
    }
}
