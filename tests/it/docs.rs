//! Tests that run the fenced blocks of the documents: of the README, of `docs` and of the editors' folders.
//!
//! A document is one session with its own home folder, which documents write as `/home/ada`, one shell for
//! all blocks, and the daemon that the first command starts. The language of a block determines how it is
//! checked:
//!
//! - `console`: a terminal session. bash runs the lines that begin with `$ `; lines that begin with `> `
//!   continue them. The following lines are the expected output. A command without expected output must
//!   succeed and print nothing. An answer follows its question: `Apply this undo? [y/N] y`.
//! - `sh`: commands that must succeed; their output is ignored. Questions are answered with `y`.
//! - `toml`: a configuration, or a policy if it contains `[[rules]]`, that `editd doctor` must accept.
//! - `json` and `jsonl`: one value, or one per line. Values with a `method` are sent to the daemon, on one
//!   connection per document. Requests must not be answered with an error.
//!
//! In the output of a console, `…` matches anything in its line, and a line with only `…` matches any lines.
//! Values that differ between runs match by themselves: ages (`5 s`), memory sizes (`7.1 MiB`), process ids,
//! and the ids of transactions and proposals. Later commands can use an id such as `t5f4b89-3`.
//!
//! A comment before a block can have two effects. It may span several lines:
//!
//! ```text
//! <!-- prepare: mkdir -p ~/shop && cd ~/shop && printf 'one\n' > a.txt -->
//! <!-- not run: needs a network -->
//! ```
//!
//! `prepare` runs in the document's shell, so the block begins in the folder that it enters. `$CLONE` is this
//! repository. A test fails if a document has blocks of these languages and is not run by any test. Blocks of
//! other languages are checked by other tests, if at all.

mod block;
mod console;
mod data;
mod pattern;
mod session;
mod shell;

use rstest::rstest;

use self::block::{Language, Note, blocks};
use self::session::Session;

/// This repository.
const CLONE: &str = env!("CARGO_MANIFEST_DIR");

/// Documents whose blocks are run by other tests.
const ELSEWHERE: &[(&str, &str)] = &[
    ("docs/agents.md", "tests/agents/support/page.ts"),
    ("docs/matching.md", "tests/it/matching/documented.rs"),
];

#[rstest]
#[case("CONTRIBUTING.md")]
#[case("README.md")]
#[case("docs/configuration.md")]
#[case("docs/editors.md")]
#[case("docs/install.md")]
#[case("docs/guide.md")]
#[case("docs/protocol.md")]
#[case("editors/nvim/README.md")]
#[case("editors/vscode/README.md")]
fn documents_show_real_output(#[case] document: &str) {
    let mut session = Session::begin();
    for block in blocks(&read(document)) {
        let place = format!("{document}:{}", block.line);
        let ran = match (&block.note, block.language) {
            (Some(Note::NotRun), _) | (None, Language::Other) => Ok(()),
            (Some(Note::Prepare(commands)), language) => {
                session.succeed(commands).and_then(|()| session.run(language, &block.text))
            }
            (None, language) => session.run(language, &block.text),
        };
        ran.unwrap_or_else(|error| panic!("{place}: {error}"));
    }
}

#[test]
fn every_document_is_run_by_a_test() {
    let here = read("tests/it/docs.rs");
    let mut forgotten = Vec::new();
    for document in documents() {
        let has_blocks = blocks(&read(&document)).iter().any(|block| block.language != Language::Other);
        let is_elsewhere = ELSEWHERE.iter().any(|(path, test)| *path == document && !read(test).is_empty());
        if has_blocks && !is_elsewhere && !here.contains(&format!("#[case(\"{document}\")]")) {
            forgotten.push(document);
        }
    }
    assert!(forgotten.is_empty(), "no test runs the blocks of these documents: {forgotten:?}");
}

/// Lists the documents by their paths from the top of the repository.
fn documents() -> Vec<String> {
    let folders = ["", "docs/", "benches/", "editors/nvim/", "editors/vscode/"];
    let inside = |folder: &&str| {
        let entries = std::fs::read_dir(std::path::Path::new(CLONE).join(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        names.map(|name| format!("{folder}{name}")).collect::<Vec<_>>()
    };
    folders.iter().flat_map(inside).filter(|path| path.strip_suffix(".md").is_some()).collect()
}

fn read(path: &str) -> String {
    let path = std::path::Path::new(CLONE).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
