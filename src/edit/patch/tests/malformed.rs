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
#[case::only_a_chunk_of_empty_lines(
    "*** Begin Patch\n*** Update File: a\n@@\n\n*** End Patch\n",
    5,
    "a chunk: `@@`"
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
#[case::a_date_that_may_be_a_part_of_the_name(
    "--- a/x 2024-01-01\n+++ b/x 2024-01-01\n@@ -1 +1 @@\n-a\n",
    1,
    "a tab between a name and a date"
)]
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

#[rstest]
#[case::colon("<<<<<<< SEARCH:")]
#[case::lower_case("<<<<<<< Search")]
#[case::conflict("<<<<<<< HEAD")]
#[case::find("<<<<<<< FIND")]
#[case::name_behind("<<<<<<< SEARCH b.rs")]
#[case::short("<<< SEARCH")]
#[case::in_a_quotation("> <<<<<<< SEARCH")]
#[case::in_a_list("- <<<<<<< SEARCH")]
#[case::in_a_numbered_list("2. <<<<<<< SEARCH")]
#[case::dashes("--- SEARCH")]
#[case::a_tail(">>>>>>> REPLACE")]
#[case::a_short_tail(">>> REPLACE")]
#[case::a_long_tail(">>>>>>> b.rs")]
#[case::a_patch("*** Begin Patch")]
#[case::a_section("*** Update File: b.rs")]
#[case::an_indented_section("  *** Add file: b.rs")]
#[case::a_move("*** Move to: b.rs")]
#[case::numbers("@@ -1,2 +1,2 @@")]
#[case::names("--- a/b.rs\n+++ b/b.rs")]
#[case::indented_names("  --- a/b.rs\n  +++ b/b.rs")]
#[case::git("diff --git a/b.rs b/b.rs")]
#[case::anchored("[b.rs#1a2b3c4d5e]\nPUT 1.=2:")]
fn a_marker_between_sections_is_never_dropped(#[case] marker: &str) {
    const BLOCK: &str = "a.rs\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    const PATCH: &str = "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch\n";
    const DIFF: &str = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n\nProse.\n";
    let formats = [
        (PatchFormat::SearchReplace, BLOCK),
        (PatchFormat::ApplyPatch, PATCH),
        (PatchFormat::UnifiedDiff, DIFF),
    ];
    for (format, patch) in formats {
        let other = marker.trim_start();
        let is_own = match format {
            PatchFormat::SearchReplace => false,
            PatchFormat::ApplyPatch => other.starts_with("***"),
            _ => other.starts_with("--- a") || other.starts_with("diff") || other.starts_with("@@"),
        };
        if is_own && other.starts_with("@@") {
            // It begins the next hunk of the diff.
            continue;
        }
        let after = patch.lines().count() + 2;
        for (text, line) in [
            (format!("{patch}\n{marker}\nz\n"), after),
            (format!("{patch}\n{marker}\nz\n{patch}"), after),
            (format!("Prose.\n{marker}\nz\n{patch}"), 2),
        ] {
            let error = parse(&text, Some(format)).expect_err(&text);
            assert!(error.line == line || is_own, "{error:?} in {text}");
            let quoted = marker.lines().next().unwrap().trim();
            assert!(error.expected.contains(quoted) || is_own, "{error:?} in {text}");
        }
    }
}

#[rstest]
#[case::heading("# Begin\n\nTitle\n=======\n\nOther\n-------\n")]
#[case::rules("---\n\n***\n\n* * *\n\n___\n\n===\n")]
#[case::fences("```python\nx = 1 << 3\n```\n\n~~~\n~~~\n")]
#[case::prompts("```\n>>> f(1)\n2\n>>> x\n```\n")]
#[case::quotation("> quoted\n>> twice\n>>> thrice\n")]
#[case::list("- one\n- two\n\n+ three\n\n* four\n\n1. five\n")]
#[case::emphasis("***Update*** the file.\n\n**Add** it, and ***Delete the rest***.\n")]
#[case::mention("The block `<<<<<<< SEARCH` begins; see `*** Begin Patch` and @@ -1 +1 @@.\n")]
#[case::variable("@@count = 0\n@param x\n")]
#[case::link("[b.rs](b.rs#L1)\n[note]\n[x#L1]\n")]
#[case::mail("From 0123 Mon Sep 17\nSubject: x\n\n---\n x | 2 +-\n")]
#[case::here_document("apply_patch <<'EOF'\n")]
fn prose_between_sections_is_no_marker(#[case] prose: &str) {
    for patch in [
        "a.rs\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Update File: a.rs\n-x\n+y\n*** End Patch\n",
        "--- a.rs\n+++ a.rs\n@@ -1 +1 @@\n-x\n+y\n",
    ] {
        let parsed = parse(&format!("{prose}\n{patch}\nProse.\n{prose}"), None);
        let files = parsed.unwrap_or_else(|error| panic!("{error:?} in {prose}{patch}"));
        assert_eq!((files.len(), files[0].path.as_str()), (1, "a.rs"), "{files:?}");
    }
}

