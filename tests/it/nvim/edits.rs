//! Random LSP edits produce exactly the expected bytes in a buffer, and the daemon has the same text.

use serde_json::{Value, json};

use crate::support::{Chance, Machine, Nvim, Workspace, uri_of};

/// A replacement of a byte range.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

const PIECES: [&str; 8] = ["a", "b", "é", "😀", "\t", " ", "word", "x"];

/// Random lines; sometimes none, sometimes without a final line ending.
fn random_text(rng: &mut Chance, line_end: &str) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(6) {
        for _ in 0..rng.below(5) {
            text.push_str(PIECES[rng.below(8) as usize]);
        }
        text.push_str(line_end);
    }
    if rng.below(3) == 0 && text.ends_with(line_end) {
        text.truncate(text.len() - line_end.len());
    }
    text
}

/// Up to three random replacements, sorted and disjoint, none between a CR and its LF.
fn random_edits(rng: &mut Chance, text: &str, line_end: &str) -> Vec<Edit> {
    let is_boundary = |at: &usize| text.is_char_boundary(*at) && !text[..*at].ends_with('\r');
    let boundaries: Vec<usize> = (0..=text.len()).filter(is_boundary).collect();
    let mut cuts: Vec<usize> =
        (0..6).map(|_| boundaries[rng.below(boundaries.len() as u64) as usize]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut edits: Vec<Edit> = cuts
        .chunks(2)
        .map(|cut| Edit { start: cut[0], end: cut[cut.len() - 1], text: random_text(rng, line_end) })
        .collect();
    edits.retain(|edit| edit.start < edit.end || !edit.text.is_empty());
    edits
}

fn position(text: &str, at: usize) -> Value {
    let line_start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    json!({ "line": text[..at].matches('\n').count(), "character": at - line_start })
}

fn lsp(text: &str, edits: &[Edit]) -> Value {
    let one = |edit: &Edit| {
        let range = json!({ "start": position(text, edit.start), "end": position(text, edit.end) });
        json!({ "range": range, "newText": edit.text })
    };
    Value::Array(edits.iter().map(one).collect())
}

fn applied(text: &str, edits: &[Edit]) -> String {
    let mut result = text.to_owned();
    for edit in edits.iter().rev() {
        result.replace_range(edit.start..edit.end, &edit.text);
    }
    result
}

#[test]
fn random_edits_produce_the_exact_bytes() {
    let (machine, workspace) = (Machine::start(), Workspace::file("0.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("0.txt")]);
    let mut agent = machine.agent(&workspace);
    let mut rng = Chance::new("random_edits_produce_the_exact_bytes");
    for round in 1..=60 {
        let line_end = if rng.below(3) == 0 { "\r\n" } else { "\n" };
        let text = random_text(&mut rng, line_end);
        // Neovim can detect the line endings only of a file that has some.
        let line_end = if text.contains(line_end) { line_end } else { "\n" };
        let edits = random_edits(&mut rng, &text, line_end);
        let name = format!("{round}.txt");
        workspace.put(&name, &text);
        let file = json!({ "path": workspace.path(&name), "uri": uri_of(&workspace.path(&name)), "edits": lsp(&text, &edits) });
        let answer = nvim.lua_with(
            "local file = ...
            vim.cmd('silent edit ' .. vim.fn.fnameescape(file.path))
            local document = { uri = file.uri, version = 0, baseHash = nil, edits = file.edits }
            return require('editd.apply').handle({ id = 'x', documents = { document } })",
            &file,
        );
        let wanted = applied(&text, &edits);
        assert_eq!(answer["applied"], true, "{text:?} {file}: {answer}");
        assert_eq!(nvim.text(), wanted, "{text:?} {file}");
        nvim.settle();
        assert_eq!(agent.read(&name)["text"], wanted, "{text:?} {file}");
        nvim.lua("vim.cmd('silent! bwipeout!')");
    }
}
