//! `*** Begin Patch` … `*** End Patch`.

use super::*;

#[track_caller]
fn summarize(text: &str) -> String {
    summarize_as(PatchFormat::ApplyPatch, text)
}

#[track_caller]
fn summarize_sections(sections: &str) -> String {
    summarize(&format!("*** Begin Patch\n{sections}*** End Patch\n"))
}

#[test]
fn every_kind_of_section_is_read() {
    let sections = "*** Add File: src/new.rs\n+one\n+\n+  two\n*** Delete File: old.rs\n\
        *** Update File: a.rs\n*** Move to: b.rs\n@@ fn a()\n x\n-y\n+z\n*** Update File: c.rs\n*** Move to: d.rs\n";
    assert_eq!(
        summarize_sections(sections),
        "create src/new.rs \"one\\n\\n  two\\n\"\ndelete old.rs\nrename a.rs to b.rs\n  \
         9: under \"fn a()\" \"x\\ny\\n\" -> \"x\\nz\\n\"\nrename c.rs to d.rs\n"
    );
}

#[rstest]
#[case::plain("@@\n a\n-b\n+c\n", "  3: \"a\\nb\\n\" -> \"a\\nc\\n\"\n")]
#[case::without_a_first_header(" a\n-b\n+c\n", "  3: \"a\\nb\\n\" -> \"a\\nc\\n\"\n")]
#[case::two_chunks("@@\n-a\n+b\n@@\n-c\n", "  3: \"a\\n\" -> \"b\\n\"\n  6: \"c\\n\" -> \"\"\n")]
#[case::under_a_line("@@ class A:\n-b\n", "  3: under \"class A:\" \"b\\n\" -> \"\"\n")]
#[case::under_nested_lines(
    "@@ class A:\n@@     def f(self):\n-b\n",
    "  3: under \"class A:\" under \"    def f(self):\" \"b\\n\" -> \"\"\n"
)]
#[case::insertion_under_a_line(
    "@@ def f():\n+    pass\n",
    "  3: under \"def f():\" \"\" -> \"    pass\\n\"\n"
)]
#[case::renamed_to_its_own_name("*** Move to: a\n-b\n", "  4: \"b\\n\" -> \"\"\n")]
#[case::at_the_end("@@\n-a\n+b\n*** End of File\n", "  3: at the end \"a\\n\" -> \"b\\n\"\n")]
#[case::appended("@@\n+z\n*** End of File\n", "  3: at the end \"\" -> \"z\\n\"\n")]
#[case::numbers("@@ -12,2 +12,3 @@ fn x()\n-a\n+b\n", "  3: near 12 \"a\\n\" -> \"b\\n\"\n")]
#[case::empty_lines_are_context(
    "@@\n a\n\n-b\n\n c\n",
    "  3: \"a\\n\\nb\\n\\nc\\n\" -> \"a\\n\\n\\nc\\n\"\n"
)]
#[case::an_empty_line_before_the_next_chunk(
    "@@\n-a\n\n@@\n-b\n",
    "  3: \"a\\n\" -> \"\"\n  6: \"b\\n\" -> \"\"\n"
)]
#[case::a_chunk_of_an_empty_line("@@\n\n@@\n-b\n", "  3: \"b\\n\" -> \"\"\n")]
#[case::a_last_chunk_of_empty_lines("@@\n-b\n@@\n\n\n", "  3: \"b\\n\" -> \"\"\n")]
#[case::a_named_chunk_of_an_empty_line("@@ f\n\n@@\n-b\n", "  3: under \"f\" \"b\\n\" -> \"\"\n")]
#[case::an_empty_line_at_the_end_of_the_file(
    "@@\n\n-b\n*** End of File\n",
    "  3: at the end \"\\nb\\n\" -> \"\\n\"\n"
)]
#[case::lost_space("@@\n-a\n}\n", "  3: \"a\\n}\\n\" -> \"}\\n\"\n")]
#[case::signs_in_the_text("@@\n--a\n++b\n ***\n", "  3: \"-a\\n***\\n\" -> \"+b\\n***\\n\"\n")]
#[case::markers_in_the_text(
    "@@\n *** End Patch\n+*** Begin Patch\n",
    "  3: \"*** End Patch\\n\" -> \"*** End Patch\\n*** Begin Patch\\n\"\n"
)]
fn chunks_are_edits(#[case] chunks: &str, #[case] expected: &str) {
    assert_eq!(summarize_sections(&format!("*** Update File: a\n{chunks}")), format!("edit a\n{expected}"));
}