#[rstest]
#[case::less_indented(
    "  a.c\n  <<<<<<< SEARCH\n  x\ny\n  =======\n  >>>>>>> REPLACE\n",
    4,
    "the indentation"
)]
#[case::divider("  a.c\n  <<<<<<< SEARCH\n  x\n=======\n  >>>>>>> REPLACE\n", 4, "the indentation")]
#[case::start_line_in_the_new_text(
    "a.c\n<<<<<<< SEARCH\n:start_line:3\n-------\nx\n=======\n:start_line:3\n-------\ny\n>>>>>>> REPLACE\n",
    7,
    "`:start_line:` only above the search text"
)]
fn other_lines_in_a_block_are_refused(#[case] text: &str, #[case] line: usize, #[case] expected: &str) {
    let summary = summarize_as(PatchFormat::SearchReplace, text);
    assert!(summary.starts_with(&format!("line {line}: expected {expected}")), "{summary}");
}

#[test]
fn an_anchored_patch_contains_no_other_sections() {
    let text = "[a.rs#1a2b3c4d5e]\nPUT 1:\n+x\n*** Update File: b.rs\n@@\n-y\n*** End Patch\n";
    let summary = summarize_as(PatchFormat::Anchored, text);
    assert!(summary.starts_with("line 4: expected `PUT`, `CUT`"), "{summary}");
}

#[test]
fn changed_lines_behind_wrong_counts_are_not_taken_for_a_list() {
    let text = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\n-d\n+e\n\nThat is all.\n";
    let hunk = "\"a\\nb\\n\\nd\\n\" -> \"a\\nc\\n\\ne\\n\"";
    assert_eq!(summarize_as(PatchFormat::UnifiedDiff, text), format!("edit a\n  3: near 1 {hunk}\n"));
}

#[rstest]
#[case::a_name_with_a_blank("docs/my file.txt")]
#[case::a_heading("### docs/my file.txt")]
#[case::a_file_without_an_extension("Makefile:")]
#[case::in_backticks("Now `Makefile`:")]
#[case::in_prose("And in the Makefile:")]
#[case::in_a_list("2. **Makefile** - the port")]
#[case::in_a_tag("<file path=\"docs/other.txt\">")]
#[case::two_names("Move it from `src/b.py` to `src/c.py`:")]
fn a_line_that_may_name_another_file_is_not_prose(#[case] line: &str) {
    let block = |old: &str| format!("<<<<<<< SEARCH\n{old}\n=======\nnew\n>>>>>>> REPLACE\n");
    let text = format!("src/a.py\n{}\n{line}\n{}", block("one"), block("two"));
    let error = parse(&text, None).expect_err("it may name another file");
    assert_eq!(error.line, 8, "{error:?}");
    assert!(error.expected.contains("`src/a.py`"), "{error:?}");
}

#[rstest]
#[case::prose("Then add the new branch:")]
#[case::an_identifier("Now change `total` and `parse()`:")]
#[case::the_same_file("Further down in a.py, e.g. in `main`:")]
#[case::the_same_path("And again in `src/a.py`, and/or below:")]
#[case::an_address("See https://example.org/a/b for the reason.")]
fn prose_between_blocks_continues_the_file(#[case] line: &str) {
    let block = |old: &str| format!("<<<<<<< SEARCH\n{old}\n=======\nnew\n>>>>>>> REPLACE\n");
    let text = format!("src/a.py\n{}\n{line}\n{}", block("one"), block("two"));
    let changes = parse(&text, None).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(changes.iter().all(|change| change.path == "src/a.py"), "{changes:?}");
}
