//! Tests in which a user saves while an agent edits: no save is lost without a trace.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::{Machine, Workspace, eventually, hash_of, is_portable, soak, tell};

/// The user's counter in the first line, the agent's in the second.
fn text(theirs: u64, ours: u64) -> String {
    format!("theirs {theirs:06}\nours {ours:06}\n")
}

fn numbers(text: &str) -> Option<(u64, u64)> {
    let mut lines = text.lines();
    let theirs = lines.next()?.strip_prefix("theirs ")?.parse().ok()?;
    Some((theirs, lines.next()?.strip_prefix("ours ")?.parse().ok()?))
}

/// The saves of a user: the texts saved, and those that stayed until a later save replaced them.
#[derive(Default)]
struct Saves {
    hashes: HashMap<u64, String>,
    replaced: HashSet<u64>,
}

/// Saves by renaming a new file over the old one, as most editors do. Uses an exchange, so that the test can
/// read what each save replaced.
fn save_until(stop: &AtomicBool, path: &Path) -> Saves {
    let mut saves = Saves::default();
    let new = path.with_file_name("their-new-file");
    for number in 1.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let present = fs::read_to_string(path).expect("the file is there at every moment");
        let (_, ours) = numbers(&present).expect("and whole at every moment");
        let newest = text(number, ours);
        saves.hashes.insert(number, hash_of(&newest));
        fs::write(&new, newest).expect("space");
        renameat_with(CWD, &new, CWD, path, RenameFlags::EXCHANGE).expect("a save");
        let displaced = fs::read_to_string(&new).expect("what it took the place of");
        saves.replaced.insert(numbers(&displaced).expect("which is whole, too").0);
        fs::remove_file(&new).expect("it goes");
        std::thread::sleep(Duration::from_micros(number % 11 * 300));
    }
    saves
}

#[test]
fn a_concurrent_save_by_rename_stays_or_is_rescued() {
    if is_portable() {
        // Without an exchange of names, a save right before the rename is lost.
        return;
    }
    let (machine, workspace) = (Machine::start(), Workspace::file("file", text(0, 0)));
    let mut agent = machine.agent(&workspace);
    let stop = AtomicBool::new(false);
    let length = soak().unwrap_or(Duration::from_secs(3));
    let (mut edits, mut refused) = (0, 0);
    let Saves { hashes, mut replaced } = std::thread::scope(|scope| {
        let person = scope.spawn(|| save_until(&stop, &workspace.path("file")));
        let start = Instant::now();
        while start.elapsed() < length {
            let read = agent.read("file");
            let (_, ours) = numbers(read["text"].as_str().expect("a text")).expect("a whole text");
            match agent.edit("file", &format!("ours {ours:06}"), &format!("ours {:06}", ours + 1)) {
                Ok(_) => edits += 1,
                Err(error) => {
                    assert_eq!(error.kind(), "stale", "{error:?}");
                    refused += 1;
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
        person.join().expect("their thread")
    });
    replaced.insert(numbers(&workspace.text("file")).expect("a whole text").0);
    let gone: HashSet<_> =
        hashes.iter().filter(|(save, _)| !replaced.contains(*save)).map(|(_, hash)| hash.clone()).collect();
    tell(&format!("{} saves, {edits} edits, {refused} refused, {} gone", hashes.len(), gone.len()));
    assert!(edits > 0 && hashes.len() > 10, "{edits} edits, {} saves", hashes.len());
    eventually("every overwritten save to be rescued", || agent.kept().is_superset(&gone).then_some(()));
}
