//! Requests that change no file.

use serde_json::json;

use crate::client::outcome;
use crate::corpus::{KB, MB, absent_block, code};
use crate::machine::Machine;
use crate::table::{Samples, millis, row, title, verdict};

/// Edits of an absent text: the daemon searches for the closest regions and reports them.
pub(crate) fn absent() {
    let machine = Machine::start();
    for (size, name, rounds, target) in [(MB, "1 MB", 40, 3.0), (10 * MB, "10 MB", 12, 20.0)] {
        title(&format!("refusal of an absent text, {name}"));
        let text = code(size);
        let path = machine.put("absent.rs", &text);
        let mut client = machine.client();
        client.call("editd/read", &json!({ "path": path }));
        let block = absent_block(&text);
        let line = "let missing = self.table.got(&no_such_key);".to_owned();
        for (what, old) in [("forty lines, similar", block), ("one line", line)] {
            let mut samples = Samples::default();
            for _ in 0..rounds {
                let params = json!({ "path": "absent.rs", "oldText": old, "newText": "new\n" });
                let request = client.request("editd/edit", &params);
                let answer = samples.time(|| client.exchange(&request));
                let error = outcome(&answer).expect_err("a refusal");
                assert_eq!(error["data"]["kind"], "not_found");
            }
            row(what, &samples);
            verdict(&format!("{name}, {what}"), millis(samples.median()), " ms", target, true);
        }
    }
}

/// Reads of a cached file.
pub(crate) fn read() {
    title("read of 100 KB, round trip");
    let machine = Machine::start();
    machine.put("read.rs", &code(100 * KB));
    let mut client = machine.client();
    let params = json!({ "path": "read.rs", "limit": 2000 });
    let whole = client.call("editd/read", &params);
    let shown = whole["text"].as_str().map_or(0, str::len);
    println!("(one reply has at most 2,000 lines: {shown} bytes here)");
    let mut samples = Samples::default();
    for _ in 0..1000 {
        let request = client.request("editd/read", &params);
        let answer = samples.time(|| client.exchange(&request));
        outcome(&answer).expect("a text");
    }
    row("editd", &samples);
    verdict("read of 100 KB", millis(samples.median()), " ms", 0.5, true);
}
