//! Whatever LSP edits say comes out in a buffer, to the byte, and the daemon knows it.

use serde_json::{Value, json};

use crate::support::{Chance, Machine, Nvim, Workspace, uri_of};

/// A replacement of bytes.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

const PIECES: [&str; 8] = ["a", "b", "é", "😀", "\t", " ", "word", "x"];

/// Lines of odd pieces; sometimes none, sometimes without a line end at the end.
fn some_text(chance: &mut Chance, line_end: &str) -> String {
    let mut text = String::new();
    for _ in 0..chance.below(6) {
        for _ in 0..chance.below(5) {
            text.push_str(PIECES[chance.below(8) as usize]);
        }
        text.push_str(line_end);
    }
    if chance.below(3) == 0 && text.ends_with(line_end) {
        text.truncate(text.len() - line_end.len());
    }
    text
}

/// Up to three replacements, sorted and apart, none between a CR and its LF.
fn some_edits(chance: &mut Chance, text: &str, line_end: &str) -> Vec<Edit> {
    let is_place = |at: &usize| text.is_char_boundary(*at) && !text[..*at].ends_with('\r');
    let places: Vec<usize> = (0..=text.len()).filter(is_place).collect();
    let mut cuts: Vec<usize> = (0..6).map(|_| places[chance.below(places.len() as u64) as usize]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut edits: Vec<Edit> = cuts
        .chunks(2)
        .map(|cut| Edit { start: cut[0], end: cut[cut.len() - 1], text: some_text(chance, line_end) })
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
fn edits_come_out_to_the_byte() {
    let (machine, workspace) = (Machine::start(), Workspace::file("0.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("0.txt")]);
    let mut agent = machine.agent(&workspace);
    let mut chance = Chance::new("edits_come_out_to_the_byte");
    for round in 1..=60 {
        let line_end = if chance.below(3) == 0 { "\r\n" } else { "\n" };
        let text = some_text(&mut chance, line_end);
        // Neovim can only know the line ends of a file that has some.
        let line_end = if text.contains(line_end) { line_end } else { "\n" };
        let edits = some_edits(&mut chance, &text, line_end);
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
