//! A minute of work by very many clients at a time: whether anything grows, and whether anything is lost.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, outcome};
use crate::corpus::{KB, code};
use crate::machine::Machine;
use crate::table::{Samples, mebibytes, millis, row, title, verdict};

const CLIENTS: usize = 64;
const LENGTH: Duration = Duration::from_secs(60);
/// The beginning and the end that are compared.
const EDGE: Duration = Duration::from_secs(10);
/// One in so many rounds of a client is about the file that all share.
const SHARED: usize = 8;
/// How much more memory than in the beginning the end may take, in bytes. What is remembered of changes fills its
/// 16 MiB meanwhile, with what it takes to keep that; after two minutes nothing grows any more.
const GROWTH: u64 = 24 << 20;
/// With the usual limits, earlier texts and closed proposals fill their room for longer than a minute: that would
/// look like growth.
const LIMITS: &str = "[limits]\nmemory = 16777216\nproposals = 50\n";
/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// What one client did.
#[derive(Default)]
struct Work {
    reads: Samples,
    edits: Samples,
    /// Edits of its own file, and of the shared one, that were acknowledged.
    own: usize,
    shared: usize,
    stale: usize,
}

/// Sixty-four clients, each with a file of its own and one for all.
pub(crate) fn of_many() {
    title(&format!("{CLIENTS} clients read and edit for a minute"));
    let machine = Machine::configured(LIMITS);
    let slots: String = (0..CLIENTS).map(|client| slot(client, 0) + "\n").collect();
    machine.put("shared.txt", &format!("{slots}{}", code(20 * KB)));
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
    require_all_there(&machine, &work);
    report(work, &memory);
}

fn own_file(client: usize) -> String {
    format!("own{client}.txt")
}

/// The line of a client after so many edits.
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
                "shared.txt",
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

/// Reads a file and edits it; whether the edit was taken. It may only be refused because somebody was faster.
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

/// The most of the beginning and of the end.
fn watch_memory(machine: &Machine) -> (u64, u64) {
    let (begun, mut first, mut last) = (Instant::now(), 0, 0);
    while begun.elapsed() < LENGTH {
        let resident = machine.resident();
        if begun.elapsed() < EDGE {
            first = resident.max(first);
        } else if begun.elapsed() + EDGE > LENGTH {
            last = resident.max(last);
        }
        std::thread::sleep(LOOK);
    }
    (first, last)
}

fn require_all_there(machine: &Machine, work: &[Work]) {
    let text = |name: &str| std::fs::read_to_string(machine.root().join(name)).expect("a file");
    let shared = text("shared.txt");
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
    println!("  the 99th of 100: read {:.1} ms, edit {:.1} ms", p99(&reads), p99(&edits));
    let seconds = LENGTH.as_secs() as usize;
    println!(
        "  {} edits and {} reads a second; {stale} edits refused as stale",
        applied / seconds,
        reads.len() / seconds
    );
    println!("  => all {applied} acknowledged edits are in the files: ok");
    println!("  memory: at most {:.1} MiB in the first ten seconds", mebibytes(first));
    verdict("memory in the last ten seconds", mebibytes(last), " MiB", mebibytes(first + GROWTH), true);
}
