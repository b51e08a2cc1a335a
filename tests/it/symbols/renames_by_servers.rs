//! Renames by the language servers of attached editors.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Editor, Kind, Machine, Outcome, Workspace, uri_of};

const SHOP: &str = "export function total(x: number) {\n  return x;\n}\n";
/// The syntax does not show which type `shop` has.
const CART: &str = "import * as s from './shop';\nconst é = s; use(é.total(2), '😀', s['total']);\n";
const OTHER: &str = "total: 1\n";

fn scene() -> (Machine, Workspace, Editor) {
    let workspace = Workspace::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("shop.ts", SHOP),
        ("cart.ts", CART),
        ("other.yaml", OTHER),
        (".env", "total=1\n"),
    ]);
    let machine = Machine::start();
    let editor = renaming(&machine, &workspace, "editor", "utf-16");
    (machine, workspace, editor)
}

/// Starts an editor that may have language servers.
fn renaming(machine: &Machine, workspace: &Workspace, name: &str, encoding: &str) -> Editor {
    let ours = json!({ "capabilities": { "experimental": { "editd": { "rename": true } } } });
    Editor::announcing(machine, workspace, Kind::Plugin, (name, encoding), &ours).0
}

/// Returns edits of all whole words `total` of a text, in units of UTF-16.
fn edits(text: &str, new: &str) -> Value {
    let is_word = |c: char| c.is_alphanumeric();
    let found = text.match_indices("total").filter(|(at, word)| {
        !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    });
    let edit = |(at, word): (usize, &str)| {
        let line = text[..at].matches('\n').count();
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let character = text[start..at].encode_utf16().count();
        let position = |character: usize| json!({ "line": line, "character": character });
        let range = json!({ "start": position(character), "end": position(character + word.len()) });
        json!({ "range": range, "newText": new })
    };
    found.map(edit).collect()
}

fn answer(workspace: &Workspace, files: &[(&str, Value)]) -> Value {
    let file =
        |(name, edits): &(&str, Value)| json!({ "uri": uri_of(&workspace.path(name)), "edits": edits });
    json!({ "files": files.iter().map(file).collect::<Vec<_>>() })
}

/// The answer of a server that knows everything.
fn whole(workspace: &Workspace) -> Value {
    answer(workspace, &[("shop.ts", edits(SHOP, "sumAll")), ("cart.ts", edits(CART, "sumAll"))])
}

fn rename(agent: &mut Agent, more: &Value) -> Answer {
    let mut edit = json!({ "symbol": "total", "op": "rename", "newText": "sumAll" });
    for (name, value) in more.as_object().expect("members") {
        edit[name] = value.clone();
    }
    agent.call("editd/edit", json!({ "path": "shop.ts", "edits": [edit] }))
}

fn texts(workspace: &Workspace) -> [String; 3] {
    ["shop.ts", "cart.ts", "other.yaml"].map(|name| workspace.text(name))
}

fn renamed() -> [String; 3] {
    [SHOP.replace("total", "sumAll"), CART.replace("total", "sumAll"), OTHER.to_owned()]
}

/// Only the declaration, as the syntax tree shows it.
fn by_tree() -> [String; 3] {
    [SHOP.replace("total", "sumAll"), CART.to_owned(), OTHER.to_owned()]
}

#[track_caller]
fn is_by(done: &Value, expected: &Value) {
    for file in done["files"].as_array().expect("files") {
        assert_eq!(file["matches"][0]["by"], *expected, "{file}");
        assert_eq!(file["matches"][0]["strategy"], "symbol", "{file}");
    }
}

#[test]
fn the_server_of_an_editor_renames_open_and_closed_files() {
    let (machine, workspace, editor) = scene();
    let uri = editor.open(&workspace, "shop.ts");
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let done = rename(&mut agent, &json!({})).done();
    is_by(&done, &"language server".into());
    assert_eq!(texts(&workspace), renamed());
    assert_eq!(editor.text(&uri), renamed()[0]);
    let asked = editor.requests("editd/rename");
    assert_eq!(
        asked,
        [
            json!({ "uri": uri, "position": { "line": 0, "character": 16 }, "positionEncoding": "utf-16", "newName": "sumAll" })
        ]
    );
    let left = "left `total` elsewhere: other.yaml:1\"";
    assert!(done["files"].to_string().contains(left), "{done}");
    assert_eq!(agent.history().len(), 1);
    agent.undo().done();
    assert_eq!(texts(&workspace), [SHOP, CART, OTHER].map(str::to_owned));
    assert_eq!(editor.text(&uri), SHOP);
}

