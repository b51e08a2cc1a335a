//! Requests of the page, and the events that it receives.

use serde_json::json;

use crate::support::Outcome;

use super::scene::Page;
use crate::support::http::event;

#[test]
fn a_proposal_is_announced_shown_and_decided() {
    let mut page = Page::start();
    let token = page.session();
    let mut events = page.events(&token);
    assert_eq!(event(&mut events, "daemon", ""), json!({ "connected": true }));
    let made = page.agent.read_and_edit("a.txt", "two", "TWO").done();
    assert_eq!(made["state"], "pending", "the page is a reviewer");
    let id = made["id"].as_str().expect("an id");
    assert_eq!(event(&mut events, "proposal", id)["state"], "pending");
    let listed = page.call(&token, "editd/proposals", &json!({ "state": "pending" })).json();
    assert_eq!(listed["result"]["proposals"][0]["id"], id);
    let shown = page.call(&token, "editd/proposal", &json!({ "id": id })).json();
    assert_eq!(shown["result"]["files"][0]["hunks"][0]["newText"], "TWO\n");
    let uri = format!("editd:///{id}/proposed{}", page.workspace.absolute("a.txt"));
    let text = page.call(&token, "workspace/textDocumentContent", &json!({ "uri": uri })).json();
    assert_eq!(text["result"]["text"], "one\nTWO\nthree\n");
    let decision = json!({ "id": id, "revision": shown["result"]["revision"], "accept": ["h1"] });
    let decided = page.call(&token, "editd/decide", &decision).json();
    assert_eq!(decided["result"]["state"], "applied");
    // The daemon notifies other sessions only, so the server reports this change to its other tabs.
    assert_eq!(event(&mut events, "proposal", "applied")["id"], id);
    assert_eq!(page.workspace.text("a.txt"), "one\nTWO\nthree\n");
    let history = page.call(&token, "editd/history", &json!({})).json();
    let transaction = &history["result"]["transactions"][0]["transaction"];
    let undone = page.call(&token, "editd/undo", &json!({ "transaction": transaction })).json();
    assert_eq!(undone["result"]["state"], "applied", "{undone}");
    assert_eq!(page.workspace.text("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn refusals_are_answers() {
    let page = Page::start();
    let token = page.session();
    let answer = page.call(&token, "editd/proposal", &json!({ "id": "none" }));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["error"]["data"]["kind"], "unknown_proposal");
}

#[test]
fn methods_that_the_page_does_not_use_are_not_forwarded() {
    let mut page = Page::start();
    let token = page.session();
    for method in ["editd/shutdown", "editd/read", "editd/edit", "editd/apply", "initialize", "exit", "", "x"]
    {
        page.call(&token, method, &json!({})).is_refused(403, "Call one of the methods");
    }
    assert!(page.machine.is_serving());
    assert_eq!(page.call(&token, "editd/proposals", &json!({})).status, 200);
}

#[test]
fn other_methods_of_http_change_nothing() {
    let page = Page::start();
    let token = page.session();
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", &*bearer)];
    let call = json!({ "method": "editd/proposals" }).to_string();
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        page.request(method, "/call", &headers, &call).is_refused(405, "Use the method that the page uses");
    }
    for method in ["POST", "OPTIONS", "TRACE", "PUT"] {
        page.request(method, "/", &[], "").is_refused(405, "Use the method that the page uses");
    }
    let head = page.request("HEAD", "/", &[], "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(page.request("HEAD", "/call", &headers, "").status, 405);
    page.request("GET", "/../etc/passwd", &[], "").is_refused(404, "There is no such page");
}

#[test]
fn texts_have_colours() {
    let page = Page::start();
    let bearer = format!("Bearer {}", page.session());
    let headers = [("Authorization", &*bearer)];
    let colours = |path: &str, text: &str| {
        let body = json!({ "path": path, "text": text }).to_string();
        page.request("POST", "/colours", &headers, &body).json()["spans"].clone()
    };
    assert_eq!(colours("x.rs", "// é\nfn"), json!([0, 4, 0, 5, 2, 1]));
    assert_eq!(colours("x.unknown", "fn"), json!([]));
    assert_eq!(colours("x.py", &"x = 1\n".repeat(200_000)), json!([]));
}

#[test]
fn the_server_ends_with_an_interrupt_and_survives_the_daemon() {
    let mut page = Page::start();
    let token = page.session();
    let mut events = page.events(&token);
    event(&mut events, "daemon", "true");
    page.machine.crash();
    event(&mut events, "daemon", "false");
    let answer = page.call(&token, "editd/proposals", &json!({}));
    assert_eq!(answer.status, 503);
    assert_eq!(answer.json()["error"]["data"]["kind"], "unavailable");
    page.machine.serve();
    event(&mut events, "daemon", "true");
    assert_eq!(page.call(&token, "editd/proposals", &json!({})).status, 200);
    assert!(page.interrupt().success());
}

#[test]
fn preferences_survive_the_server() {
    let mut page = Page::start();
    let begun = page.exchange();
    assert_eq!(begun["preferences"], json!({ "layout": "split" }));
    let bearer = format!("Bearer {}", begun["token"].as_str().expect("a token"));
    let store = |page: &Page, body: &str| {
        page.request("POST", "/preferences", &[("Authorization", &bearer)], body).status
    };
    assert_eq!(store(&page, "{\"layout\":\"sideways\"}"), 400);
    assert_eq!(store(&page, "{\"layout\":\"unified\"}"), 200);
    page.restart();
    assert_eq!(store(&page, "{\"layout\":\"split\"}"), 401, "the earlier session is over");
    assert_eq!(page.exchange()["preferences"], json!({ "layout": "unified" }));
}

/// A command that must not decide reviews can read what a browser stores.
#[test]
fn the_page_does_not_store_its_token_after_a_restricted_command() {
    let mut page = Page::start();
    assert_eq!(page.exchange()["stored"], true);
    let mut command = page.machine.command(&["run", "--enforce", "--", "true"]);
    let output = command.current_dir(page.workspace.root()).output().expect("a command");
    assert!(output.status.success(), "{output:?}");
    page.restart();
    assert_eq!(page.exchange()["stored"], false);
}
