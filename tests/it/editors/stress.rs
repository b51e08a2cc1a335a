//! Stress test: a user types continuously while agents edit, editors misbehave and the daemon is killed. No
//! typed text is lost, and every answer to an agent is true.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::{Agent, Answer, Chance, Editor, Kind, Machine, Manner, Outcome, Workspace, repeat};

const FILES: [&str; 3] = ["a.txt", "b.txt", "c.txt"];
const SLOTS: u64 = 8;
const EDITS: usize = 60;

/// Lines that agents change, each with a number, separated by empty lines in which the user types.
fn initial_text() -> String {
    let lines: Vec<_> = (0..SLOTS).map(|slot| format!("slot {slot}: 0\n\n")).collect();
    lines.concat()
}

struct Storm {
    workspace: Workspace,
    /// Has `a.txt` open; `second` has `b.txt` open, and `c.txt` is only on disk.
    first: Editor,
    second: Editor,
    a: String,
    b: String,
}

impl Storm {
    fn start(machine: &Machine) -> Self {
        let text = initial_text();
        let workspace = Workspace::with(&FILES.map(|name| (name, text.as_str())));
        let first = Editor::named(machine, &workspace, Kind::Plugin, "first", "utf-16");
        let second = Editor::named(machine, &workspace, Kind::Plugin, "second", "utf-8");
        let (a, b) = (first.open(&workspace, "a.txt"), second.open(&workspace, "b.txt"));
        Self { workspace, first, second, a, b }
    }

    /// Types unique words in both editors until `stop` is set. Returns the words typed in each.
    fn type_until(&self, stop: &AtomicBool, chance: &mut Chance) -> (Vec<String>, Vec<String>) {
        let (mut in_a, mut in_b) = (Vec::new(), Vec::new());
        while !stop.load(Ordering::Relaxed) {
            let word = format!("typed{}.", in_a.len() + in_b.len());
            let (editor, uri, words) = match chance.below(2) {
                0 => (&self.first, &self.a, &mut in_a),
                _ => (&self.second, &self.b, &mut in_b),
            };
            editor.type_on_empty_line(uri, &word, chance);
            words.push(word);
            if chance.below(6) == 0 {
                editor.save(uri);
            }
            chance.pause(std::time::Duration::from_millis(3));
        }
        (in_a, in_b)
    }

    fn text(&self, name: &str) -> String {
        match name {
            "a.txt" => self.first.text(&self.a),
            "b.txt" => self.second.text(&self.b),
            other => self.workspace.text(other),
        }
    }

    fn misbehave(&self, chance: &mut Chance) {
        let manner = match chance.below(8) {
            0 => Manner::Refuses,
            1 => Manner::Lies,
            2 => Manner::CannotSave,
            _ => Manner::Honest,
        };
        [&self.first, &self.second][chance.below(2) as usize].behave(manner);
    }
}

/// Stops the typing thread, also if the test fails.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Expected number in each slot of each file.
type Slots = HashMap<(&'static str, u64), usize>;

/// Changes one slot in one or more files.
fn change(
    agent: &mut Agent,
    chance: &mut Chance,
    value: usize,
    slots: &Slots,
) -> (Answer, Vec<(&'static str, u64)>) {
    let slot = chance.below(SLOTS);
    let from = chance.below(3) as usize;
    let names = &FILES[from..from + 1 + chance.below(3 - from as u64) as usize];
    let targets: Vec<_> = names.iter().map(|name| (*name, slot)).collect();
    let edits = targets.iter().map(|target| {
        let old = format!("slot {slot}: {}\n", slots[target]);
        let edit = json!({ "oldText": old, "newText": format!("slot {slot}: {value}\n") });
        json!({ "kind": "edit", "path": target.0, "edits": [edit] })
    });
    let changes: Vec<Value> = edits.collect();
    for name in names {
        agent.try_read(name).ok();
    }
    (agent.call("editd/edit", json!({ "changes": changes })), targets)
}

fn slot_in(text: &str, slot: u64) -> usize {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("slot {slot}: ")));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("slot {slot} in {text:?}"))
}

fn check(storm: &Storm, slots: &Slots) {
    for ((name, slot), value) in slots {
        let text = storm.text(name);
        assert_eq!(slot_in(&text, *slot), *value, "slot {slot} of {name} in {text:?}");
    }
}

/// Asserts that a change could be undone in the document only: the person had saved it, and has typed since, so nobody
/// else may save the document.
fn assert_saved_before_undone(data: &Value) {
    let reason = data["reason"].as_str().expect("a reason");
    assert!(reason.contains("had saved this one and has not saved the old text"), "{data}");
}

#[test]
fn no_typed_text_is_lost_and_all_answers_are_true() {
    let machine = Machine::start();
    let mut chance = Chance::new("storm");
    repeat(1, |_| {
        let storm = Storm::start(&machine);
        let mut agent = machine.agent(&storm.workspace);
        let stop = AtomicBool::new(false);
        let mut slots: Slots =
            FILES.iter().flat_map(|name| (0..SLOTS).map(|slot| ((*name, slot), 0))).collect();
        let mut of_person = Chance::new("a person");
        let (in_a, in_b) = std::thread::scope(|scope| {
            let _stop = Stop(&stop);
            let typing = scope.spawn(|| storm.type_until(&stop, &mut of_person));
            let mut done = 0;
            for value in 1..=EDITS {
                storm.misbehave(&mut chance);
                let (answer, places) = change(&mut agent, &mut chance, value, &slots);
                if answer.is_ok() {
                    done += 1;
                    slots.extend(places.into_iter().map(|place| (place, value)));
                } else {
                    let refusals = ["stale", "editor_refused", "contested", "not_found", "verify_failed"];
                    let data = answer.refused_as_any(&refusals);
                    if data["kind"] == "verify_failed" {
                        assert_saved_before_undone(&data);
                    }
                }
                check(&storm, &slots);
            }
            stop.store(true, Ordering::Relaxed);
            assert!(done > EDITS / 6, "{done} of {EDITS} edits succeeded");
            typing.join().expect("the typing thread")
        });
        for (name, words) in [("a.txt", in_a), ("b.txt", in_b)] {
            let text = storm.text(name);
            for word in &words {
                assert_eq!(text.matches(word.as_str()).count(), 1, "{word} in {text:?}");
            }
            assert!(!words.is_empty());
        }
        check(&storm, &slots);
    });
}
