//! The language of the code and the documents: the terms of the field, in plain English.

use regex_automata::meta::Regex;

use super::{Source, assert_none, read, sources};

/// Words and phrases that this project does not use, each with what it says instead.
const DIALECT: [(&str, &str); 33] = [
    (r"\b(the|our|its) books\b", "workspace state"),
    (r"\blanes?\b", "file lock, lock queue"),
    (r"\bkeepers?\b", "owner"),
    (r"\bsightings?\b", "observation"),
    (r"\bheeds?\b", "follow, handle"),
    (r"\banew\b", "again, from scratch"),
    (r"\bway back\b", "undo plan, inverse plan"),
    (r"\bworked out\b", "computed"),
    (r"\bworks out\b", "computes"),
    (r"\b(is|are|was|were|be|been) looked at\b", "read, checked, observed"),
    (r"\b(is|are|was|were|be|been) told\b", "notified, reported"),
    (r"\b(is|are|was|were|be|been) said\b", "reported, described"),
    (r"\b(is|are|was|were) to be\b", "must be, will be"),
    (r"\btaken back\b", "undone, rolled back"),
    (r"\btakes? back\b", "undo, roll back"),
    (r"\bbrought back\b", "restored, reopened"),
    (r"\bline ends\b", "line endings"),
    (r"\bdedented\b", "less indented"),
    (r"\bfor good\b", "permanently"),
    (r"\bthe more so\b", "especially"),
    (r"\bin turn with\b", "in order with"),
    (r"\bat the wish of\b", "requested by"),
    (r"\bnobody\b", "no client, no program, no one"),
    (r"\bsomebody\b", "another client, the user"),
    (r"\bwhoever\b", "the client that, the caller"),
    (r"\bwhosoever\b", "any client that"),
    (r"\b(it|that|this|which) (is|are) none\b", "is not a ..."),
    (r"\b(it|that|this|which) is no (file|folder|text|method|notebook|number|path|state)\b", "is not a ..."),
    (r"\bof (its|their|his|her) own\b", "own, separate"),
    (r"\bone and the same\b", "the same"),
    (r"\bas it lies\b", "as it is"),
    (r"\bgone away\b", "disconnected"),
    (r"\bmade whole\b", "completed"),
];

/// Words with which a doc comment does not begin: it says what an item is or does.
const OPENERS: &str =
    r"^\s*(///|//!|/\*\*|---) ?(What|Whether|Who|Whose|How|Where|The same|Nothing|None if|It|Its|So)\b";

/// Everything that people read, except tests and texts that quote other people's words.
fn texts() -> Vec<Source> {
    let mut texts = sources("docs", ".md");
    texts.extend(sources("src", ".rs"));
    texts.extend(sources("editors/nvim/lua", ".lua"));
    texts.extend(sources("editors/nvim/doc", ".txt"));
    texts.extend(sources("editors/vscode/src", ".ts"));
    texts.extend(sources("editors/page/src", ".ts"));
    let pages = ["README.md", "CONTRIBUTING.md", "editors/nvim/README.md", "editors/vscode/README.md"];
    texts.extend(pages.map(|path| Source { path: path.to_owned(), text: read(path) }));
    texts.retain(|source| !source.path.contains("/tests/") && !source.path.ends_with("tests.rs"));
    texts
}

#[test]
fn texts_use_the_terms_of_the_field() {
    let dialect = DIALECT
        .map(|(pattern, instead)| (Regex::new(&format!("(?i){pattern}")).expect("a pattern"), instead));
    let mut wrong = Vec::new();
    for Source { path, text } in texts() {
        for (number, line) in text.lines().enumerate() {
            let hits =
                dialect.iter().filter_map(|(pattern, instead)| Some((pattern.find(line)?.range(), instead)));
            wrong.extend(
                hits.map(|(hit, instead)| {
                    format!("{path}:{}: \"{}\" (say: {instead})", number + 1, &line[hit])
                }),
            );
        }
    }
    assert_none("comments, messages and documents use the terms of the field", &wrong);
}

#[test]
fn doc_comments_begin_with_what_the_item_is() {
    let opener = Regex::new(OPENERS).expect("a pattern");
    let mut wrong = Vec::new();
    for Source { path, text } in texts() {
        let mut inside = false;
        for (number, line) in text.lines().enumerate() {
            let is_doc = ["///", "//!", "/**", "---"].iter().any(|mark| line.trim_start().starts_with(mark));
            // Only the first line of a comment can open it.
            if is_doc && !inside && opener.is_match(line) {
                wrong.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
            inside = is_doc;
        }
    }
    assert_none("doc comments begin with what an item is or does", &wrong);
}
