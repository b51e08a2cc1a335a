//! Unified diffs from git and other tools.

use super::*;

#[track_caller]
fn summarize(text: &str) -> String {
    summarize_as(PatchFormat::UnifiedDiff, text)
}

#[track_caller]
fn summarize_hunks(hunks: &str) -> String {
    summarize(&format!("--- a/x\n+++ b/x\n{hunks}"))
}

#[rstest]
#[case::right_numbers("@@ -4,3 +4,3 @@\n a\n-b\n+c\n d\n", "near 4 \"a\\nb\\nd\\n\" -> \"a\\nc\\nd\\n\"")]
#[case::wrong_numbers("@@ -90,1 +70,9 @@\n a\n-b\n+c\n d\n", "near 90 \"a\\nb\\nd\\n\" -> \"a\\nc\\nd\\n\"")]
#[case::heading("@@ -4,2 +4,1 @@ fn main() {\n a\n-b\n", "near 4 \"a\\nb\\n\" -> \"a\\n\"")]
#[case::no_numbers("@@\n a\n-b\n", "\"a\\nb\\n\" -> \"a\\n\"")]
#[case::dots("@@ ... @@\n a\n-b\n", "\"a\\nb\\n\" -> \"a\\n\"")]
#[case::one_line("@@ -4 +4 @@\n-b\n+c\n", "near 4 \"b\\n\" -> \"c\\n\"")]
#[case::empty_context("@@ -4,3 +4,2 @@\n a\n\n-b\n", "near 4 \"a\\n\\nb\\n\" -> \"a\\n\\n\"")]
#[case::counted_empty_context_at_the_end("@@ -4,2 +4,1 @@\n-b\n\n", "near 4 \"b\\n\\n\" -> \"\\n\"")]
#[case::empty_lines_after("@@ -4,1 +4,0 @@\n-b\n\n\n", "near 4 \"b\\n\" -> \"\"")]
#[case::lost_spaces("@@ -4,3 +4,3 @@\n{\n-b\n+c\n}\n", "near 4 \"{\\nb\\n}\\n\" -> \"{\\nc\\n}\\n\"")]
#[case::lost_spaces_and_wrong_numbers(
    "@@ -4,9 +4,9 @@\n{\n-b\n+c\n}\n",
    "near 4 \"{\\nb\\n}\\n\" -> \"{\\nc\\n}\\n\""
)]
#[case::lost_space_before_a_tab("@@\n\tif a {\n-b\n", "\"\\tif a {\\nb\\n\" -> \"\\tif a {\\n\"")]
#[case::signs_in_the_text("@@ -1,2 +1,2 @@\n--a\n++b\n +c\n", "near 1 \"-a\\n+c\\n\" -> \"+b\\n+c\\n\"")]
#[case::no_changes("@@ -1 +1 @@\n a\n", "near 1 \"a\\n\" -> \"a\\n\"")]
#[case::old_end("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "near 1 at the end \"a\" -> \"a\\n\"")]
#[case::new_end("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "near 1 at the end \"a\\n\" -> \"a\"")]
#[case::both_ends(
    "@@ -1,2 +1 @@\n-b\n a\n\\ No newline at end of file\n",
    "near 1 at the end \"b\\na\" -> \"a\""
)]
#[case::text_after_its_end("@@ -1 +1 @@\n-a\n\\ No newline\n-b\n", "near 1 at the end \"a\\nb\\n\" -> \"\"")]
#[case::carriage_returns_in_the_text(
    "@@ -1,2 +1 @@\n a\r\n-b\r\n",
    "near 1 \"a\\r\\nb\\r\\n\" -> \"a\\r\\n\""
)]
#[case::a_lone_carriage_return("@@ -1 +1 @@\n-a\rb\n+c\n", "near 1 \"a\\rb\\n\" -> \"c\\n\"")]
fn a_hunk_is_an_edit(#[case] hunk: &str, #[case] expected: &str) {
    assert_eq!(summarize_hunks(hunk), format!("edit x\n  3: {expected}\n"));
}

