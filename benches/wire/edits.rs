//! Latency of single edits.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::outcome;
use crate::corpus::{KB, MB, code, counter};
use crate::floor;
use crate::machine::{Machine, settle};
use crate::table::{Samples, millis, row, title, verdict};

/// Size of the file, its name, and the number of edits.
const ROUNDS: [(usize, &str, usize); 5] = [
    (10 * KB, "10 KB", 400),
    (100 * KB, "100 KB", 200),
    (MB, "1 MB", 100),
    (10 * MB, "10 MB", 25),
    (50 * MB, "50 MB", 9),
];
/// Number of edits before the measured ones.
const WARM_UP: usize = 3;
/// The counter in the middle of a text.
const MIDDLE: usize = 3;

/// Repeated edits of a file by the session that has read it.
pub(crate) fn single(which: usize) {
    let machine = Machine::start();
    let (size, name, rounds) = ROUNDS[which];
    title(&format!("one exact edit, {name}, the base is the session's own last edit"));
    let text = code(size);
    let (mine, theirs) = (machine.put("daemon.rs", &text), machine.put("floor.rs", &text));
    let mut client = machine.client();
    client.call("editd/read", &json!({ "path": mine }));
    let (mut daemon, mut plain) = (Samples::default(), Samples::default());
    for round in 0..rounds + WARM_UP {
        if round == WARM_UP {
            (daemon, plain) = (Samples::default(), Samples::default());
        }
        let (old, new) = (counter(MIDDLE, round), counter(MIDDLE, round + 1));
        plain.time(|| floor::edit(&theirs, &old, &new));
        settle(size);
        let params = json!({ "path": "daemon.rs", "oldText": old, "newText": new });
        let request = client.request("editd/edit", &params);
        let answer = daemon.time(|| client.exchange(&request));
        outcome(&answer).expect("an edit");
        settle(size);
    }
    compare(name, size, &daemon, &plain);
}

/// Edits by line numbers, compared with exact edits of the same line of another file.
pub(crate) fn by_lines(which: usize) {
    let machine = Machine::start();
    let (size, name, rounds) = ROUNDS[which];
    title(&format!("one edit by line numbers, {name}, compared with an exact one"));
    let text = code(size);
    for file in ["lines.rs", "exact.rs"] {
        machine.put(file, &text);
    }
    let line = 1 + text.split(&counter(MIDDLE, 0)).next().map_or(0, |before| before.matches('\n').count());
    let mut client = machine.client();
    client.call("editd/read", &json!({ "path": "exact.rs" }));
    // Only lines that a read has returned can be edited by number.
    let read = client.call("editd/read", &json!({ "path": "lines.rs", "offset": line, "limit": 1 }));
    let mut hash = read["hash"].clone();
    let of_line = text.lines().nth(line - 1).expect("the line");
    let (mut lines, mut exact) = (Samples::default(), Samples::default());
    for round in 0..rounds + WARM_UP {
        if round == WARM_UP {
            (lines, exact) = (Samples::default(), Samples::default());
        }
        let (old, new) = (counter(MIDDLE, round), counter(MIDDLE, round + 1));
        let params = json!({ "path": "exact.rs", "oldText": old, "newText": new });
        let request = client.request("editd/edit", &params);
        outcome(&exact.time(|| client.exchange(&request))).expect("an edit");
        settle(size);
        let new_line = of_line.replace(&counter(MIDDLE, 0), &new);
        let edits = json!([{ "lines": line.to_string(), "newText": new_line }]);
        let params = json!({ "path": "lines.rs", "edits": edits, "baseHash": hash });
        let request = client.request("editd/edit", &params);
        let answer = lines.time(|| client.exchange(&request));
        hash = outcome(&answer).expect("an edit")["files"][0]["hash"].take();
        settle(size);
    }
    row("exact", &exact);
    row("by line numbers", &lines);
    verdict(&format!("{name}: times an exact edit"), lines.median_ratio(&exact), "x", 1.1, true);
}