#[rstest]
#[case::prose("I will do it now.\n\n{}\nDone.\n")]
#[case::fence("Here:\n```diff\n{}```\n")]
#[case::here_document("apply_patch <<'EOF'\n{}EOF\n")]
#[case::shell("bash -lc \"apply_patch <<'PATCH'\n{}PATCH\n\"\n")]
#[case::empty_lines("\n\n{}\n\n")]
fn surrounding_text_is_skipped(#[case] around: &str) {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-b\n*** End Patch\n";
    let line = around.split("{}").next().unwrap().lines().count() + 3;
    assert_eq!(summarize(&around.replace("{}", patch)), format!("edit a\n  {line}: \"b\\n\" -> \"\"\n"));
}

#[rstest]
#[case::trailing_whitespace("*** Begin Patch \n*** Update File: a \n@@ \n-b\n*** End Patch\t\n")]
#[case::one_is_padded("  *** Begin Patch\n*** Update File: a\n@@\n-b\n*** End Patch\n")]
#[case::the_last_is_padded("*** Begin Patch\n *** Update File: a\n@@\n-b\n*** End Patch  \n")]
#[case::a_padded_end("*** Begin Patch\n*** Update File: a\n@@\n-b\n *** End Patch\n")]
#[case::a_padded_end_and_blank_lines("*** Begin Patch\n*** Update File: a\n@@\n-b\n\t*** End Patch \n\n\n")]
#[case::a_padded_end_in_a_fence("*** Begin Patch\n*** Update File: a\n@@\n-b\n *** End Patch\n```\nDone.\n")]
#[case::a_padded_end_in_a_here_document("*** Begin Patch\n*** Update File: a\n@@\n-b\n *** End Patch\nEOF\n")]
#[case::all_are_padded(" *** Begin Patch\n *** Update File: a\n@@\n-b\n *** End Patch\nDone.\n")]
#[case::indented("    *** Begin Patch\n    *** Update File: a\n    @@\n    -b\n    *** End Patch\n")]
#[case::no_beginning("\n*** Update File: a\n@@\n-b\n*** End Patch\n")]
#[case::no_space_before_the_path("*** Begin Patch\n*** Update File:a\n@@\n-b\n*** End Patch\n")]
#[case::line_endings("*** Begin Patch\r\n*** Update File: a\r\n@@\r\n-b\r\n*** End Patch\r\n")]
#[case::empty_lines_between("*** Begin Patch\n\n*** Update File: a\n-b\n\n\n*** End Patch\n")]
fn variants_of_markers_are_accepted(#[case] text: &str) {
    let line = if text.contains("-b\n\n") { 4 } else { 3 };
    assert_eq!(summarize(text), format!("edit a\n  {line}: \"b\\n\" -> \"\"\n"));
}

