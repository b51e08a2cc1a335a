//! Throughput of eight concurrent clients.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, outcome};
use crate::corpus::{COUNTERS, KB, code, counter};
use crate::floor;
use crate::machine::Machine;
use crate::table::{Samples, millis, row, title, verdict};

/// Number of clients, and of floor processes.
const CROWD: usize = 8;
/// Number of edits per client.
const EDITS: usize = 200;
/// Number of alternating measurements.
const ROUNDS: usize = 5;

/// Each client edits a separate file.
pub(crate) fn different_files() {
    title("8 clients x 200 edits on different files of 100 KB");
    let machine = Machine::start();
    let text = code(100 * KB);
    let (mut daemon, mut plain) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        for member in 0..CROWD {
            machine.put(&format!("floor{member}.rs"), &text);
            machine.put(&format!("daemon{member}.rs"), &text);
        }
        let processes: Vec<Child> = (0..CROWD).map(|member| floor_process(&machine, member)).collect();
        plain.time(|| finish(processes));
        let clients: Vec<(Client, Vec<Vec<u8>>)> =
            (0..CROWD).map(|member| prepared(&machine, member)).collect();
        daemon.time(|| {
            std::thread::scope(|scope| {
                for (mut client, requests) in clients {
                    scope.spawn(move || {
                        for request in requests {
                            let answer = client.exchange(&request);
                            assert!(
                                memchr::memmem::find(&answer, b"\"error\"").is_none(),
                                "an edit was refused"
                            );
                        }
                    });
                }
            });
        });
    }
    row("8 plain processes", &plain);
    row("editd with 8 clients", &daemon);
    let rate = |samples: &Samples| (CROWD * EDITS) as u128 * 1_000_000 / samples.median().as_micros();
    println!("  edits per second: plain {}, editd {}", rate(&plain), rate(&daemon));
    verdict("rate relative to plain processes", plain.median_ratio(&daemon), "x", 0.85, false);
}

/// Starts a floor process. It waits for a signal, so that its start is not measured.
fn floor_process(machine: &Machine, member: usize) -> Child {
    let file = machine.root().join(format!("floor{member}.rs"));
    let itself = std::env::current_exe().expect("the bench's own path");
    let mut command = Command::new(itself);
    command.args([floor::MODE.as_ref(), file.as_os_str(), EDITS.to_string().as_ref()]);
    let child = command.stdin(Stdio::piped()).spawn().expect("the bench can be run");
    std::thread::sleep(Duration::from_millis(5));
    child
}

fn finish(mut processes: Vec<Child>) {
    for process in &mut processes {
        let input = process.stdin.as_mut().expect("a pipe");
        input.write_all(b"go\n").expect("the process waits");
    }
    for process in &mut processes {
        assert!(process.wait().expect("its end").success(), "a plain process failed");
    }
}

/// Returns a client that has read its file, with all its requests encoded.
fn prepared(machine: &Machine, member: usize) -> (Client, Vec<Vec<u8>>) {
    let mut client = machine.client_named(&format!("agent{member}"));
    let path = format!("daemon{member}.rs");
    client.call("editd/read", &json!({ "path": path }));
    let request = |done| {
        let (old, new) = (counter(0, done), counter(0, done + 1));
        client.request("editd/edit", &json!({ "path": path, "oldText": old, "newText": new }))
    };
    let requests = (0..EDITS).map(request).collect();
    (client, requests)
}

/// Results of a client of [`one_file`].
#[derive(Default)]
struct Tally {
    /// Hashes before and after each acknowledged edit.
    applied: Vec<(String, String)>,
    stale: usize,
}

/// All clients edit one file, each a separate counter, and read the file again after a refusal.
pub(crate) fn one_file() {
    title("8 clients x 200 edits on one file of 100 KB");
    compete("reject");
}

/// All clients edit one file, each a separate counter, and have their edits carried over the changes of the others.
pub(crate) fn one_file_rebased() {
    title("8 clients x 200 edits on one file of 100 KB, rebased");
    let stale = compete("rebase");
    assert_eq!(stale, 0, "no edit is refused");
}

/// Returns the number of refused edits.
fn compete(on_stale: &'static str) -> usize {
    let machine = Machine::start();
    let path = machine.put("shared.rs", &code(100 * KB));
    let first = machine.client().call("editd/read", &json!({ "path": path }))["hash"].take();
    let barrier = Barrier::new(COUNTERS);
    let start = Instant::now();
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let (machine, barrier) = (&machine, &barrier);
        let contest = |member| scope.spawn(move || contend(machine, member, barrier, on_stale));
        let threads: Vec<_> = (0..COUNTERS).map(contest).collect();
        threads.into_iter().map(|thread| thread.join().expect("a client")).collect()
    });
    let elapsed = start.elapsed();
    let text = std::fs::read_to_string(&path).expect("the file");
    let applied: usize = tallies.iter().map(|tally| tally.applied.len()).sum();
    let stale: usize = tallies.iter().map(|tally| tally.stale).sum();
    for (member, tally) in tallies.iter().enumerate() {
        assert!(text.contains(&counter(member, tally.applied.len())), "an acknowledged edit was lost");
    }
    let mut steps: HashMap<&str, &str> = HashMap::new();
    for (before, after) in tallies.iter().flat_map(|tally| &tally.applied) {
        assert!(steps.insert(before, after).is_none(), "two edits have the same base");
    }
    let mut at = first.as_str().unwrap_or_default();
    while let Some(next) = steps.remove(at) {
        at = next;
    }
    assert!(steps.is_empty(), "an edit was not applied to its base");
    let rate = applied as u128 * 1_000_000 / elapsed.as_micros();
    println!("{applied} applied, {stale} refused as stale, in {:.0} ms: {rate} a second", millis(elapsed));
    println!("  => all {applied} are in the file; each is based on the result of the previous one: ok");
    stale
}

fn contend(machine: &Machine, member: usize, barrier: &Barrier, on_stale: &str) -> Tally {
    let mut client = machine.client_named(&format!("agent{member}"));
    let read = json!({ "path": "shared.rs", "limit": 1 });
    client.call("editd/read", &read);
    barrier.wait();
    let mut tally = Tally::default();
    for _ in 0..EDITS {
        let done = tally.applied.len();
        let (old, new) = (counter(member, done), counter(member, done + 1));
        let params = json!({ "path": "shared.rs", "oldText": old, "newText": new, "onStale": on_stale });
        let request = client.request("editd/edit", &params);
        match outcome(&client.exchange(&request)) {
            Ok(result) => {
                let hash = |name: &str| result["files"][0][name].as_str().unwrap_or_default().to_owned();
                tally.applied.push((hash("hashBefore"), hash("hashAfter")));
            }
            Err(error) => {
                assert_eq!(error["data"]["kind"], Value::from("stale"), "{error}");
                tally.stale += 1;
                client.call("editd/read", &read);
            }
        }
    }
    tally
}
