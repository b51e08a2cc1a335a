//! No request widens what its connection may do.

use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace, uri_of};

/// What an agent that was talked into it might ask for.
const WISHES: [&str; 10] =
    ["root", "roots", "role", "force", "policy", "author", "review", "hardLinks", "limits", "session"];

/// Parameters with which each method works, so that only what is added can be wrong.
fn params_of(method: &str) -> Value {
    match method {
        "editd/read" | "editd/blame" => json!({ "path": "a.txt" }),
        "editd/propose" | "editd/edit" => json!({ "path": "a.txt", "oldText": "one", "newText": "two" }),
        "editd/apply" | "editd/discard" | "editd/proposal" => json!({ "id": "p1" }),
        _ => json!({}),
    }
}

/// `review` is a field of those that apply; it asks for more, not for less. `session` leaves out the transactions of
/// others.
fn is_known(method: &str, wish: &str) -> bool {
    match wish {
        "review" => ["editd/edit", "editd/apply", "editd/undo"].contains(&method),
        "session" => method == "editd/history",
        _ => false,
    }
}

#[test]
fn no_method_takes_a_field_that_would_widen_anything() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = Agent::connect(&machine, Framing::Lines);
    let introduced = agent.initialize(workspace.session("alice")).done();
    agent.read("a.txt");
    let methods = introduced["capabilities"]["experimental"]["editd"]["methods"].as_array().expect("a list");
    assert!(methods.len() >= 12, "{methods:?}");
    for method in methods.iter().map(|method| method.as_str().expect("a name")) {
        for wish in WISHES.into_iter().filter(|wish| !is_known(method, wish)) {
            for value in [json!("editor"), json!(true), json!(["/"])] {
                let mut params = params_of(method);
                params[wish] = value;
                agent.call(method, params).invalid(wish);
            }
        }
    }
    assert_eq!(workspace.everything().len(), 1);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn no_change_and_no_edit_in_a_call_takes_one_either() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for wish in WISHES {
        let mut edit = json!({ "oldText": "one", "newText": "two" });
        let mut change = json!({ "kind": "edit", "path": "a.txt", "edits": [edit] });
        change[wish] = json!(true);
        agent.change(change).invalid(wish);
        edit[wish] = json!(true);
        agent.change(json!({ "kind": "edit", "path": "a.txt", "edits": [edit] })).invalid(wish);
        for kind in ["write", "delete", "rename"] {
            let mut change = json!({ "kind": kind, "path": "a.txt" });
            change[wish] = json!(true);
            agent.change(change).fails(-32602);
        }
    }
    assert_eq!(workspace.everything().len(), 1);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn what_initialize_says_of_roles_and_rights_is_not_heard() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    std::fs::write(workspace.outside("secret.txt"), "one\n").expect("a file");
    let outside = workspace.outside("secret.txt");
    let outside = outside.to_str().expect("text");
    let mut session = workspace.session("alice");
    for wish in WISHES {
        session[wish] = json!("editor");
        session["clientInfo"][wish] = json!("editor");
    }
    session["initializationOptions"] = json!({ "role": "editor", "roots": ["/"], "force": true });
    session["capabilities"] = json!({ "experimental": { "editd": { "role": "editor", "review": true } } });
    let mut agent = machine.agent_with(session);
    agent.call("editd/shutdown", json!({})).refused("not_permitted");
    agent.try_read(outside).refused("outside_workspace");
    // Nor is a second one, nor what editors say when a folder is added.
    let parent = uri_of(workspace.root().parent().expect("a folder"));
    let wider = json!({ "workspaceFolders": [{ "uri": parent, "name": "all" }], "capabilities": {} });
    assert!(agent.call("initialize", wider).is_err());
    let added = json!({ "event": { "added": [{ "uri": parent, "name": "all" }], "removed": [] } });
    agent.notify("workspace/didChangeWorkspaceFolders", added);
    agent.try_read(outside).refused("outside_workspace");
    agent.read("a.txt");
}
