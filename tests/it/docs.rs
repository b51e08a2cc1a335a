//! What documents show is run: the fenced blocks of the README, of `docs` and of the editors' folders.
//!
//! A document is one session: a home of its own, named `/home/ada` in what is written, one shell that goes on from
//! block to block, and the daemon that the first command starts. What a block is depends on its language:
//!
//! - `console`: what a terminal shows. Lines that begin with `$ ` are run by bash, `> ` goes on with them, and the
//!   lines below are what comes out. A command below which nothing stands has to succeed in silence. An answer stands
//!   behind its question: `Undo it like this? [y/N] y`.
//! - `sh`: commands that have to succeed, whatever they print. Questions are answered with `y`.
//! - `toml`: editd's configuration, or with `[[rules]]` its policy, in which `editd doctor` finds nothing wrong.
//! - `json` and `jsonl`: one value, or one a line. Those with a `method` are sent to the daemon in one conversation a
//!   document, and its requests are answered without an error.
//!
//! In what a console shows, `…` stands for anything in its line, and a line of only `…` for any lines. What differs
//! from run to run need not be hidden so: ages (`5 s`), sizes in memory (`7.1 MiB`), process ids, and the letters of
//! transactions and proposals. `t5f4b89-3` may also be used in a later command.
//!
//! A comment before a block, which nobody sees, can do two things. It may stand on several lines:
//!
//! ```text
//! <!-- prepare: mkdir -p ~/shop && cd ~/shop && printf 'one\n' > a.txt -->
//! <!-- not run: needs a network -->
//! ```
//!
//! What prepares is bash in the document's shell, so a folder that it enters is where the block begins; `$CLONE` is
//! this repository. A block of these languages that is neither run nor said not to be fails the test, so nothing is
//! forgotten. Blocks of other languages belong to the tests of what they are about.

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

/// Documents whose blocks are run by tests of their own.
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
fn what_is_shown_is_true(#[case] document: &str) {
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
        ran.unwrap_or_else(|complaint| panic!("{place}: {complaint}"));
    }
}

#[test]
fn every_document_is_run_somewhere() {
    let here = read("tests/it/docs.rs");
    let mut forgotten = Vec::new();
    for document in documents() {
        let has_blocks = blocks(&read(&document)).iter().any(|block| block.language != Language::Other);
        let is_elsewhere = ELSEWHERE.iter().any(|(path, test)| *path == document && !read(test).is_empty());
        if has_blocks && !is_elsewhere && !here.contains(&format!("#[case(\"{document}\")]")) {
            forgotten.push(document);
        }
    }
    assert!(forgotten.is_empty(), "blocks of these documents are run nowhere: {forgotten:?}");
}

/// By their paths from the top.
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