#[test]
fn padded_markers_begin_sections() {
    let sections =
        " *** Add File: n\n+x\n *** Delete File: o\n  *** Update File: a\n *** Move to: b\n@@\n-b\n";
    let expected = "create n \"x\\n\"\ndelete o\nrename a to b\n  7: \"b\\n\" -> \"\"\n";
    assert_eq!(summarize_sections(sections), expected);
    // Within a chunk, a line with a blank before it is context unless all markers are padded.
    let padded = " *** Begin Patch\n *** Update File: a\n-b\n *** Update File: c\n-d\n *** End of File\n *** End Patch\n";
    let expected = "edit a\n  3: \"b\\n\" -> \"\"\nedit c\n  5: at the end \"d\\n\" -> \"\"\n";
    assert_eq!(summarize(padded), expected);
    let context = "*** Begin Patch\n*** Update File: a\n-b\n *** Update File: c\n-d\n*** End Patch\n";
    assert_eq!(
        summarize(context),
        "edit a\n  3: \"b\\n*** Update File: c\\nd\\n\" -> \"*** Update File: c\\n\"\n"
    );
}

#[test]
fn two_patches_in_one_text_are_merged() {
    let one = |old: &str| format!("*** Begin Patch\n*** Update File: a\n-{old}\n*** End Patch\n");
    let summary = summarize(&format!("{}Then:\n{}", one("b"), one("c")));
    assert_eq!(summary, "edit a\n  3: \"b\\n\" -> \"\"\n  8: \"c\\n\" -> \"\"\n");
}

#[rstest]
#[case::edits(
    "*** Update File: a\n-b\n*** Update File: a\n-c\n",
    "edit a\n  3: \"b\\n\" -> \"\"\n  5: \"c\\n\" -> \"\"\n"
)]
#[case::edit_and_rename(
    "*** Update File: a\n-b\n*** Update File: a\n*** Move to: c\n",
    "rename a to c\n  3: \"b\\n\" -> \"\"\n"
)]
#[case::added_and_deleted(
    "*** Add File: a\n+b\n*** Delete File: a\n",
    "line 4: expected no further section for `a` after the one at line 2\n"
)]
#[case::added_and_edited("*** Add File: a\n+b\n+c\n*** Update File: a\n-b\n", "create a \"c\\n\"\n")]
#[case::added_and_edited_elsewhere(
    "*** Add File: a\n+b\n*** Update File: a\n-c\n",
    "line 5: expected lines that the section above writes into the new file\n"
)]
#[case::two_names(
    "*** Update File: a\n*** Move to: b\n*** Update File: a\n*** Move to: c\n",
    "line 4: expected no further section for `a` after the one at line 2\n"
)]
fn sections_of_one_file_are_one_change(#[case] sections: &str, #[case] expected: &str) {
    assert_eq!(summarize_sections(sections), expected);
}

#[rstest]
#[case::alone("@@\n+a\n+b\n", "fill a \"a\\nb\\n\"\n")]
#[case::only_line_numbers("@@ -3,0 +4 @@\n+a\n", "fill a \"a\\n\"\n")]
#[case::beside_another("@@\n-x\n@@\n+a\n", "line 5")]
fn additions_need_a_location(#[case] chunks: &str, #[case] expected: &str) {
    let summary = summarize_sections(&format!("*** Update File: a\n{chunks}"));
    assert!(summary.starts_with(expected), "{summary}");
    assert!(expected.starts_with("fill") || summary.contains("lines of context"), "{summary}");
}

#[rstest]
#[case::empty("", "")]
#[case::lost_sign("+a\n\n+b\n", "a\n\nb\n")]
#[case::empty_lines_after("+a\n\n", "a\n")]
#[case::an_empty_line_at_the_end("+a\n+\n", "a\n\n")]
#[case::empty_lines_at_the_end("+a\n+\n+\n\n", "a\n\n\n")]
#[case::nothing_but_an_empty_line("+\n", "\n")]
#[case::an_empty_line_and_an_end_marker("+a\n+\n*** End of File\n", "a\n\n")]
#[case::an_end_marker("+a\n*** End of File\n", "a\n")]
#[case::signs("++a\n+-b\n+ c\n+*** d\n", "+a\n-b\n c\n*** d\n")]
fn a_new_file_consists_of_the_added_lines(#[case] lines: &str, #[case] content: &str) {
    assert_eq!(summarize_sections(&format!("*** Add File: a\n{lines}")), format!("create a {content:?}\n"));
}
