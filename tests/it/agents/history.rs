//! Linearizability of the requests of many concurrent agents.
//!
//! **The property.** Every request takes effect atomically, on all its files at once, at one moment between
//! its invocation and its response. That is, there is one order of all requests of all clients that respects
//! real time, in which each read returns the current content of the files, each applied change finds the
//! content that its response reports (`hashBefore`) and leaves the one that it reports (`hashAfter`), and
//! each `stale` refusal reports the current content (`currentHash`). A multi-file change is never visible in
//! part, because it is one step of that order.
//!
//! **A direct check.** Multi-file changes write the same number, always a higher one, into both files of a
//! pair. A client that reads `a` and then `b` must therefore find the number of `a` or a higher one in `b`.
//! If it then reads
//! `a` again and finds the first number, `b` must have contained the same one. (A higher number in `b` alone
//! is not a partial change: the change was applied between the two reads.)

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::linearizability::{Operation, Step, Verdict, judge};
use crate::support::{Agent, Machine, Workspace, hash_of};

const CLIENTS: usize = 8;
const FILES: [&str; 4] = ["a.txt", "b.txt", "c.txt", "d.txt"];
/// Search budget, far higher than needed: clients that wait for responses leave few possible orders.
const ATTEMPTS: usize = 5_000_000;

/// Initial text with one line for multi-file changes and one for each client, far enough apart to be merged.
fn initial(file: usize) -> String {
    let slots = (0..CLIENTS).map(|client| format!("\n\n\n\nslot {client} = {file};\n"));
    format!("pair = 0;\n{}", slots.collect::<String>())
}

/// Returns the value of the line that begins with `name =`.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    line.and_then(|rest| rest.strip_suffix(';')).unwrap_or_else(|| panic!("no `{name}` in {text:?}"))
}

fn pair(text: &str) -> u64 {
    value(text, "pair").parse().expect("a number")
}

/// A small deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).expect("31 bits") % sides
    }
}

/// State shared by all clients.
struct Scene {
    start: Instant,
    until: Duration,
    /// The next unused number.
    next_number: AtomicU64,
    /// Number of responses by kind.
    tally: Mutex<HashMap<String, usize>>,
}

struct SimulatedClient<'a> {
    scene: &'a Scene,
    agent: Agent,
    number: usize,
    dice: Dice,
    /// Content of each file when this client last read it.
    known: [Option<String>; FILES.len()],
    done: Vec<Operation>,
}

impl SimulatedClient<'_> {
    fn run(mut self) -> Vec<Operation> {
        while self.scene.start.elapsed() < self.scene.until {
            match self.dice.roll(10) {
                0..3 => self.read_one(),
                3..5 => self.read_a_pair(),
                5..8 => self.edit_one(),
                _ => self.edit_a_pair(),
            }
        }
        self.done
    }

    /// Sends a request and records the times of its invocation and response.
    fn timed(&mut self, method: &str, params: Value) -> (Result<Value, Value>, u128, u128) {
        let invoked = self.scene.start.elapsed().as_nanos();
        let answer = self.agent.call(method, params);
        let returned = self.scene.start.elapsed().as_nanos();
        let kind = answer.as_ref().map_or_else(|error| error.kind().to_owned(), |_| method.to_owned());
        *self.scene.tally.lock().expect("nobody panicked").entry(kind).or_default() += 1;
        (answer.map_err(|error| error.data), invoked, returned)
    }

    fn read(&mut self, file: usize) -> String {
        let (answer, invoked, returned) = self.timed("editd/read", json!({ "path": FILES[file] }));
        let answer = answer.expect("a text");
        let text = answer["text"].as_str().expect("a text").to_owned();
        let before = hash_of(&text);
        assert_eq!(answer["hash"], Value::from(before.clone()), "the hash is that of the text");
        self.done.push(Operation { invoked, returned, steps: vec![Step { file, before, after: None }] });
        self.known[file] = Some(text.clone());
        text
    }

    fn read_one(&mut self) {
        let file = self.dice.roll(FILES.len());
        self.read(file);
    }

    fn read_a_pair(&mut self) {
        let first = self.dice.roll(2) * 2;
        let (a, b) = if self.dice.roll(2) == 0 { (first, first + 1) } else { (first + 1, first) };
        let (in_a, in_b, again) = (pair(&self.read(a)), pair(&self.read(b)), pair(&self.read(a)));
        assert!(in_a <= in_b, "a partial change: {} had {in_a}, then {} had {in_b}", FILES[a], FILES[b]);
        assert!(in_a != again || in_a == in_b, "a partial change: {in_a}, {in_b}, {again}");
    }

    fn edit_one(&mut self) {
        let file = self.dice.roll(FILES.len());
        let slot = format!("slot {}", self.number);
        self.edit(&[file], &slot);
    }

    fn edit_a_pair(&mut self) {
        let first = self.dice.roll(2) * 2;
        let files = if self.dice.roll(2) == 0 { [first, first + 1] } else { [first + 1, first] };
        self.edit(&files, "pair");
    }

    /// Writes a new number into a line of these files, based on an earlier or a new read.
    fn edit(&mut self, files: &[usize], name: &str) {
        for &file in files {
            if self.known[file].is_none() || self.dice.roll(2) == 0 {
                self.read(file);
            }
        }
        // Taken after the old text was read, so the number is higher.
        let number = self.scene.next_number.fetch_add(1, Ordering::SeqCst);
        let changes: Vec<Value> = files
            .iter()
            .map(|&file| {
                let old = value(self.known[file].as_ref().expect("it was read"), name);
                let (old, new) = (format!("{name} = {old};"), format!("{name} = {number};"));
                let edits = json!([{ "oldText": old, "newText": new }]);
                json!({ "kind": "edit", "path": FILES[file], "edits": edits })
            })
            .collect();
        let stale = if self.dice.roll(2) == 0 { "reject" } else { "rebase" };
        let (answer, invoked, returned) =
            self.timed("editd/edit", json!({ "changes": changes, "onStale": stale }));
        let steps = match &answer {
            Ok(answer) => {
                assert_eq!(answer["state"], "applied");
                self.known = self.known.clone().map(|known| known.filter(|_| false));
                answer["files"].as_array().expect("files").iter().map(applied_step).collect::<Vec<_>>()
            }
            Err(data) => refused(data),
        };
        assert!(answer.is_err() || steps.len() == files.len(), "{answer:?}");
        if !steps.is_empty() {
            self.done.push(Operation { invoked, returned, steps });
        }
    }
}