#[test]
fn unsaved_documents_are_renamed_in_their_editor() {
    let (machine, workspace, editor) = scene();
    let (shop, cart) = (editor.open(&workspace, "shop.ts"), editor.open(&workspace, "cart.ts"));
    editor.type_at_start(&cart, "// é\n");
    let unsaved = format!("// é\n{CART}");
    editor.rename_with(answer(
        &workspace,
        &[("shop.ts", edits(SHOP, "sumAll")), ("cart.ts", edits(&unsaved, "sumAll"))],
    ));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({})).done(), &"language server".into());
    assert_eq!(editor.text(&cart), unsaved.replace("total", "sumAll"));
    assert_eq!(workspace.text("cart.ts"), CART, "unsaved text stays unsaved");
    assert_eq!(editor.text(&shop), renamed()[0]);
}

#[test]
fn an_editor_that_has_not_opened_the_file_is_asked_too() {
    let (machine, workspace, editor) = scene();
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({})).done(), &"language server".into());
    assert_eq!(texts(&workspace), renamed());
}

#[test]
fn positions_may_be_in_another_unit() {
    let (machine, workspace, editor) = scene();
    let mut whole = whole(&workspace);
    // The place behind `é` and `😀`, in bytes.
    for (index, shift) in [(0, 2), (1, 4)] {
        for end in ["start", "end"] {
            let at = &mut whole["files"][1]["edits"][index]["range"][end]["character"];
            *at = (at.as_u64().expect("a number") + shift).into();
        }
    }
    whole["positionEncoding"] = "utf-8".into();
    editor.rename_with(whole);
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({})).done(), &"language server".into());
    assert_eq!(texts(&workspace), renamed());
}

#[test]
fn a_value_and_its_key_are_renamed_apart() {
    let (machine, workspace, editor) = scene();
    editor.rename_with(answer(
        &workspace,
        &[("shop.ts", edits(SHOP, "sumAll")), ("cart.ts", edits(CART, "total: sumAll"))],
    ));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({})).done(), &"language server".into());
    assert_eq!(workspace.text("cart.ts"), CART.replace("total", "total: sumAll"));
}

#[rstest]
#[case::none(Value::Null)]
#[case::not_an_answer(json!({ "files": 7 }))]
#[case::no_edits(json!({ "files": [] }))]
#[case::another_text(json!({ "files": [{ "uri": "SHOP", "edits": [{ "range": { "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 8 } }, "newText": "sumAll" }] }] }))]
#[case::not_the_declaration(json!({ "files": [{ "uri": "CART", "edits": edits(CART, "sumAll") }] }))]
#[case::another_name(json!({ "files": [{ "uri": "SHOP", "edits": edits(SHOP, "sumAllOfThem") }] }))]
#[case::overlapping(json!({ "files": [{ "uri": "SHOP", "edits": [edits(SHOP, "sumAll")[0], edits(SHOP, "x sumAll")[0]] }] }))]
#[case::one_file_twice(json!({ "files": [{ "uri": "SHOP", "edits": edits(SHOP, "sumAll") }, { "uri": "SHOP", "edits": edits(SHOP, "sumAll") }] }))]
fn without_a_usable_answer_the_syntax_tree_renames(#[case] answer: Value) {
    let (machine, workspace, editor) = scene();
    let uri = |name: &str| uri_of(&workspace.path(name));
    let answer = answer.to_string().replace("SHOP", &uri("shop.ts")).replace("CART", &uri("cart.ts"));
    editor.rename_with(serde_json::from_str(&answer).expect("JSON"));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let done = rename(&mut agent, &json!({})).done();
    is_by(&done, &Value::Null);
    assert_eq!(texts(&workspace), by_tree());
    assert_eq!(editor.requests("editd/rename").len(), 1);
}

/// A server that loads a project knows only a part of it.
#[test]
fn a_server_that_leaves_certain_places_is_not_used() {
    let (machine, workspace, editor) = scene();
    let text = format!("{SHOP}export const one = total(1);\n");
    workspace.put("shop.ts", &text);
    editor.rename_with(answer(&workspace, &[("shop.ts", edits(SHOP, "sumAll"))]));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({})).done(), &Value::Null);
    assert_eq!(workspace.text("shop.ts"), text.replace("total", "sumAll"));
}

#[test]
fn a_server_that_does_not_look_for_the_new_name_is_not_asked() {
    let (machine, workspace, editor) = scene();
    workspace.put("shop.ts", format!("{SHOP}const sumAll = 1;\n"));
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    rename(&mut agent, &json!({})).refused("exists");
    assert_eq!(editor.requests("editd/rename").len(), 0);
}

#[test]
fn a_reason_is_passed_on_as_a_warning() {
    let (machine, workspace, editor) = scene();
    editor.rename_with(json!({ "files": [], "reason": "it would also rename files" }));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let done = rename(&mut agent, &json!({})).done();
    is_by(&done, &Value::Null);
    assert!(done["files"][0]["warnings"].to_string().contains("it would also rename files"), "{done}");
    assert_eq!(texts(&workspace), by_tree());
}

