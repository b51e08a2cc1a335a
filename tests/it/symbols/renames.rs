//! Renames of symbols with their uses.

use rstest::rstest;
use serde_json::{Value, json};

use super::edits::edit;
use crate::support::{Machine, Mcp, Outcome, Workspace};

const CODE: &str = "\
class Cart:
    \"\"\"A cart with a total.\"\"\"

    def total(self):
        return self.rate * 2


def total(items):
    return sum(items)


def main(total_of=total):
    total = 3
    return total


print(total([1]), Cart().total())  # the total
";

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("cart.py", CODE))
}

fn renamed() -> String {
    CODE.replace("def total(items)", "def sum_of(items)")
        .replace("total_of=total", "total_of=sum_of")
        .replace("print(total(", "print(sum_of(")
}

fn warnings(answer: &Value) -> String {
    answer["files"][0]["warnings"].to_string()
}

#[test]
fn a_symbol_is_renamed_with_its_uses_and_the_others_are_listed() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let wanted = json!({ "symbol": "total@8", "op": "rename", "newText": "sum_of" });
    let propose = json!({ "path": "cart.py", "edits": [wanted] });
    let proposed = agent.call("editd/propose", propose).done();
    assert_eq!(workspace.text("cart.py"), CODE);
    assert!(warnings(&proposed).contains("renamed `total` to `sum_of` in 3 places"), "{proposed}");
    let done = edit(&mut agent, wanted).done();
    assert_eq!(workspace.text("cart.py"), renamed());
    assert_eq!(done["files"][0]["matches"][0]["replacements"], 3);
    let warnings = warnings(&done);
    for expected in [
        "renamed `total` to `sum_of` in 3 places of cart.py, lines 8, 12, 17; left lines 13, 14 (another declaration)",
        "lines 4, 17 (perhaps another member)",
        "lines 2, 17 (comment or string)",
    ] {
        assert!(warnings.contains(expected), "{expected}: {warnings}");
    }
    agent.undo().done();
    assert_eq!(workspace.text("cart.py"), CODE);
}

#[test]
fn comments_and_strings_are_renamed_on_request() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let wanted = json!({ "symbol": "total@8", "op": "rename", "newText": "sum_of", "comments": true });
    edit(&mut agent, wanted).done();
    let expected = renamed().replace("a total.", "a sum_of.").replace("the total", "the sum_of");
    assert_eq!(workspace.text("cart.py"), expected);
    let body = json!({ "symbol": "main", "op": "body", "newText": "pass", "comments": true });
    edit(&mut agent, body).invalid("edits[0].comments");
}

/// Only the line with the declaration must have been read.
#[test]
fn lines_of_uses_need_not_have_been_read() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let wanted = || json!({ "symbol": "total@8", "op": "rename", "newText": "sum_of" });
    agent.call("editd/read", json!({ "path": "cart.py", "offset": 1, "limit": 2 })).done();
    edit(&mut agent, wanted()).refused("unread");
    agent.call("editd/read", json!({ "path": "cart.py", "offset": 8, "limit": 1 })).done();
    edit(&mut agent, wanted()).done();
    assert_eq!(workspace.text("cart.py"), renamed());
}

#[test]
fn a_rename_goes_with_other_edits_of_a_call() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let edits = json!([
        { "symbol": "total@8", "op": "rename", "newText": "sum_of" },
        { "after": 0, "newText": "# Carts." },
        { "oldText": "self.rate * 2", "newText": "self.rate" },
    ]);
    let done = agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits })).done();
    assert_eq!(workspace.text("cart.py"), format!("# Carts.\n{}", renamed().replace(" * 2", "")));
    assert!(warnings(&done).contains("lines 9, 13, 18"), "lines of the result: {done}");
}

/// A change of others may have added uses.
#[test]
fn a_rename_in_a_file_that_others_have_changed_is_stale() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    workspace.put("cart.py", format!("{CODE}print(total([2]))\n"));
    let wanted = json!({ "symbol": "total@8", "op": "rename", "newText": "sum_of" });
    edit(&mut agent, wanted.clone()).refused("stale");
    let merged = json!({ "path": "cart.py", "edits": [wanted], "onStale": "rebase" });
    agent.read("cart.py");
    workspace.put("cart.py", format!("{CODE}print(total([2]))\nprint(total([3]))\n"));
    let done = agent.call("editd/edit", merged).done();
    assert!(warnings(&done).contains("19"), "the added use is listed: {done}");
}