fn applied_step(file: &Value) -> Step {
    let hash = |name: &str| file[name].as_str().unwrap_or_else(|| panic!("no {name} in {file}")).to_owned();
    Step { file: number_of(file), before: hash("hashBefore"), after: Some(hash("hashAfter")) }
}

fn number_of(file: &Value) -> usize {
    let path = file["path"].as_str().unwrap_or_else(|| panic!("no path in {file}"));
    FILES.iter().position(|name| path.ends_with(name)).expect("one of the files")
}

/// Returns a read step for each `stale` refusal, which reports the current content of its file.
fn refused(data: &Value) -> Vec<Step> {
    let refusals = data["refusals"].as_array().expect("refusals");
    let of_stale = |refusal: &Value| match refusal["kind"].as_str() {
        Some("stale") => {
            let before = refusal["currentHash"].as_str().expect("what is there").to_owned();
            Some(Step { file: number_of(refusal), before, after: None })
        }
        Some("conflict") => None,
        _ => panic!("nothing else can be wrong with it: {refusal}"),
    };
    refusals.iter().filter_map(of_stale).collect()
}

/// Returns the seed from the environment, or a random one.
fn seed() -> u64 {
    let given = std::env::var("EDITD_SEED").ok().map(|text| text.parse().expect("a number"));
    given.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970");
        u64::from(now.subsec_nanos()) ^ now.as_secs()
    })
}

/// Returns the duration in seconds from `EDITD_SOAK`, or the default for the test suite.
fn duration() -> Duration {
    let soak = std::env::var("EDITD_SOAK").ok().map(|text| text.parse().expect("a number of seconds"));
    Duration::from_secs(soak.unwrap_or(4))
}

#[test]
#[expect(clippy::print_stderr, reason = "a failure is reported with its seed")]
fn requests_of_eight_agents_are_linearizable() {
    let seed = seed();
    eprintln!("EDITD_SEED={seed}");
    let machine = Machine::start();
    let texts: Vec<String> = (0..FILES.len()).map(initial).collect();
    let workspace = Workspace::with(&FILES.into_iter().zip(&texts).collect::<Vec<_>>());
    let tally = Mutex::default();
    let scene = Scene { start: Instant::now(), until: duration(), next_number: AtomicU64::new(1_000), tally };
    let clients: Vec<Vec<Operation>> = thread::scope(|scope| {
        let client = |number: usize| SimulatedClient {
            scene: &scene,
            agent: machine.agent_named(&format!("agent {number}"), &workspace),
            number,
            dice: Dice(seed ^ (number as u64) << 32),
            known: [const { None }; FILES.len()],
            done: Vec::new(),
        };
        let threads: Vec<_> = (0..CLIENTS).map(client).map(|client| scope.spawn(|| client.run())).collect();
        threads.into_iter().map(|thread| thread.join().expect("a client without a panic")).collect()
    });
    eprintln!("{} operations: {:?}", clients.iter().map(Vec::len).sum::<usize>(), scene.tally);
    let applied = clients.iter().flatten().filter(|it| it.steps.iter().any(|step| step.after.is_some()));
    assert!(applied.count() > CLIENTS, "too few changes were applied: {:?}", scene.tally);
    let hashes: Vec<String> = texts.iter().map(hash_of).collect();
    let mut with_the_end = clients;
    let end = scene.start.elapsed().as_nanos();
    let last = (0..FILES.len()).map(|file| Step { file, before: workspace.hash(FILES[file]), after: None });
    with_the_end.push(vec![Operation { invoked: end, returned: end, steps: last.collect() }]);
    assert_eq!(judge(&with_the_end, &hashes, ATTEMPTS), Verdict::Linearizable, "seed {seed}");
}
