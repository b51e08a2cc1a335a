//! `<<<<<<< SEARCH` blocks.

use super::*;

#[track_caller]
fn summarize(text: &str) -> String {
    summarize_as(PatchFormat::SearchReplace, text)
}

const BLOCK: &str = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n";
const EDIT: &str = "\"old\\n\" -> \"new\\n\"\n";

#[rstest]
#[case::above("src/a.rs\n{}")]
#[case::above_the_fence("src/a.rs\n```rust\n{}```\n")]
#[case::above_the_fence_and_a_blank_line("src/a.rs\n\n```rust\n{}```\n")]
#[case::inside_the_fence("```rust\nsrc/a.rs\n{}```\n")]
#[case::after_the_language("```rust src/a.rs\n{}```\n")]
#[case::after_the_language_and_a_colon("```rust:src/a.rs\n{}```\n")]
#[case::as_a_title("```rust title=\"src/a.rs\"\n{}```\n")]
#[case::tildes("src/a.rs\n~~~\n{}~~~\n")]
#[case::bold("**src/a.rs**\n{}")]
#[case::bold_with_a_colon("**src/a.rs:**\n{}")]
#[case::bold_and_code("**`src/a.rs`**\n```\n{}```\n")]
#[case::code("`src/a.rs`:\n{}")]
#[case::heading("### src/a.rs\n{}")]
#[case::heading_with_code("## `src/a.rs`\n\n```\n{}```\n")]
#[case::colon("src/a.rs:\n{}")]
#[case::label("File: src/a.rs\n{}")]
#[case::bold_label("**File:** `src/a.rs`\n{}")]
#[case::c_comment("```rust\n// src/a.rs\n{}```\n")]
#[case::shell_comment("```\n# src/a.rs\n{}```\n")]
#[case::css_comment("/* src/a.rs */\n{}")]
#[case::html_comment("<!-- src/a.rs -->\n{}")]
#[case::list("- src/a.rs\n{}")]
#[case::a_fence_of_its_own("```\nsrc/a.rs\n```\n\n```rust\n{}```\n")]
#[case::a_fence_of_its_own_above_a_bare_block("```text\nsrc/a.rs\n```\n{}")]
#[case::prose_between("src/a.rs\nThis closes the door.\n```rust\n{}```\n")]
#[case::prose_with_code("Here is the change to `src/a.rs` that you want:\n```rust\n{}```\n")]
#[case::prose_with_a_path("Now change src/a.rs:\n\n{}")]
#[case::prose_around("I will change it.\n\nsrc/a.rs\n{}\nThat is all, see `src/b.rs`.\n")]
fn the_file_name_is_found(#[case] around: &str) {
    let summary = summarize(&around.replace("{}", BLOCK));
    let line = around.split("{}").next().unwrap().lines().count() + 1;
    assert_eq!(summary, format!("edit src/a.rs\n  {line}: {EDIT}"));
}

#[rstest]
#[case::without_an_extension("Makefile", "Makefile")]
#[case::hidden(".gitignore", ".gitignore")]
#[case::special("__init__.py", "__init__.py")]
#[case::absolute("/srv/x/a.txt", "/srv/x/a.txt")]
#[case::spaces_in_quotes("`my notes.txt`", "my notes.txt")]
#[case::brackets("app/[id]/page.tsx", "app/[id]/page.tsx")]
#[case::letters("src/größe.rs", "src/größe.rs")]
fn unusual_names_are_recognized(#[case] written: &str, #[case] name: &str) {
    assert_eq!(summarize(&format!("{written}\n{BLOCK}")), format!("edit {name}\n  2: {EDIT}"));
}

#[rstest]
#[case::language("```python\n{}```\n")]
#[case::language_on_its_own_line("python\n{}")]
#[case::sentence("Here it is.\n{}")]
#[case::announcement("Then:\n{}")]
#[case::words("and/or whatever you like\n{}")]
#[case::address("https://example.org/a.rs\n{}")]
#[case::two_paths("Move it from `a.rs` to `b.rs`:\n{}")]
#[case::shell("#!/bin/sh\n{}")]
#[case::far_above("src/a.rs\nOne.\nTwo.\nThree.\n{}")]
fn other_text_is_not_taken_for_a_name(#[case] around: &str) {
    let line = around.split("{}").next().unwrap().lines().count() + 1;
    let expected = "the path of a file on the line above the block";
    assert_eq!(summarize(&around.replace("{}", BLOCK)), format!("line {line}: expected {expected}\n"));
}

#[test]
fn blocks_belong_to_the_last_named_file() {
    let text = format!(
        "a.rs\n```\n{BLOCK}{BLOCK}```\nb.rs\n```\n{BLOCK}```\n\nAlso:\n\n```\n{BLOCK}```\na.rs\n{BLOCK}"
    );
    let expected =
        format!("edit a.rs\n  3: {EDIT}  8: {EDIT}  33: {EDIT}edit b.rs\n  16: {EDIT}  26: {EDIT}");
    assert_eq!(summarize(&text), expected);
}

