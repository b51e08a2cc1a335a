//! A person saves while an agent edits: no save is lost without a trace.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Machine, Workspace, eventually, hash_of, soak, tell};

/// Theirs in the first line, the agent's in the second.
fn text(theirs: u64, ours: u64) -> String {
    format!("theirs {theirs:06}\nours {ours:06}\n")
}

fn numbers(text: &str) -> Option<(u64, u64)> {
    let mut lines = text.lines();
    let theirs = lines.next()?.strip_prefix("theirs ")?.parse().ok()?;
    Some((theirs, lines.next()?.strip_prefix("ours ")?.parse().ok()?))
}

/// Saves by renaming a new file over the old one, as most editors do; gives the saves that did not survive until
/// the next look.
fn save_until(stop: &AtomicBool, path: &Path) -> (u64, HashMap<u64, String>) {
    let (mut saves, mut gone, mut newest) = (0, HashMap::new(), text(0, 0));
    while !stop.load(Ordering::Relaxed) {
        let present = fs::read_to_string(path).expect("the file is there at every moment");
        let (theirs, ours) = numbers(&present).expect("and whole at every moment");
        if theirs != saves {
            gone.insert(saves, hash_of(&newest));
        }
        saves += 1;
        let new = path.with_file_name("their-new-file");
        newest = text(saves, ours);
        fs::write(&new, &newest).and_then(|()| fs::rename(&new, path)).expect("a save");
        std::thread::sleep(Duration::from_micros(saves % 11 * 300));
    }
    (saves, gone)
}

#[test]
fn a_save_by_rename_beside_an_agent_is_there_or_kept() {
    let (machine, workspace) = (Machine::start(), Workspace::file("file", text(0, 0)));
    let mut agent = machine.agent(&workspace);
    let stop = AtomicBool::new(false);
    let length = soak().unwrap_or(Duration::from_secs(3));
    let (mut edits, mut refused, mut seen) = (0, 0, HashSet::new());
    let (saves, gone) = std::thread::scope(|scope| {
        let person = scope.spawn(|| save_until(&stop, &workspace.path("file")));
        let start = Instant::now();
        while start.elapsed() < length {
            let read = agent.read("file");
            let (theirs, ours) = numbers(read["text"].as_str().expect("a text")).expect("a whole text");
            seen.insert(theirs);
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
    assert!(edits > 10 && saves > 10, "{edits} edits, {saves} saves");
    let mut lost = || {
        let kept = agent.kept();
        gone.iter().filter(|(save, hash)| !seen.contains(*save) && !kept.contains(*hash)).count()
    };
    tell(&format!("{saves} saves, {edits} edits, {refused} refused, {} gone", gone.len()));
    eventually("every save that is gone to be kept", || (lost() == 0).then_some(()));
}
