//! A minute of work by many concurrent clients: checks that memory does not grow and that no edit is lost.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, outcome};
use crate::corpus::{KB, code};
use crate::machine::Machine;
use crate::table::{Samples, mebibytes, millis, row, title, verdict};

const CLIENTS: usize = 64;
const LENGTH: Duration = Duration::from_secs(60);
/// Length of the compared periods at the beginning and at the end.
const EDGE: Duration = Duration::from_secs(10);
/// Interval of rounds in which a client edits the shared file.
const SHARED: usize = 8;
/// Maximum memory growth between the beginning and the end, in bytes. In this time the log of changes fills
/// its 16 MiB, plus overhead; after two minutes memory is stable.
const GROWTH: u64 = 24 << 20;
/// Reduced limits. With the default ones, earlier texts and closed proposals take longer than a minute to
/// reach their limits, which would look like growth.
const LIMITS: &str = "[limits]\nmemory = 16777216\nproposals = 50\n";
/// Interval of memory measurements.
const INTERVAL: Duration = Duration::from_millis(100);

/// Results of one client.
#[derive(Default)]
struct Work {
    reads: Samples,
    edits: Samples,
    /// Acknowledged edits of its own file; `shared` counts those of the shared file.
    own: usize,
    shared: usize,
    stale: usize,
}

/// Sixty-four clients, each with its own file, and a file shared by all.
pub(crate) fn many_clients() {
    title(&format!("{CLIENTS} clients read and edit for a minute"));
    let machine = Machine::configured(LIMITS);
    let slots: String = (0..CLIENTS).map(|client| slot(client, 0) + "\n").collect();
    machine.put("shared.rs", &format!("{slots}{}", code(20 * KB)));
    for client in 0..CLIENTS {
        machine.put(&own_file(client), &format!("{}\n{}", slot(client, 0), code(20 * KB)));
    }
    let start = Barrier::new(CLIENTS + 1);
    let (work, memory) = std::thread::scope(|scope| {
        let (machine, start) = (&machine, &start);
        let clients: Vec<_> =
            (0..CLIENTS).map(|client| scope.spawn(move || one(machine, client, start))).collect();
        start.wait();
        let memory = watch_memory(machine);
        let work: Vec<Work> = clients.into_iter().map(|client| client.join().expect("a client")).collect();
        (work, memory)
    });
    assert_no_edit_lost(&machine, &work);
    report(work, &memory);
}

fn own_file(client: usize) -> String {
    format!("own{client}.rs")
}

/// Returns the line of a client after this many edits.
fn slot(client: usize, edits: usize) -> String {
    format!("slot_{client} = {};", 1_000_000 + edits)
}

fn one(machine: &Machine, member: usize, start: &Barrier) -> Work {
    let mut client = machine.client_named(&format!("agent{member}"));
    let mut work = Work::default();
    start.wait();
    let begun = Instant::now();
    for round in member.. {
        if begun.elapsed() >= LENGTH {
            break;
        }
        if round % SHARED == 0 {
            if change(
                &mut client,
                "shared.rs",
                &slot(member, work.shared),
                &slot(member, work.shared + 1),
                &mut work,
            ) {
                work.shared += 1;
            }
        } else if change(
            &mut client,
            &own_file(member),
            &slot(member, work.own),
            &slot(member, work.own + 1),
            &mut work,
        ) {
            work.own += 1;
        }
    }
    work
}

/// Reads a file and edits it. Returns `true` if the edit was applied. It may be refused only as stale.
fn change(client: &mut Client, path: &str, old: &str, new: &str, work: &mut Work) -> bool {
    let read = client.request("editd/read", &json!({ "path": path, "limit": 100 }));
    let text = work.reads.time(|| client.exchange(&read));
    outcome(&text).expect("a text");
    let edit = client.request("editd/edit", &json!({ "path": path, "oldText": old, "newText": new }));
    let answer = work.edits.time(|| client.exchange(&edit));
    match outcome(&answer) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error["data"]["kind"], Value::from("stale"), "{error}");
            work.stale += 1;
            false
        }
    }
}

/// Returns the peak memory of the beginning and of the end.
fn watch_memory(machine: &Machine) -> (u64, u64) {
    let (begun, mut first, mut last) = (Instant::now(), 0, 0);
    while begun.elapsed() < LENGTH {
        let resident = machine.resident();
        if begun.elapsed() < EDGE {
            first = resident.max(first);
        } else if begun.elapsed() + EDGE > LENGTH {
            last = resident.max(last);
        }
        std::thread::sleep(INTERVAL);
    }
    (first, last)
}

fn assert_no_edit_lost(machine: &Machine, work: &[Work]) {
    let text = |name: &str| std::fs::read_to_string(machine.root().join(name)).expect("a file");
    let shared = text("shared.rs");
    for (client, work) in work.iter().enumerate() {
        assert!(text(&own_file(client)).contains(&slot(client, work.own)), "an own edit was lost");
        assert!(shared.contains(&slot(client, work.shared)), "a shared edit was lost");
    }
}

fn report(work: Vec<Work>, &(first, last): &(u64, u64)) {
    let (mut reads, mut edits) = (Samples::default(), Samples::default());
    let (mut applied, mut stale) = (0, 0);
    for one in work {
        applied += one.own + one.shared;
        stale += one.stale;
        reads.join(one.reads);
        edits.join(one.edits);
    }
    row("read", &reads);
    row("edit", &edits);
    let p99 = |samples: &Samples| millis(samples.quantile(0.99));
    println!("  99th percentile: read {:.1} ms, edit {:.1} ms", p99(&reads), p99(&edits));
    let seconds = LENGTH.as_secs() as usize;
    println!(
        "  {} edits and {} reads per second; {stale} edits refused as stale",
        applied / seconds,
        reads.len() / seconds
    );
    println!("  => all {applied} acknowledged edits are in the files: ok");
    println!("  memory: at most {:.1} MiB in the first ten seconds", mebibytes(first));
    verdict("memory in the last ten seconds", mebibytes(last), " MiB", mebibytes(first + GROWTH), true);
}
