//! Offers of what a refused edit probably means, which its author accepts by an id.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Mcp, Outcome, Workspace};

const TEXT: &str = "def render(self, names):
    found = self.find(names)
    if not found:
        raise KeyError(names)
    template_rendered.send(self, names=names)
    return found


def find(self, names):
    return [name for name in names if name in self.cache]
";

/// The lines of the file with a wrong word in the second one.
const OLD: &str = "    if not found:
        raise LookupError(names)
    template_rendered.send(self, names=names)
";

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("a.py", TEXT))
}

fn new() -> String {
    OLD.replace("    template", "    log(names)\n    template")
}

fn wanted() -> String {
    TEXT.replace("    template", "    log(names)\n    template")
}

/// Sends an edit that has no match, and returns the refusal with its id.
fn offered(agent: &mut Agent, path: &str) -> (Value, String) {
    let refusal = agent.edit(path, OLD, &new()).refused("not_found");
    let id = id(&refusal);
    (refusal, id)
}

fn id(refusal: &Value) -> String {
    refusal["offer"].as_str().unwrap_or_else(|| panic!("an offer in {refusal}")).to_owned()
}

fn accept(agent: &mut Agent, id: &str, mut more: Value) -> Answer {
    more["accept"] = id.into();
    agent.call("editd/edit", more)
}

#[test]
fn an_offer_is_shown_and_made_when_it_is_accepted() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let (refusal, id) = offered(&mut agent, "a.py");
    let diff = "@@ -2,6 +2,7 @@
     found = self.find(names)
     if not found:
         raise KeyError(names)
+    log(names)
     template_rendered.send(self, names=names)
     return found
 
";
    assert_eq!(refusal["offerDiff"], diff);
    assert!(refusal["hint"].to_string().contains(&format!("accept: \\\"{id}\\\"")), "{refusal}");
    assert_eq!(workspace.text("a.py"), TEXT);
    let done = accept(&mut agent, &id, json!({})).done();
    assert_eq!(workspace.text("a.py"), wanted());
    assert!(done["files"][0]["diff"].to_string().contains("+    log(names)"), "{done}");
    // The id is used up.
    let again = accept(&mut agent, &id, json!({})).refused("missing");
    assert!(again["hint"].to_string().contains("Send the whole change"), "{again}");
    assert_eq!(workspace.text("a.py"), wanted());
}

#[test]
fn nothing_is_made_when_the_file_has_changed_since() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let (_, id) = offered(&mut agent, "a.py");
    let other = format!("import os\n{TEXT}");
    workspace.put("a.py", &other);
    accept(&mut agent, &id, json!({})).refused("stale");
    assert_eq!(workspace.text("a.py"), other);
    // Nor after a change of its own.
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let (_, id) = offered(&mut agent, "a.py");
    agent.edit("a.py", "return found", "return sorted(found)").done();
    accept(&mut agent, &id, json!({})).refused("stale");
    assert_eq!(workspace.text("a.py"), TEXT.replace("return found", "return sorted(found)"));
}

#[test]
fn an_offer_belongs_to_its_session() {
    let (machine, workspace) = scene();
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent(&workspace));
    agent.read("a.py");
    other.read("a.py");
    let (_, id) = offered(&mut agent, "a.py");
    let refusal = accept(&mut other, &id, json!({})).refused("missing");
    assert!(refusal["refusals"][0]["message"].to_string().contains("There is no offer"), "{refusal}");
    accept(&mut other, "o999", json!({})).refused("missing");
    assert_eq!(workspace.text("a.py"), TEXT);
    accept(&mut agent, &id, json!({})).done();
}

#[test]
fn an_acceptance_takes_nothing_that_changes_what_is_made() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let (_, id) = offered(&mut agent, "a.py");
    for (name, value) in [
        ("newText", json!("x")),
        ("edits", json!([])),
        ("retry", json!("r1")),
        ("lines", json!("3")),
        ("onStale", json!("rebase")),
        ("matching", json!("exact")),
        ("requestId", json!("one")),
    ] {
        accept(&mut agent, &id, json!({ name: value })).refused("invalid_params");
    }
    agent.call("editd/edit", json!({ "retry": id })).refused("invalid_params");
    assert_eq!(workspace.text("a.py"), TEXT);
    // None of these has used the id up.
    accept(&mut agent, &id, json!({ "path": "a.py", "label": "Log" })).done();
    assert_eq!(workspace.text("a.py"), wanted());
}

#[test]
fn the_other_edits_of_the_request_are_made_with_it() {
    let (machine, workspace) = scene();
    workspace.put("b.py", TEXT);
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    agent.read("b.py");
    let change = |path: &str| {
        let others = json!({ "oldText": "return found", "newText": "return sorted(found)" });
        json!({ "kind": "edit", "path": path, "edits": [others, { "oldText": OLD, "newText": new() }] })
    };
    let refusal =
        agent.call("editd/edit", json!({ "changes": [change("a.py"), change("b.py")] })).refused("not_found");
    let all = refusal["refusals"].as_array().expect("all refusals");
    assert_eq!(all.len(), 2, "{refusal}");
    assert!(all.iter().all(|one| one["offer"] == id(&refusal) && one["offerDiff"].is_string()), "{refusal}");
    accept(&mut agent, &id(&refusal), json!({})).done();
    let wanted = wanted().replace("return found", "return sorted(found)");
    assert_eq!((workspace.text("a.py"), workspace.text("b.py")), (wanted.clone(), wanted));
}