#[rstest]
#[case::two_lines("a\nb", "c", "\"a\\nb\\n\" -> \"c\\n\"")]
#[case::deletion("a", "", "\"a\\n\" -> \"\"")]
#[case::whitespace_is_kept("  a \n\tb", "  c\t", "\"  a \\n\\tb\\n\" -> \"  c\\t\\n\"")]
#[case::empty_lines("\na\n", "\n\n", "\"\\na\\n\\n\" -> \"\\n\\n\\n\"")]
#[case::underline_of_markdown(
    "Title\n=====\n",
    "Title!\n======",
    "\"Title\\n=====\\n\\n\" -> \"Title!\\n======\\n\""
)]
#[case::longer_rules("==========", "=========", "\"==========\\n\" -> \"=========\\n\"")]
#[case::a_conflict(
    "<<<<<<< HEAD\na\n>>>>>>> main",
    "a",
    "\"<<<<<<< HEAD\\na\\n>>>>>>> main\\n\" -> \"a\\n\""
)]
#[case::fence("```\na\n```", "b", "\"```\\na\\n```\\n\" -> \"b\\n\"")]
fn content_is_taken_verbatim(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    let lines = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    let text = format!("x.md\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", lines(old), lines(new));
    assert_eq!(summarize(&text), format!("edit x.md\n  2: {expected}\n"));
}

#[rstest]
#[case::five("<<<<< SEARCH\nold\n=====\nnew\n>>>>> REPLACE\n")]
#[case::nine("<<<<<<<<< SEARCH\nold\n=========\nnew\n>>>>>>>>> REPLACE\n")]
#[case::without_spaces("<<<<<<<SEARCH\nold\n=======\nnew\n>>>>>>>REPLACE\n")]
#[case::trailing_whitespace("<<<<<<< SEARCH \nold\n======= \nnew\n>>>>>>> REPLACE\t\n")]
#[case::other_words("<<<<<<< ORIGINAL\nold\n=======\nnew\n>>>>>>> UPDATED\n")]
#[case::other_signs("------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n")]
#[case::bracket_behind_the_word("<<<<<<< SEARCH>\nold\n=======\nnew\n>>>>>>> REPLACE\n")]
#[case::line_endings("<<<<<<< SEARCH\r\nold\r\n=======\r\nnew\r\n>>>>>>> REPLACE\r\n")]
#[case::no_final_line_ending("<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE")]
fn variants_of_markers_are_accepted(#[case] block: &str) {
    let name = if block.contains('\r') { "a.rs\r\n" } else { "a.rs\n" };
    assert_eq!(summarize(&format!("{name}{block}")), format!("edit a.rs\n  2: {EDIT}"));
}

#[test]
fn markers_of_another_length_are_content() {
    let inner = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    let text = format!("a.md\n<<<<<<<<< SEARCH\n{inner}=========\nnew\n>>>>>>>>> REPLACE\n");
    assert_eq!(summarize(&text), format!("edit a.md\n  2: {inner:?} -> \"new\\n\"\n"));
}

#[test]
fn a_start_line_is_a_hint() {
    let text = "a.rs\n<<<<<<< SEARCH\n:start_line:12\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n";
    assert_eq!(summarize(text), format!("edit a.rs\n  2: near 12 {EDIT}"));
}

#[rstest]
#[case::nothing("")]
#[case::an_empty_line("\n")]
fn an_empty_search_fills_a_file(#[case] search: &str) {
    let text = format!("a.rs\n<<<<<<< SEARCH\n{search}=======\none\n\ntwo\n>>>>>>> REPLACE\n");
    assert_eq!(summarize(&text), "fill or create a.rs \"one\\n\\ntwo\\n\"\n");
}

#[rstest]
#[case::list("1. Close it:\n\n   src/a.rs\n   ```rust\n{}   ```\n", "   ")]
#[case::tab("\tsrc/a.rs\n{}", "\t")]
fn a_block_may_be_indented_as_a_whole(#[case] around: &str, #[case] pad: &str) {
    let block = "<<<<<<< SEARCH\n  old\n\n=======\n  new\n\n>>>>>>> REPLACE\n";
    let line = around.split("{}").next().unwrap().lines().count() + 1;
    for padded_blank in [true, false] {
        let pad_line = |line: &str| match line {
            "\n" if !padded_blank => "\n".to_owned(),
            line => format!("{pad}{line}"),
        };
        let indented: String = block.split_inclusive('\n').map(pad_line).collect();
        let summary = summarize(&around.replace("{}", &indented));
        assert_eq!(summary, format!("edit src/a.rs\n  {line}: \"  old\\n\\n\" -> \"  new\\n\\n\"\n"));
    }
}

#[test]
fn a_block_of_another_indentation_is_content() {
    let inner = "  <<<<<<< SEARCH\n  x\n  =======\n  y\n  >>>>>>> REPLACE\n";
    let text = format!("a.md\n<<<<<<< SEARCH\n{inner}=======\nnew\n>>>>>>> REPLACE\n");
    assert_eq!(summarize(&text), format!("edit a.md\n  2: {inner:?} -> \"new\\n\"\n"));
}