#[rstest]
#[case::taken("total@8", "main", "exists", "line 12")]
#[case::keyword("total@8", "class", "syntax", "a keyword")]
#[case::no_name("total@8", "a b", "syntax", "not a name")]
#[case::member_of_others("Cart.total", "rate", "exists", "line 5")]
fn a_rename_that_would_do_damage_changes_nothing(
    #[case] symbol: &str,
    #[case] new: &str,
    #[case] kind: &str,
    #[case] reason: &str,
) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let wanted = json!({ "symbol": symbol, "op": "rename", "newText": new });
    let refused = edit(&mut agent, wanted).refused(kind);
    assert!(refused.to_string().contains(reason), "{refused}");
    assert_eq!(workspace.text("cart.py"), CODE);
}

#[rstest]
#[case::json("a.json", "{\"a\": 1}\n", "a")]
#[case::markdown("a.md", "# a\n\ntext\n", "a")]
#[case::css("a.css", ".a { color: red }\n", ".a")]
fn a_language_without_uses_is_refused(#[case] file: &str, #[case] text: &str, #[case] symbol: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file(file, text));
    let mut agent = machine.agent(&workspace);
    agent.read(file);
    let edits = json!([{ "symbol": symbol, "op": "rename", "newText": "b" }]);
    let refused = agent.call("editd/edit", json!({ "path": file, "edits": edits })).refused("syntax");
    assert!(refused.to_string().contains("cannot be known"), "{refused}");
    assert_eq!(workspace.text(file), text);
}

#[rstest]
#[case::overloads(
    "a.ts",
    "function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any) {\n  return a;\n}\nexport const b = f(1);\n",
    "f"
)]
#[case::methods(
    "A.java",
    "class A {\n    int f() { return f(1); }\n\n    int f(int a) { return a; }\n}\n",
    "A.f"
)]
#[case::prototype(
    "a.c",
    "int f(int a);\n\nint main(void) { return f(1); }\n\nint f(int a) { return a; }\n",
    "f"
)]
fn a_rename_of_overloads_renames_all_of_them(#[case] file: &str, #[case] text: &str, #[case] symbol: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file(file, text));
    let mut agent = machine.agent(&workspace);
    agent.read(file);
    let edits = json!([{ "symbol": symbol, "op": "rename", "newText": "parse" }]);
    agent.call("editd/edit", json!({ "path": file, "edits": edits })).done();
    assert_eq!(workspace.text(file), text.replace("f(", "parse("));
}

#[test]
fn a_name_of_a_type_and_a_value_is_ambiguous() {
    let text = "interface Shape { a: number }\nconst Shape = 1;\nconst b: Shape = { a: Shape };\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ts", text));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ts");
    let edits = json!([{ "symbol": "Shape", "op": "rename", "newText": "Figure" }]);
    agent.call("editd/edit", json!({ "path": "a.ts", "edits": edits })).refused("ambiguous");
    assert_eq!(workspace.text("a.ts"), text);
}

#[test]
fn a_rename_through_the_tools_is_brief() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "cart.py" })).done();
    let edits = json!([{ "symbol": "total@8", "op": "rename", "newText": "sum_of" }]);
    let done = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).done();
    assert_eq!(workspace.text("cart.py"), renamed());
    assert!(done.text.contains("in 3 places of cart.py, lines 8, 12, 17"), "{}", done.text);
    assert!(done.text.contains("; left lines 13, 14 (another declaration), "), "{}", done.text);
    assert!(done.text.len() <= 600, "{} bytes: {}", done.text.len(), done.text);
    let edits = json!([{ "symbol": "sum_of", "op": "rename", "newText": "main" }]);
    let refused = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).refused("exists");
    assert!(refused.text.contains("Choose another name"), "{}", refused.text);
}

#[test]
fn the_command_renames() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("cart.py");
    let output = machine.run(&["rename", &path, "total@8", "sum_of", "--yes"]);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{notes}");
    assert_eq!(workspace.text("cart.py"), renamed());
    assert!(notes.contains("renamed `total` to `sum_of` in 3 places of cart.py, lines 8, 12, 17"), "{notes}");
    let output = machine.run(&["rename", &path, "sum_of", "total", "--yes", "--comments"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workspace.text("cart.py"), CODE);
    let output = machine.run(&["rename", &path, "total@8", "main", "--yes"]);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.contains("declared or used already in line 12"), "{notes}");
    assert!(notes.contains("Choose another name"), "{notes}");
}
