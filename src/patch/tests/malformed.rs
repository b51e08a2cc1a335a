//! Malformed patches: the line of the error and the expected input.

use super::*;

#[rstest]
#[case::no_divider("a.c\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", 4, "`=======` before it")]
#[case::no_end(
    "a.c\n<<<<<<< SEARCH\nx\n=======\ny\n",
    5,
    "`>>>>>>> REPLACE` of the block that begins at line 2"
)]
#[case::cut_off("a.c\n<<<<<<< SEARCH\nx\n", 3, "`=======` of the block that begins at line 2")]
#[case::only_a_beginning("a.c\n<<<<<<< SEARCH", 2, "`=======` of the block that begins at line 2")]
#[case::another_block_inside(
    "a.c\n<<<<<<< SEARCH\nx\n=======\ny\n<<<<<<< SEARCH\nz\n=======\n>>>>>>> REPLACE\n",
    6,
    "`>>>>>>> REPLACE` of the block that begins at line 2"
)]
#[case::divider_of_another_length(
    "a.c\n<<<<<<< SEARCH\nx\n======\ny\n>>>>>>> REPLACE\n",
    6,
    "`=======` before it"
)]
#[case::end_of_another_length(
    "a.c\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>> REPLACE\n",
    6,
    "`>>>>>>> REPLACE` of the block that begins at line 2"
)]
#[case::end_of_the_other_kind(
    "a.c\n------- SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
    6,
    "`+++++++ REPLACE` of the block that begins at line 2"
)]
#[case::two_dividers(
    "a.c\n<<<<<<< SEARCH\nx\n=======\ny\n=======\nz\n>>>>>>> REPLACE\n",
    6,
    "one line `=======` in the block that begins at line 2; if this one is text, use longer markers"
)]
#[case::no_name(
    "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
    1,
    "the path of a file on the line above the block"
)]
#[case::new_text_twice(
    "a.c\n<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE\n",
    6,
    "no further section for `a.c` after the one at line 2"
)]
fn incomplete_blocks_are_refused(#[case] text: &str, #[case] line: usize, #[case] expected: &str) {
    assert_eq!(summarize_as(PatchFormat::SearchReplace, text), format!("line {line}: expected {expected}\n"));
}

#[rstest]
#[case::no_end("*** Begin Patch\n*** Update File: a\n-b\n", 3, "`*** End Patch` at the end")]
#[case::nothing_in_it("*** Begin Patch", 1, "`*** End Patch` at the end")]
#[case::empty("*** Begin Patch\n*** End Patch\n", 1, "`*** Begin Patch` and a section: `*** Update")]
#[case::no_section("*** Begin Patch\n-b\n*** End Patch\n", 2, "`*** Update File: path`")]
#[case::unknown_marker("*** Begin Patch\n*** Change File: a\n*** End Patch\n", 2, "`*** Update File: path`")]
#[case::marker_inside(
    "*** Begin Patch\n*** Update File: a\n-b\n*** Frobnicate\n*** End Patch\n",
    4,
    "`*** Update File: path`"
)]
#[case::no_path("*** Begin Patch\n*** Update File:\n-b\n*** End Patch\n", 2, "the path of a file at the end")]
#[case::no_new_path(
    "*** Begin Patch\n*** Update File: a\n*** Move to:\n*** End Patch\n",
    3,
    "the new path at the end"
)]
#[case::no_chunk("*** Begin Patch\n*** Update File: a\n*** End Patch\n", 3, "a chunk: `@@`")]
#[case::empty_chunk("*** Begin Patch\n*** Update File: a\n@@ fn x()\n*** End Patch\n", 4, "lines of a chunk")]
#[case::chunk_of_empty_lines(
    "*** Begin Patch\n*** Update File: a\n@@\n\n@@\n-b\n*** End Patch\n",
    5,
    "lines of a chunk"
)]
#[case::new_file_with_context(
    "*** Begin Patch\n*** Add File: a\n+b\n c\n*** End Patch\n",
    4,
    "a line of the new file"
)]
#[case::deletion_with_lines(
    "*** Begin Patch\n*** Delete File: a\n-b\n*** End Patch\n",
    3,
    "`*** Update File: path`"
)]
#[case::additions_in_a_renamed_file(
    "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n+c\n*** End Patch\n",
    4,
    "lines of context"
)]
fn incomplete_sections_are_refused(#[case] text: &str, #[case] line: usize, #[case] expected: &str) {
    let summary = summarize_as(PatchFormat::ApplyPatch, text);
    assert!(summary.starts_with(&format!("line {line}: expected {expected}")), "{summary}");
}

#[rstest]
#[case::no_names("@@ -1 +1 @@\n-a\n+b\n", 1, "`--- path` and `+++ path`")]
#[case::no_new_name("diff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n-a\n", 2, "a hunk")]
#[case::no_hunk("--- a/x\n+++ b/x\n", 2, "a hunk: `@@ -1,3 +1,4 @@`")]
#[case::no_header("--- a/x\n+++ b/x\n-a\n+b\n", 3, "a hunk: `@@ -1,3 +1,4 @@`")]
#[case::empty_hunk("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", 3, "lines of a hunk")]
#[case::empty_hunk_before_another("--- a/x\n+++ b/x\n@@ -1 +1 @@\n@@ -2 +2 @@\n-a\n", 4, "lines of a hunk")]
#[case::nothing_but_git("diff --git a/x b/x\nindex 1..2 100644\n", 2, "a hunk")]
#[case::mode(
    "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
    2,
    "text changes only, because the modes"
)]
#[case::link("diff --git a/x b/x\nnew file mode 120000\n", 2, "`new file mode 100644` or `100755`")]
#[case::binary(
    "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n",
    3,
    "text changes only, because binary"
)]
#[case::binary_patch(
    "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\n",
    3,
    "text changes only, because binary"
)]
#[case::copy(
    "diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n",
    3,
    "a new file with all its lines"
)]
#[case::half_a_rename("diff --git a/x b/y\nrename from x\n", 2, "`rename from` and `rename to`")]
#[case::cut_in_its_fence("```\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n", 6, "the rest of the hunk")]
#[case::combined("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n", 3, "a diff of two files")]
#[case::no_file_on_either_side("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n+a\n", 1, "the path of a file")]
#[case::no_name("--- \n+++ \n@@ -1 +1 @@\n-a\n", 1, "the path of a file")]
#[case::a_name_that_is_not_utf_8(
    "--- \"a/\\377\"\n+++ \"b/\\377\"\n@@ -1 +1 @@\n-a\n",
    1,
    "the path of a file, in UTF-8"
)]
#[case::context_in_a_new_file(
    "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n b\n",
    5,
    "a line of the new file"
)]
#[case::context_in_a_deleted_file(
    "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n b\n",
    5,
    "a line of the deleted file"
)]
#[case::deleted_and_added(
    "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
    5,
    "no further section for `x` after the one at line 1"
)]
fn incomplete_diffs_are_refused(#[case] text: &str, #[case] line: usize, #[case] expected: &str) {
    let summary = summarize_as(PatchFormat::UnifiedDiff, text);
    assert!(summary.starts_with(&format!("line {line}: expected {expected}")), "{summary}");
}
