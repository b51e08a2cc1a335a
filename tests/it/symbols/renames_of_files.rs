//! Renames of symbols with their uses in other files.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Mcp, Outcome, Workspace};

const NAMES: [&str; 6] =
    ["src/shop.ts", "src/index.ts", "src/cart.ts", "test/cart.test.ts", "src/own.ts", "README.md"];

const TEXTS: [&str; 6] = [
    "export function total(x: number) {\n  return x;\n}\nexport const twice = total(2);\n",
    "export { total } from './shop';\n",
    "import { total } from './shop';\n\nexport function price(x: number) {\n  return total(x) + x.total; // total\n}\n",
    "import { total } from '../src';\nexpect(total(1)).toBe(1);\n",
    "export function total() {}\n",
    "Call total.\n",
];

fn scene() -> (Machine, Workspace) {
    let files: Vec<(&str, &str)> = NAMES.into_iter().zip(TEXTS).collect();
    (Machine::start(), Workspace::with(&files))
}

fn texts(workspace: &Workspace) -> [String; 6] {
    NAMES.map(|name| workspace.text(name))
}

fn renamed() -> [String; 6] {
    let mut after = TEXTS.map(|text| text.replace("total", "sumAll"));
    after[2] = after[2].replace("x.sumAll; // sumAll", "x.total; // total");
    TEXTS[4].clone_into(&mut after[4]);
    TEXTS[5].clone_into(&mut after[5]);
    after
}

/// Number of the places that are renamed.
const PLACES: usize = 7;

fn rename(agent: &mut Agent, more: &Value) -> Answer {
    let mut edit = json!({ "symbol": "total", "op": "rename", "newText": "sumAll", "glob": "**/*" });
    for (name, value) in more.as_object().expect("members") {
        edit[name] = value.clone();
    }
    agent.call("editd/edit", json!({ "path": "src/shop.ts", "edits": [edit] }))
}

#[test]
fn a_symbol_is_renamed_in_all_files_that_import_it() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    let done = rename(&mut agent, &json!({ "expect": PLACES })).done();
    assert_eq!(texts(&workspace), renamed());
    assert_eq!(done["files"].as_array().map(Vec::len), Some(4), "{done}");
    let all = done["files"].to_string();
    for expected in [
        "renamed `total` to `sumAll` in 2 places of src/shop.ts, lines 1, 4",
        "left `total` elsewhere: ",
        "src/own.ts:1 (another declaration)",
        "README.md:1 (another language)",
        "renamed `total` to `sumAll` in 2 places of src/cart.ts, lines 1, 4; left line 4 (perhaps another member), line 4 (comment or string)",
    ] {
        assert!(all.contains(expected), "{expected}: {all}");
    }
    assert_eq!(agent.history().len(), 1);
    agent.undo().done();
    assert_eq!(texts(&workspace), TEXTS);
}

#[test]
fn files_that_were_not_read_need_the_right_number_of_places() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    // The declaration must have been read in any case.
    rename(&mut agent, &json!({ "expect": PLACES })).refused("unread");
    agent.read("src/shop.ts");
    let refused = rename(&mut agent, &json!({})).refused("unread");
    assert_eq!(refused["found"], PLACES, "{refused}");
    let refused = rename(&mut agent, &json!({ "expect": 3 })).refused("count_mismatch");
    assert_eq!(refused["found"], PLACES, "{refused}");
    assert_eq!(texts(&workspace), TEXTS);
    agent.read_all(&["src/index.ts", "src/cart.ts", "test/cart.test.ts"]);
    rename(&mut agent, &json!({})).done();
    assert_eq!(texts(&workspace), renamed());
}

#[test]
fn lines_that_were_not_shown_are_refused_or_shown_by_a_search() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["src/shop.ts", "src/index.ts", "test/cart.test.ts"]);
    agent.call("editd/read", json!({ "path": "src/cart.ts", "offset": 1, "limit": 1 })).done();
    let refused = rename(&mut agent, &json!({})).refused("unread");
    assert!(refused.to_string().contains("src/cart.ts"), "{refused}");
    assert_eq!(texts(&workspace), TEXTS);
    agent.call("editd/search", json!({ "pattern": "total" })).done();
    rename(&mut agent, &json!({})).done();
    assert_eq!(texts(&workspace), renamed());
}

#[test]
fn the_glob_limits_the_files() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    rename(&mut agent, &json!({ "glob": "src/c*.ts", "expect": 4 })).done();
    assert_eq!(workspace.text("src/cart.ts"), renamed()[2]);
    assert_eq!(workspace.text("src/index.ts"), TEXTS[1]);
    assert_eq!(workspace.text("src/shop.ts"), renamed()[0]);
}

#[rstest]
#[case::not_a_rename(json!({ "op": "rename_here" }), "invalid_params")]
#[case::no_file(json!({ "glob": "*.rs" }), "not_found")]
#[case::not_a_glob(json!({ "glob": "[" }), "invalid_params")]
#[case::no_places(json!({ "expect": 0 }), "invalid_params")]
#[case::unknown(json!({ "symbol": "nothing" }), "not_found")]
#[case::taken(json!({ "newText": "price", "expect": PLACES }), "exists")]
#[case::keyword(json!({ "newText": "class", "expect": PLACES }), "syntax")]
fn a_bad_rename_changes_no_file(#[case] request: Value, #[case] name: &str) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    let refused = rename(&mut agent, &request).refused(name);
    if name == "exists" {
        assert_eq!(refused["path"], workspace.absolute("src/cart.ts"), "{refused}");
    }
    assert_eq!(texts(&workspace), TEXTS);
}

