//! The fenced blocks of a document, and the comments before them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Console,
    Shell,
    Configuration,
    Json,
    /// A language that these tests do not run.
    Other,
}

/// The comment before a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// Commands to run before the block.
    Prepare(String),
    NotRun,
}

#[derive(Debug)]
pub(super) struct Block {
    /// Line of the opening fence, from 1.
    pub(super) line: usize,
    pub(super) language: Language,
    pub(super) text: String,
    pub(super) note: Option<Note>,
}

/// Parses all blocks of a document, in order. Removes the indentation of blocks in lists.
pub(super) fn blocks(document: &str) -> Vec<Block> {
    let mut lines = document.lines().enumerate();
    let (mut blocks, mut note) = (Vec::new(), None);
    while let Some((at, line)) = lines.next() {
        let text = line.trim_start();
        if let Some(comment) = text.strip_prefix("<!--") {
            note = note_of(&comment_from(comment, lines.by_ref().map(|it| it.1)));
        } else if text.starts_with("```") {
            let (indent, language) = (&line[..line.len() - text.len()], text.trim_start_matches('`'));
            let fence = &text[..text.len() - language.len()];
            let inside = lines.by_ref().map(|(_, line)| line.strip_prefix(indent).unwrap_or(line));
            let text =
                inside.take_while(|line| line.trim_end() != fence).flat_map(|line| [line, "\n"]).collect();
            blocks.push(Block { line: at + 1, language: language_of(language), text, note: note.take() });
        } else if !text.is_empty() {
            // A comment only applies to a block that follows immediately.
            note = None;
        }
    }
    blocks
}

/// Returns the text of a comment, which may span several lines.
fn comment_from<'a>(start: &str, mut more: impl Iterator<Item = &'a str>) -> String {
    let mut text = start.to_owned();
    loop {
        if let Some((comment, _)) = text.split_once("-->") {
            return comment.to_owned();
        }
        let line = more.next().unwrap_or_else(|| panic!("a comment without an end: {start}"));
        text = text + "\n" + line;
    }
}

fn note_of(comment: &str) -> Option<Note> {
    let comment = comment.trim();
    if let Some(commands) = comment.strip_prefix("prepare:") {
        return Some(Note::Prepare(commands.trim().to_owned()));
    }
    let reason = comment.strip_prefix("not run:")?.trim();
    assert!(!reason.is_empty(), "a block that is not run needs a reason");
    Some(Note::NotRun)
}

fn language_of(word: &str) -> Language {
    match word.trim() {
        "console" => Language::Console,
        "sh" => Language::Shell,
        "toml" => Language::Configuration,
        "json" | "jsonl" => Language::Json,
        _ => Language::Other,
    }
}

#[test]
fn a_comment_applies_only_to_the_next_block() {
    let document = "<!-- prepare: a\nb -->\n\n```sh\none\n```\n<!-- not run: x -->\nText.\n```console\n$ two\n```\n\
         - <!-- other -->\n  ```rust\n    three\n  ```\n";
    let found: Vec<_> =
        blocks(document).into_iter().map(|it| (it.line, it.language, it.text, it.note)).collect();
    let expected = [
        (4, Language::Shell, "one\n".to_owned(), Some(Note::Prepare("a\nb".to_owned()))),
        (9, Language::Console, "$ two\n".to_owned(), None),
        (13, Language::Other, "  three\n".to_owned(), None),
    ];
    assert_eq!(found, expected);
}