#[rstest]
#[case::text_that_is_nowhere(json!([{ "oldText": OLD, "newText": new() }, { "oldText": "nothing of this kind", "newText": "" }]))]
#[case::exactly_or_not(json!([{ "oldText": OLD, "newText": new() }]))]
fn without_an_offer_for_each_refused_edit_there_is_none(#[case] edits: Value) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let is_one = edits.as_array().is_some_and(|edits| edits.len() == 1);
    let matching = if is_one { "exact" } else { "fuzzy" };
    let request = json!({ "path": "a.py", "edits": edits, "matching": matching });
    let refusal = agent.call("editd/edit", request).refused("not_found");
    assert_eq!((refusal.get("offer"), refusal.get("offerDiff")), (None, None), "{refusal}");
}

#[test]
fn a_change_that_is_rebased_has_no_offer() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    workspace.put("a.py", format!("import os\n{TEXT}"));
    let request = json!({ "path": "a.py", "oldText": OLD, "newText": new(), "onStale": "rebase" });
    let refusal = agent.call("editd/edit", request).refused("not_found");
    assert_eq!(refusal.get("offer"), None, "{refusal}");
}

#[test]
fn an_accepted_change_is_reviewed_like_any_other() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let request = json!({ "path": "a.py", "oldText": OLD, "newText": new(), "review": true });
    let refusal = agent.call("editd/edit", request).refused("not_found");
    let pending = accept(&mut agent, &id(&refusal), json!({ "waitMs": 0 })).done();
    assert_eq!(pending["state"], "pending");
    assert_eq!(workspace.text("a.py"), TEXT);
    let (_, id) = offered(&mut agent, "a.py");
    let proposed = agent.call("editd/propose", json!({ "accept": id })).done();
    assert_eq!(proposed["files"][0]["added"], 1, "{proposed}");
}

#[test]
fn an_offer_keeps_line_ends_and_the_byte_order_mark() {
    let windows = |text: &str| format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", windows(TEXT)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let (_, id) = offered(&mut agent, "a.py");
    accept(&mut agent, &id, json!({})).done();
    assert_eq!(workspace.text("a.py"), windows(&wanted()));
}

#[test]
fn a_model_accepts_the_offer_for_a_patch() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.py" })).done();
    let removed = OLD.lines().flat_map(|line| [" ", line, "\n"]).collect::<String>();
    let hunk = removed.replace("     template", "+    log(names)\n     template");
    let patch = format!("*** Begin Patch\n*** Update File: a.py\n@@\n{hunk}*** End Patch\n");
    let refused = mcp.call("apply_patch", json!({ "patch": patch })).refused("not_found");
    assert!(refused.text.contains("+    log(names)"), "{}", refused.text);
    assert!(!refused.text.contains("closest"), "{}", refused.text);
    let named = refused.text.split("`accept: \"").nth(1).and_then(|rest| rest.split('"').next());
    let id = named.unwrap_or_else(|| panic!("an id in {}", refused.text)).to_owned();
    assert_eq!(refused.text.matches(&id).count(), 1, "{}", refused.text);
    mcp.call("edit", json!({ "accept": id })).done();
    assert_eq!(workspace.text("a.py"), wanted());
}

/// Returns a file of functions, and edits of so many of them with a wrong word in each.
fn functions(count: usize) -> (String, Vec<Value>) {
    let function = |number: usize| {
        let name = char::from(b'a' + u8::try_from(number).unwrap_or_default()).to_string().repeat(6);
        format!("def {name}({name}_value):\n    found = {name}_value.find()\n    return found.{name}\n\n")
    };
    let edit = |number: usize| {
        let old = function(number).trim_end().replace("found = ", "founds = ");
        json!({ "oldText": old, "newText": old.replace("return found", "return not found") })
    };
    ((0..count).map(function).collect(), (0..count).map(edit).collect())
}

#[test]
fn a_model_is_offered_only_what_is_shown_whole() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    for (count, is_offered) in [(1, true), (3, true), (4, false)] {
        let (text, edits) = functions(count);
        workspace.put("b.py", &text);
        mcp.call("read", json!({ "path": "b.py" })).done();
        let refused = mcp.call("edit", json!({ "path": "b.py", "edits": edits })).refused("not_found");
        let shown = refused.text.matches("+    return not found.").count();
        assert_eq!(shown, if is_offered { count } else { 0 }, "{}", refused.text);
        assert_eq!(refused.text.contains("`accept: \""), is_offered, "{}", refused.text);
    }
    // A long line beside the change would hide it.
    workspace.put("c.py", format!("{TEXT}# {}\n", "long ".repeat(800)));
    mcp.call("read", json!({ "path": "c.py" })).done();
    let old = "def find(self, names):\n    return [name for name in names if name in self.caches]\n";
    let edit = json!({ "path": "c.py", "oldText": old, "newText": old.replace("return", "yield") });
    let refused = mcp.call("edit", edit).refused("not_found");
    assert!(!refused.text.contains("accept"), "{}", refused.text);
}

#[test]
fn an_acceptance_that_is_refused_has_no_other_id() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let (_, id) = offered(&mut agent, "a.py");
    workspace.put("a.py", format!("import os\n{TEXT}"));
    let refusal = accept(&mut agent, &id, json!({})).refused("stale");
    assert_eq!((refusal.get("retry"), refusal.get("offer")), (None, None), "{refusal}");
}
