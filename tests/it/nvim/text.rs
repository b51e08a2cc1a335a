//! The daemon's content matches the buffer for every kind of text that Neovim can hold.

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Nvim, Outcome, Workspace, hash_of};

#[rstest]
#[case::lf("one\ntwo\n")]
#[case::crlf("one\r\ntwo\r\n")]
#[case::no_final_line_ending("one\ntwo")]
#[case::crlf_without_final_line_ending("one\r\ntwo")]
#[case::bom("\u{feff}one\ntwo\n")]
#[case::emoji("😀 one 👩‍👩‍👧 two\n😀\n")]
#[case::empty_lines("\none\n\ntwo\n\n")]
fn an_edit_and_typing_preserve_all_other_bytes(#[case] text: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    let after = text.replacen("one", "1", 1);
    assert_eq!((workspace.text("a.txt"), &done["files"][0]["saved"]), (after.clone(), &json!(true)));

    nvim.types("Gox<Esc>ggOy<Esc>", &typed(&after));
    let read = agent.read("a.txt");
    assert_eq!(read["text"], typed(&after), "{read}");
    agent.edit("a.txt", "two", "2").done();
    nvim.holds(&typed(&after).replacen("two", "2", 1));
}

/// A text with a line `y` before it and a line `x` after it.
fn typed(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let ends = text.ends_with(end);
    let body = text.strip_suffix(end).unwrap_or(text);
    format!("y{end}{body}{end}x{}", if ends { end } else { "" })
}

#[test]
fn latin1_stays_latin1() {
    let workspace = Workspace::file("a.txt", b"caf\xe9 one\nna\xefve two\n");
    let machine = Machine::start();
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!(workspace.bytes("a.txt"), b"caf\xe9 1\nna\xefve two\n");
    nvim.types("A ö<Esc>", "café 1 ö\nnaïve two\n");
    assert_eq!(agent.read("a.txt")["text"], "café 1 ö\nnaïve two\n");
}

#[test]
fn an_empty_file_is_empty_until_text_is_inserted() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", ""));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read("a.txt")["text"], "");
    nvim.types("ihello<Esc>", "hello\n");
    assert_eq!(agent.read("a.txt")["text"], "hello\n");
    nvim.types("dd", "");
    assert_eq!(agent.read("a.txt")["text"], "");
    nvim.types("u", "hello\n");
    assert_eq!(agent.read("a.txt")["text"], "hello\n");
}

#[rstest]
#[case("ggOfirst<Esc>")]
#[case("Golast<Esc>")]
#[case("ggdG")]
#[case("ggdd")]
#[case("Gdd")]
#[case("ggJ")]
#[case("ggyGGp")]
#[case(":%s/o/😀/g<CR>")]
#[case(":g/two/d<CR>")]
#[case(":set noeol<CR>Gox<Esc>")]
#[case("ggO<Esc>uu<C-r>")]
#[case("ggVGd<Esc>ione<CR>two<Esc>")]
#[case("qqAx<Esc>jq@q:undo 0<CR>")]
fn the_daemon_has_the_text_that_keys_produce(#[case] keys: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree é 😀 four\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua("vim.o.showmode = false");
    nvim.keys(keys);
    nvim.keys(":let g:typed = 1<CR>");
    crate::support::eventually("all keys to be typed", || {
        (nvim.lua("return vim.g.typed == 1") == json!(true)).then_some(())
    });
    nvim.settle();
    let text = nvim.text();
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], text);
}

#[test]
fn hashes_computed_in_neovim_match_the_daemons() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    // Sizes around the boundaries of blocks, chunks and subtrees.
    let sizes: [usize; 17] =
        [0, 1, 3, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3073, 4097, 7168, 8193, 16_385, 102_400];
    for size in sizes {
        let text: String = (0..size).map(|index| char::from(b"the quick brown fox"[index % 19])).collect();
        let hash = nvim.lua_with("return require('editd.document').hash_of(...)", &json!(text));
        assert_eq!(hash, hash_of(&text), "{size} bytes");
    }
}