#[rstest]
#[case::counted(
    "@@ -1,3 +1,3 @@\n a\n--- b\n+++ c\n d\n@@ -9 +9 @@\n-e\n",
    "  3: near 1 \"a\\n-- b\\nd\\n\" -> \"a\\n++ c\\nd\\n\"\n  8: near 9 \"e\\n\" -> \"\"\n"
)]
#[case::counted_at_the_end_of_the_hunk(
    "@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n@@ -9 +9 @@\n-e\n",
    "  3: near 1 \"a\\n-- b\\n\" -> \"a\\n++ c\\n\"\n  7: near 9 \"e\\n\" -> \"\"\n"
)]
#[case::not_counted(
    "@@ -1,2 +1,1 @@\n a\n-b\n--- a/y\n+++ b/y\n@@ -9 +9 @@\n-e\n",
    "  3: near 1 \"a\\nb\\n\" -> \"a\\n\"\nedit y\n  8: near 9 \"e\\n\" -> \"\"\n"
)]
#[case::wrong_numbers(
    "@@ -1,7 +1,7 @@\n a\n-b\n--- a/y\n+++ b/y\n@@ -9 +9 @@\n-e\n",
    "  3: near 1 \"a\\nb\\n\" -> \"a\\n\"\nedit y\n  8: near 9 \"e\\n\" -> \"\"\n"
)]
#[case::removed_alone("@@ -1,2 +1 @@\n a\n--- b\n", "  3: near 1 \"a\\n-- b\\n\" -> \"a\\n\"\n")]
#[case::no_hunk_below(
    "@@ -1,9 +1,9 @@\n a\n--- b\n+++ c\n d\n",
    "  3: near 1 \"a\\n-- b\\nd\\n\" -> \"a\\n++ c\\nd\\n\"\n"
)]
fn lines_that_look_like_file_names_are_decided_by_the_hunk(#[case] hunks: &str, #[case] expected: &str) {
    assert_eq!(summarize_hunks(hunks), format!("edit x\n{expected}"));
}

#[rstest]
#[case::prose_after("{}\nThat closes the door.\n\n- bye\n")]
#[case::prose_before("Here it is:\n\n{}")]
#[case::fence("Here:\n\n```diff\n{}```\nThat is\nall.\n")]
#[case::unclosed_fence("```diff\n{}\n")]
#[case::fence_and_list("```\n{}```\n- a\n+ b\n")]
#[case::signature("{}-- \n2.39.2\n\n")]
#[case::mail(
    "From 0123 Mon Sep 17\nSubject: [PATCH] x\n\n---\n x | 2 +-\n 1 file changed\n\n{}-- \n2.39.2\n"
)]
#[case::subversion("Index: x\n==========\n{}")]
fn surrounding_text_is_skipped(#[case] around: &str) {
    for hunk in ["@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "@@\n a\n-b\n+c\n"] {
        if hunk.starts_with("@@\n") && around.contains("- bye") {
            // Without numbers, a list after the hunk is read as removed lines, which are then not found.
            continue;
        }
        let near = if hunk.starts_with("@@ ") { "near 1 " } else { "" };
        let patch = format!("--- a/x\n+++ b/x\n{hunk}");
        let line = around.split("{}").next().unwrap().lines().count() + 3;
        let expected = format!("edit x\n  {line}: {near}\"a\\nb\\n\" -> \"a\\nc\\n\"\n");
        assert_eq!(summarize(&around.replace("{}", &patch)), expected);
    }
}

