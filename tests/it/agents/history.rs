//! Many agents at once, and whether what they were told can have happened in one order.
//!
//! **The property.** Every request takes effect at one moment between its sending and its answer, on all its
//! files at once: there is one order of all requests of all clients, in keeping with what ended before what
//! began, in which each read gives what the files hold, each applied change finds just what its answer says it
//! found (`hashBefore`) and leaves what it says (`hashAfter`), and each refusal as `stale` tells what is there
//! (`currentHash`). Half a set is never seen, because a set is one step of that order.
//!
//! **The same for the eye.** Sets write one number into both files of a pair, always a higher one. So who reads
//! `a` and then `b` sees in `b` the number of `a` or a higher one; who then reads `a` again and finds it as
//! before has seen the same number in `b`. (That `b` is newer than `a` is no half set: the set came between.)

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::order::{Operation, Step, Verdict, judge};
use crate::support::{Agent, Machine, Workspace, hash_of};

const CLIENTS: usize = 8;
const FILES: [&str; 4] = ["a.txt", "b.txt", "c.txt", "d.txt"];
/// Far more than ever needed: clients that wait for answers leave little to choose from.
const ATTEMPTS: usize = 5_000_000;

/// One line for the sets and one for each client, far enough apart that changes of them can be merged.
fn initial(file: usize) -> String {
    let slots = (0..CLIENTS).map(|client| format!("\n\n\n\nslot {client} = {file};\n"));
    format!("pair = 0;\n{}", slots.collect::<String>())
}

/// The value of a line that begins with `name =`.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    line.and_then(|rest| rest.strip_suffix(';')).unwrap_or_else(|| panic!("no `{name}` in {text:?}"))
}

fn pair(text: &str) -> u64 {
    value(text, "pair").parse().expect("a number")
}

/// A generator of choices; small, and the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).expect("31 bits") % sides
    }
}

/// What all clients share.
struct Scene {
    start: Instant,
    until: Duration,
    /// Numbers that were never used.
    fresh: AtomicU64,
    /// Kinds of answers, counted.
    tally: Mutex<HashMap<String, usize>>,
}

struct Player<'a> {
    scene: &'a Scene,
    agent: Agent,
    number: usize,
    dice: Dice,
    /// What each file held when this client last read it.
    known: [Option<String>; FILES.len()],
    done: Vec<Operation>,
}

impl Player<'_> {
    fn play(mut self) -> Vec<Operation> {
        while self.scene.start.elapsed() < self.scene.until {
            match self.dice.roll(10) {
                0..3 => self.look_at_one(),
                3..5 => self.look_at_a_pair(),
                5..8 => self.edit_one(),
                _ => self.edit_a_pair(),
            }
        }
        self.done
    }

    /// Sends a request and notes the moments around it.
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

    fn look_at_one(&mut self) {
        let file = self.dice.roll(FILES.len());
        self.read(file);
    }

    fn look_at_a_pair(&mut self) {
        let first = self.dice.roll(2) * 2;
        let (a, b) = if self.dice.roll(2) == 0 { (first, first + 1) } else { (first + 1, first) };
        let (in_a, in_b, again) = (pair(&self.read(a)), pair(&self.read(b)), pair(&self.read(a)));
        assert!(in_a <= in_b, "half a set: {} had {in_a}, then {} had {in_b}", FILES[a], FILES[b]);
        assert!(in_a != again || in_a == in_b, "half a set: {in_a}, {in_b}, {again}");
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

    /// Puts a new number into a line of these files: into what was read of them some time ago, or just now.
    fn edit(&mut self, files: &[usize], name: &str) {
        for &file in files {
            if self.known[file].is_none() || self.dice.roll(2) == 0 {
                self.read(file);
            }
        }
        // Taken after what is replaced was read, so it is higher.
        let fresh = self.scene.fresh.fetch_add(1, Ordering::SeqCst);
        let changes: Vec<Value> = files
            .iter()
            .map(|&file| {
                let old = value(self.known[file].as_ref().expect("it was read"), name);
                let (old, new) = (format!("{name} = {old};"), format!("{name} = {fresh};"));
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
                answer["files"].as_array().expect("files").iter().map(moved).collect::<Vec<_>>()
            }
            Err(data) => refused(data),
        };
        assert!(answer.is_err() || steps.len() == files.len(), "{answer:?}");
        if !steps.is_empty() {
            self.done.push(Operation { invoked, returned, steps });
        }
    }
}

fn moved(file: &Value) -> Step {
    let hash = |name: &str| file[name].as_str().unwrap_or_else(|| panic!("no {name} in {file}")).to_owned();
    Step { file: number_of(file), before: hash("hashBefore"), after: Some(hash("hashAfter")) }
}

fn number_of(told: &Value) -> usize {
    let path = told["path"].as_str().unwrap_or_else(|| panic!("no path in {told}"));
    FILES.iter().position(|name| path.ends_with(name)).expect("one of the files")
}

/// What a refusal tells of the files: each that is `stale` holds what is said.
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

/// From the environment, else something else each time.
fn seed() -> u64 {
    let given = std::env::var("EDITD_SEED").ok().map(|text| text.parse().expect("a number"));
    given.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970");
        u64::from(now.subsec_nanos()) ^ now.as_secs()
    })
}

/// As long as the suite can wait, or as many seconds as `EDITD_SOAK` says.
fn how_long() -> Duration {
    let soak = std::env::var("EDITD_SOAK").ok().map(|text| text.parse().expect("a number of seconds"));
    Duration::from_secs(soak.unwrap_or(4))
}

#[test]
#[expect(clippy::print_stderr, reason = "a failure is told with its seed")]
fn what_eight_agents_are_told_happened_in_one_order() {
    let seed = seed();
    eprintln!("EDITD_SEED={seed}");
    let machine = Machine::start();
    let texts: Vec<String> = (0..FILES.len()).map(initial).collect();
    let workspace = Workspace::with(&FILES.into_iter().zip(&texts).collect::<Vec<_>>());
    let tally = Mutex::default();
    let scene = Scene { start: Instant::now(), until: how_long(), fresh: AtomicU64::new(1_000), tally };
    let clients: Vec<Vec<Operation>> = thread::scope(|scope| {
        let player = |number: usize| Player {
            scene: &scene,
            agent: machine.agent_named(&format!("agent {number}"), &workspace),
            number,
            dice: Dice(seed ^ (number as u64) << 32),
            known: [const { None }; FILES.len()],
            done: Vec::new(),
        };
        let players: Vec<_> = (0..CLIENTS).map(player).map(|player| scope.spawn(|| player.play())).collect();
        players.into_iter().map(|player| player.join().expect("a client without complaint")).collect()
    });
    eprintln!("{} operations: {:?}", clients.iter().map(Vec::len).sum::<usize>(), scene.tally);
    let applied = clients.iter().flatten().filter(|it| it.steps.iter().any(|step| step.after.is_some()));
    assert!(applied.count() > CLIENTS, "hardly anything was tried: {:?}", scene.tally);
    let hashes: Vec<String> = texts.iter().map(hash_of).collect();
    let mut with_the_end = clients;
    let end = scene.start.elapsed().as_nanos();
    let last = (0..FILES.len()).map(|file| Step { file, before: workspace.hash(FILES[file]), after: None });
    with_the_end.push(vec![Operation { invoked: end, returned: end, steps: last.collect() }]);
    assert_eq!(judge(&with_the_end, &hashes, ATTEMPTS), Verdict::Linearizable, "seed {seed}");
}