#[test]
fn a_late_answer_is_not_waited_for() {
    let (machine, workspace, editor) = scene();
    editor.rename_with(whole(&workspace));
    editor.on_rename(|| std::thread::sleep(Duration::from_secs(5)));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({})).done(), &Value::Null);
    assert_eq!(texts(&workspace), by_tree());
}

#[rstest]
#[case::outside("../outside.ts", "outside_workspace")]
#[case::protected(".env", "protected")]
fn a_file_that_may_not_be_changed_refuses_all(#[case] name: &str, #[case] kind: &str) {
    let (machine, workspace, editor) = scene();
    let path = workspace.path(".").join(name);
    if !path.exists() {
        std::fs::write(&path, "total\n").expect("a file");
    }
    let path = path.canonicalize().expect("a path");
    let mut answer = whole(&workspace);
    let more = json!({ "uri": uri_of(&path), "edits": edits("total=1\n", "sumAll") });
    answer["files"].as_array_mut().expect("files").push(more);
    editor.rename_with(answer);
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let refused = rename(&mut agent, &json!({})).refused(kind);
    assert_eq!(refused["path"], path.to_str().expect("a path"), "{refused}");
    assert_eq!(texts(&workspace), [SHOP, CART, OTHER].map(str::to_owned));
}

#[test]
fn the_declaration_must_have_been_read() {
    let (machine, workspace, editor) = scene();
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    rename(&mut agent, &json!({})).refused("unread");
    assert_eq!(texts(&workspace), [SHOP, CART, OTHER].map(str::to_owned));
    assert_eq!(editor.requests("editd/rename").len(), 0);
}

#[test]
fn files_that_others_have_changed_refuse_all() {
    let (machine, workspace, editor) = scene();
    let changed = format!("// new\n{CART}");
    editor.rename_with(answer(
        &workspace,
        &[("shop.ts", edits(SHOP, "sumAll")), ("cart.ts", edits(&changed, "sumAll"))],
    ));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["shop.ts", "cart.ts"]);
    workspace.put("cart.ts", &changed);
    let refused = rename(&mut agent, &json!({})).refused("stale");
    assert_eq!(refused["path"], workspace.absolute("cart.ts"), "{refused}");
    assert_eq!(workspace.text("shop.ts"), SHOP);
}

#[rstest]
#[case::right(json!({ "glob": "*.ts", "expect": 3 }), "")]
#[case::without_a_number(json!({ "glob": "*.ts" }), "")]
#[case::wrong_number(json!({ "glob": "*.ts", "expect": 2 }), "count_mismatch")]
fn a_glob_goes_with_a_server(#[case] more: Value, #[case] refused: &str) {
    let (machine, workspace, editor) = scene();
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let answer = rename(&mut agent, &more);
    if refused.is_empty() {
        is_by(&answer.done(), &"language server".into());
        assert_eq!(texts(&workspace), renamed());
    } else {
        assert_eq!(answer.refused(refused)["found"], 3);
        assert_eq!(texts(&workspace), [SHOP, CART, OTHER].map(str::to_owned));
    }
}

#[test]
fn a_glob_that_excludes_files_of_the_server_means_the_syntax_tree() {
    let (machine, workspace, editor) = scene();
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let done = rename(&mut agent, &json!({ "glob": "s*.ts" })).done();
    is_by(&done, &Value::Null);
    assert!(done["files"].to_string().contains("cart.ts, which the glob excludes"), "{done}");
    assert_eq!(texts(&workspace), by_tree());
}

#[test]
fn comments_are_renamed_by_the_syntax_tree() {
    let (machine, workspace, editor) = scene();
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({ "comments": true })).done(), &Value::Null);
    assert_eq!(editor.requests("editd/rename").len(), 0);
}

#[test]
fn an_editor_that_does_not_announce_it_is_not_asked() {
    let workspace = Workspace::with(&[("shop.ts", SHOP), ("cart.ts", CART), ("other.yaml", OTHER)]);
    let machine = Machine::start();
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    editor.open(&workspace, "shop.ts");
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    is_by(&rename(&mut agent, &json!({})).done(), &Value::Null);
    assert_eq!(editor.requests("editd/rename").len(), 0);
}

#[test]
fn one_review_decides_about_the_files_of_a_server() {
    let (_, workspace, _) = scene();
    let machine = Machine::configured("review = \"always\"\n");
    let editor = renaming(&machine, &workspace, "editor", "utf-16");
    editor.rename_with(whole(&workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let pending = rename(&mut agent, &json!({})).done();
    assert_eq!((&pending["state"], pending["files"].as_array().map(Vec::len)), (&json!("pending"), Some(2)));
    is_by(&pending, &"language server".into());
    assert_eq!(texts(&workspace), [SHOP, CART, OTHER].map(str::to_owned));
}