#[rstest]
#[case::prefixes("--- a/src/x.c\n+++ b/src/x.c\n", "src/x.c")]
#[case::none("--- src/x.c\n+++ src/x.c\n", "src/x.c")]
#[case::a_folder_called_a("--- a/x.c\n+++ a/x.c\n", "a/x.c")]
#[case::of_the_index("--- i/x.c\n+++ w/x.c\n", "x.c")]
#[case::reversed("--- b/x.c\n+++ a/x.c\n", "x.c")]
#[case::one_of_them("--- x.c\n+++ b/x.c\n", "x.c")]
#[case::the_other_one("--- a/x.c\n+++ x.c\n", "x.c")]
#[case::a_backup_copy("--- x.c.orig\n+++ x.c\n", "x.c")]
#[case::time_stamps("--- a/x.c\t2024-01-01 10:00:00.0 +0100\n+++ b/x.c\t2024-01-02\n", "x.c")]
#[case::time_stamps_after_blanks(
    "--- a/x.c 2024-01-01 10:00:00.000000000 +0100\n+++ b/x.c  2024-01-02 00:00:00 +0000\n",
    "x.c"
)]
#[case::a_time_stamp_of_ctime(
    "--- a/x.c Mon Jan  1 10:00:00 2024\n+++ b/x.c Mon Jan 1 10:00:00 CET 2024\n",
    "x.c"
)]
#[case::a_joined_time_stamp("--- a/x.c 2024-01-01T10:00:00Z\n+++ b/x.c 2024-01-01T10:00:00.5\n", "x.c")]
#[case::a_date_in_a_name("--- a/log 2024-01-01.txt\n+++ b/log 2024-01-01.txt\n", "log 2024-01-01.txt")]
#[case::a_date_at_the_end_of_a_name("--- a/log 2024-01-01\t\n+++ \"b/log 2024-01-01\"\n", "log 2024-01-01")]
#[case::a_time_in_a_name("--- a/at 10:00:00\n+++ b/at 10:00:00\n", "at 10:00:00")]
#[case::spaces("--- a/my notes.txt\n+++ b/my notes.txt\n", "my notes.txt")]
#[case::quoted(
    "--- \"a/gr\\303\\266\\303\\237e \\\"x\\\".txt\"\n+++ \"b/gr\\303\\266\\303\\237e \\\"x\\\".txt\"\n",
    "größe \"x\".txt"
)]
#[case::absolute("--- /srv/x.c\n+++ /srv/x.c\n", "/srv/x.c")]
#[case::git("diff --git a/x.c b/x.c\nindex 0123..4567 100644\n--- a/x.c\n+++ b/x.c\n", "x.c")]
#[case::git_without_prefixes("diff --git b/x.c b/x.c\nindex 0123..4567\n--- b/x.c\n+++ b/x.c\n", "b/x.c")]
#[case::git_only("diff --git a/x.c b/x.c\n", "x.c")]
fn prefixes_and_time_stamps_are_removed_from_names(#[case] names: &str, #[case] path: &str) {
    let line = names.lines().count() + 1;
    let expected = format!("edit {path}\n  {line}: near 1 \"a\\n\" -> \"b\\n\"\n");
    assert_eq!(summarize(&format!("{names}@@ -1 +1 @@\n-a\n+b\n")), expected);
}

