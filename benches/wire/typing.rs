//! Cost of a keystroke in an editor.

use serde_json::{Value, json};

use crate::corpus::{MB, code};
use crate::machine::Machine;
use crate::table::{Samples, millis, row, title, verdict};

const KEYS: usize = 2000;

/// Keystrokes at changing positions of a document of 10 MB that an agent has read. The notification has no
/// answer, so a small request follows it. The time of that request alone is the floor.
pub(crate) fn keys() {
    title("didChange of a document of 10 MB, and a following request");
    let machine = Machine::start();
    let text = code(10 * MB);
    let path = machine.put("large.rs", &text);
    let mut agent = machine.client();
    agent.call("editd/read", &json!({ "path": path }));
    let mut editor = machine.editor();
    let uri = format!("file://{}", path.display());
    let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": text });
    editor.send(&notification("textDocument/didOpen", &json!({ "textDocument": item })));
    editor.call("editd/status", &json!({}));
    let lines = text.lines().count();
    let (mut alone, mut with_key) = (Samples::default(), Samples::default());
    for key in 0..KEYS {
        let request = editor.request("editd/status", &json!({}));
        alone.time(|| editor.exchange(&request));
        let mut both = notification("textDocument/didChange", &change(&uri, key, key * 7919 % lines));
        both.extend(editor.request("editd/status", &json!({})));
        with_key.time(|| editor.exchange(&both));
    }
    row("request alone", &alone);
    row("a key and the request", &with_key);
    let difference = |share| millis(with_key.quantile(share)) - millis(alone.quantile(share));
    verdict("a key, median, above the request", difference(0.5), " ms", 2.0, true);
    verdict("a key, 99th percentile, above the request", difference(0.99), " ms", 2.0, true);
}

/// Encodes a notification.
fn notification(method: &str, params: &Value) -> Vec<u8> {
    let mut line = json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().into_bytes();
    line.push(b'\n');
    line
}

fn change(uri: &str, key: usize, line: usize) -> Value {
    let at = json!({ "line": line, "character": 0 });
    let changes = json!([{ "range": { "start": at, "end": at }, "text": "x" }]);
    json!({ "textDocument": { "uri": uri, "version": key + 2 }, "contentChanges": changes })
}