/// Edits with `baseHash` of a file that the session has not read and the daemon has not cached.
pub(crate) fn with_base_hash(which: usize) {
    let machine = Machine::start();
    let mut watcher = machine.client();
    let (size, name, rounds) = ROUNDS[which];
    title(&format!("one exact edit, {name}, explicit baseHash, nothing cached by the daemon"));
    let text = code(size);
    let (mine, theirs) = (machine.put("daemon.rs", &text), machine.put("floor.rs", &text));
    let mut client = machine.client();
    let mut hash = client.call("editd/read", &json!({ "path": mine }))["hash"].take();
    let (mut daemon, mut plain) = (Samples::default(), Samples::default());
    for round in 0..rounds / 2 + WARM_UP {
        if round == WARM_UP {
            (daemon, plain) = (Samples::default(), Samples::default());
        }
        drop(client);
        while watcher.call("editd/status", &json!({}))["documents"] != 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        client = machine.client();
        let (old, new) = (counter(MIDDLE, round), counter(MIDDLE, round + 1));
        plain.time(|| floor::edit(&theirs, &old, &new));
        settle(size);
        let params = json!({ "path": "daemon.rs", "oldText": old, "newText": new, "baseHash": hash });
        let request = client.request("editd/edit", &params);
        let answer = daemon.time(|| client.exchange(&request));
        hash = outcome(&answer).expect("an edit")["files"][0]["hash"].take();
        settle(size);
    }
    drop(client);
    // There is no target for these.
    row("plain program", &plain);
    row("editd", &daemon);
    println!("  {name}: {:.2} times the floor", daemon.median_ratio(&plain));
}

fn compare(name: &str, size: usize, daemon: &Samples, plain: &Samples) {
    row("plain program", plain);
    row("editd", daemon);
    let ratio = daemon.median_ratio(plain);
    if size <= 100 * KB {
        let above = millis(daemon.median()) - millis(plain.median());
        verdict(&format!("{name}: above the floor"), above, " ms", 0.25, true);
    } else {
        verdict(&format!("{name}: times the floor"), ratio, "x", 1.2, true);
    }
}

/// Fifty edits of lines all over a file, in one request.
pub(crate) fn fifty(which: usize) {
    const EDITS: usize = 50;
    let (size, name, rounds) = ROUNDS[which];
    title(&format!("{EDITS} edits in one request, {name}"));
    let machine = Machine::start();
    let line = |which: usize, round: usize| format!("const FIFTY_{which}: u32 = {};", 100_000 + round);
    let text = code(size);
    // Between declarations, at about the same distances.
    let ends: Vec<usize> = text.match_indices("\n}\n\n").map(|(at, end)| at + end.len()).collect();
    let mut with_lines = String::new();
    let mut copied = 0;
    for which in 0..EDITS {
        let end = ends[which * ends.len() / EDITS];
        with_lines.push_str(&text[copied..end]);
        with_lines.push_str(&line(which, 0));
        with_lines.push_str("\n\n");
        copied = end;
    }
    with_lines.push_str(&text[copied..]);
    let path = machine.put("fifty.rs", &with_lines);
    let mut client = machine.client();
    client.call("editd/read", &json!({ "path": path }));
    let mut samples = Samples::default();
    for round in 0..rounds + WARM_UP {
        if round == WARM_UP {
            samples = Samples::default();
        }
        let edit = |which| json!({ "oldText": line(which, round), "newText": line(which, round + 1) });
        let edits: Vec<Value> = (0..EDITS).map(edit).collect();
        let request = client.request("editd/edit", &json!({ "path": "fifty.rs", "edits": edits }));
        let answer = samples.time(|| client.exchange(&request));
        outcome(&answer).expect("an edit");
        settle(size);
    }
    row("editd", &samples);
    let most = if size > MB { 12.0 } else { 2.0 };
    verdict(&format!("{EDITS} edits, {name}"), millis(samples.median()), " ms", most, true);
}

/// Ten thousand replacements in one edit.
pub(crate) fn replace_all() {
    const REPLACEMENTS: usize = 10_000;
    title("10,000 replacements in 1 MB");
    let machine = Machine::start();
    let line = "let item = table.get(&key, NEEDLE); // as long as a line of code, with a few words after it that say so\n";
    let text = line.repeat(REPLACEMENTS);
    let path = machine.put("many.rs", &text);
    let mut client = machine.client();
    client.call("editd/read", &json!({ "path": path }));
    let mut samples = Samples::default();
    let (mut old, mut new) = ("NEEDLE", "THREAD");
    for round in 0..23 {
        if round == WARM_UP {
            samples = Samples::default();
        }
        let params = json!({ "path": "many.rs", "oldText": old, "newText": new, "replaceAll": true });
        let request = client.request("editd/edit", &params);
        let answer = samples.time(|| client.exchange(&request));
        let result: Value = outcome(&answer).expect("an edit");
        assert_eq!(result["files"][0]["matches"][0]["replacements"], REPLACEMENTS);
        (old, new) = (new, old);
    }
    row("editd", &samples);
    verdict("10,000 replacements", millis(samples.median()), " ms", 10.0, true);
}