#[rstest]
#[case::new_file("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", "create x \"a\\nb\\n\"\n")]
#[case::new_file_of_git(
    "diff --git a/x b/x\nnew file mode 100644\nindex 000..123\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n",
    "create x \"a\"\n"
)]
#[case::new_file_without_prefix(
    "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
    "create b/x \"a\\n\"\n"
)]
#[case::new_program(
    "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
    "create executable x \"a\\n\"\n"
)]
#[case::new_program_that_is_empty("diff --git a/x b/x\nnew file mode 100755\n", "create executable x \"\"\n")]
#[case::new_file_with_wrong_numbers("--- /dev/null\n+++ b/x\n@@ -1,4 +1,9 @@\n+a\n\n", "create x \"a\\n\"\n")]
#[case::new_file_with_line_endings("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\r\n", "create x \"a\\r\\n\"\n")]
#[case::line_endings_of_the_patch(
    "--- /dev/null\r\n+++ b/x\r\n@@ -0,0 +1 @@\r\n+a\r\n",
    "create x \"a\\n\"\n"
)]
#[case::empty_file("diff --git a/x b/x\nnew file mode 100644\nindex 000..123\n", "create x \"\"\n")]
#[case::maybe_a_new_file("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "fill or create x \"a\\n\"\n")]
#[case::deleted(
    "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
    "delete x\n  3: near 1 \"a\\nb\\n\" -> \"\"\n"
)]
#[case::deleted_without_a_hunk(
    "diff --git a/x b/x\ndeleted file mode 100644\nindex 123..000\n",
    "delete x\n"
)]
#[case::new_file_with_a_time_stamp_after_blanks(
    "--- /dev/null 1970-01-01 00:00:00.000000000 +0000\n+++ b/c.txt 2024-01-01 00:00:00.000000000 +0000\n@@ -0,0 +1 @@\n+a\n",
    "create c.txt \"a\\n\"\n"
)]
#[case::new_file_with_a_date_behind_null(
    "--- /dev/null 1970-01-01\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
    "create x \"a\\n\"\n"
)]
#[case::deleted_with_a_time_stamp_after_blanks(
    "--- a/x 2024-01-01 00:00:00 +0000\n+++ /dev/null 1970-01-01 00:00:00 +0000\n@@ -1 +0,0 @@\n-a\n",
    "delete x\n  3: near 1 \"a\\n\" -> \"\"\n"
)]
#[case::deleted_at_time_0(
    "--- a/x\t2024-01-01 00:00:00.0 +0000\n+++ b/x\t1970-01-01 00:00:00.000000000 +0000\n@@ -1 +0,0 @@\n-a\n",
    "delete x\n  3: near 1 \"a\\n\" -> \"\"\n"
)]
#[case::deleted_at_time_0_east(
    "--- x\n+++ x 1970-01-01 05:30:00.0 +0530\n@@ -1 +0,0 @@\n-a\n",
    "delete x\n  3: near 1 \"a\\n\" -> \"\"\n"
)]
#[case::deleted_at_time_0_west(
    "--- x\n+++ x\t1969-12-31 16:00:00.0 -0800\n@@ -1 +0,0 @@\n-a\n",
    "delete x\n  3: near 1 \"a\\n\" -> \"\"\n"
)]
#[case::emptied(
    "--- x\n+++ x\t1970-01-01 00:00:01.0 +0000\n@@ -1 +0,0 @@\n-a\n",
    "edit x\n  3: near 1 \"a\\n\" -> \"\"\n"
)]
#[case::edited_at_time_0(
    "--- x\n+++ x\t1970-01-01 00:00:00.0 +0000\n@@ -1,2 +1 @@\n a\n-b\n",
    "edit x\n  3: near 1 \"a\\nb\\n\" -> \"a\\n\"\n"
)]
#[case::deleted_by_names_alone("--- a/x\n+++ /dev/null\n", "delete x\n")]
#[case::renamed("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "rename x to y\n")]
#[case::renamed_with_spaces(
    "diff --git a/x 1 b/y 2\nsimilarity index 100%\nrename from x 1\nrename to y 2\n",
    "rename x 1 to y 2\n"
)]
#[case::renamed_and_edited(
    "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\nindex 1..2 100644\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
    "rename x to y\n  8: near 1 \"a\\n\" -> \"b\\n\"\n"
)]
#[case::several(
    "diff --git a/x b/x\nnew file mode 100644\ndiff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n--- z\n+++ z\n@@ -1 +1 @@\n-a\n",
    "create x \"\"\ndelete y\n  7: near 1 \"a\\n\" -> \"\"\nedit z\n  11: near 1 \"a\\n\" -> \"\"\n"
)]
#[case::created_and_changed(
    "commit 1\n\n    Add x\n\ndiff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n\ncommit 2\n\n    Change x\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    "create x \"a\\nc\\n\"\n"
)]
#[case::twice_the_same(
    "--- x\n+++ x\n@@ -1 +1 @@\n-a\n--- x\n+++ x\n@@ -9 +8 @@\n-b\n",
    "edit x\n  3: near 1 \"a\\n\" -> \"\"\n  7: near 9 \"b\\n\" -> \"\"\n"
)]
fn files_are_created_deleted_and_renamed(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(summarize(text), expected);
}

#[rstest]
#[case::further_down("@@ -7,0 +8 @@\n+a\n", 3)]
#[case::beside_another("@@ -1 +1 @@\n-x\n@@ -0,0 +2 @@\n+a\n", 5)]
fn additions_need_context(#[case] hunks: &str, #[case] line: usize) {
    assert!(summarize_hunks(hunks).starts_with(&format!("line {line}: expected lines of context")));
}