#[test]
fn a_file_that_others_have_changed_refuses_all() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["src/shop.ts", "src/index.ts", "src/cart.ts", "test/cart.test.ts"]);
    workspace.put("src/cart.ts", format!("{}total(3);\n", TEXTS[2]));
    let refused = rename(&mut agent, &json!({})).refused("stale");
    assert_eq!(refused["path"], workspace.absolute("src/cart.ts"));
    assert_eq!(workspace.text("src/shop.ts"), TEXTS[0]);
}

#[test]
fn one_review_decides_about_all_files() {
    let (_, workspace) = scene();
    let machine = Machine::configured("review = \"always\"\n");
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    let pending = rename(&mut agent, &json!({ "expect": PLACES })).done();
    assert_eq!(pending["state"], "pending", "{pending}");
    assert_eq!(pending["files"].as_array().map(Vec::len), Some(4), "{pending}");
    assert_eq!(texts(&workspace), TEXTS);
}

#[test]
fn comments_are_renamed_beside_uses_on_request() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    rename(&mut agent, &json!({ "expect": PLACES + 1, "comments": true })).done();
    assert_eq!(workspace.text("src/cart.ts"), renamed()[2].replace("// total", "// sumAll"));
    assert_eq!(workspace.text("README.md"), TEXTS[5]);
}

#[test]
fn files_that_may_not_be_read_are_counted() {
    let (machine, workspace) = scene();
    workspace.put(".env", "total=1\n");
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    let done = rename(&mut agent, &json!({ "expect": PLACES })).done();
    assert!(done["files"].to_string().contains("1 file that may not be read"), "{done}");
    assert_eq!(workspace.text(".env"), "total=1\n");
}

#[test]
fn a_model_renames_in_all_files() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "src/shop.ts" })).done();
    let mut edit = json!({ "symbol": "total", "op": "rename", "newText": "sumAll", "glob": "**/*.ts" });
    let refused = mcp.call("edit", json!({ "path": "src/shop.ts", "edits": [edit] })).refused("unread");
    assert!(refused.text.contains("`expect` with 7"), "{}", refused.text);
    edit["expect"] = PLACES.into();
    mcp.call("edit", json!({ "path": "src/shop.ts", "edits": [edit] })).done();
    assert_eq!(texts(&workspace), renamed());
}

#[test]
fn the_command_renames_in_all_files() {
    let (machine, workspace) = scene();
    // The root is that of the repository.
    workspace.put(".git/HEAD", "ref: refs/heads/main\n");
    let path = workspace.absolute("src/shop.ts");
    let output =
        machine.run(&["rename", &path, "total", "sumAll", "--glob", "**/*.ts", "--yes", "--expect", "3"]);
    assert!(!output.status.success());
    assert_eq!(texts(&workspace), TEXTS);
    let output = machine.run(&["rename", &path, "total", "sumAll", "--glob", "**/*.ts", "--yes"]);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{notes}");
    assert_eq!(texts(&workspace), renamed());
    assert!(notes.contains("src/own.ts:1 (another declaration)"), "{notes}");
}

#[rstest]
#[case::with_its_uses("rename")]
#[case::without("rename_here")]
fn a_rename_in_one_file_lists_the_name_in_others(#[case] op: &str) {
    let (machine, workspace) = scene();
    workspace.put(".env", "total=1\n");
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    let edits = json!([{ "symbol": "total", "op": op, "newText": "sumAll" }]);
    let done = agent.call("editd/edit", json!({ "path": "src/shop.ts", "edits": edits })).done();
    let warnings = done["files"][0]["warnings"].as_array().expect("warnings");
    let listed = "`total` is also in other files, where nothing was renamed: README.md:1, src/cart.ts:1, src/cart.ts:4, \
        src/index.ts:1, src/own.ts:1, test/cart.test.ts:1, test/cart.test.ts:2; a rename with `glob` includes them";
    assert!(warnings.contains(&json!(listed)), "{done}");
    let mut after = TEXTS.map(str::to_owned);
    after[0] = workspace.text("src/shop.ts");
    assert_eq!(texts(&workspace), after);
}

#[test]
fn a_rename_of_a_name_that_only_its_file_has_lists_nothing() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("src/shop.ts");
    let edits = json!([{ "symbol": "twice", "op": "rename", "newText": "double" }]);
    let done = agent.call("editd/edit", json!({ "path": "src/shop.ts", "edits": edits })).done();
    assert!(!done["files"][0]["warnings"].to_string().contains("other files"), "{done}");
}

#[test]
fn a_long_list_of_other_places_is_cut() {
    let (machine, workspace) = scene();
    workspace.put("many.md", "total\n".repeat(40));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "src/shop.ts" })).done();
    let edits = json!([{ "symbol": "total", "op": "rename", "newText": "sumAll" }]);
    let done = mcp.call("edit", json!({ "path": "src/shop.ts", "edits": edits })).done();
    assert!(
        done.text.contains("many.md:19 and 27 more lines; a rename with `glob` includes them"),
        "{}",
        done.text
    );
}
