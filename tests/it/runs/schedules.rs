//! Random schedules of clients that take from others, for as long as `tests/soak schedules` wants. Each has an oracle
//! that knows from outside what must be left.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use scopeguard::guard;
use serde_json::json;

use super::command::history;
use super::visibility::try_undos_for;
use crate::support::{
    Agent, Chance, Editor, Kind, Machine, Manner, Outcome, Workspace, eventually, hash_of, is_portable, soak,
    tell,
};

/// Time after a change in which a late write of another program is noticed.
const NOTICED: Duration = Duration::from_secs(1);

fn length() -> Duration {
    soak().unwrap_or(Duration::from_secs(4))
}

/// Returns `true` if a text of `file` with that hash was rescued lately.
fn is_kept(agent: &mut Agent, hash: &str) -> bool {
    let told = agent.call("editd/history", json!({ "path": "file", "limit": 20 })).done();
    let page = told["transactions"].as_array().expect("transactions");
    page.iter().any(|one| one["rescued"] == true && one["files"][0]["hashBefore"] == hash)
}

/// Commands change ignore rules, branches, repositories, places and mounts; their undo deletes only what they created.
#[test]
fn undos_of_commands_delete_nothing_else() {
    let cases = try_undos_for(length());
    tell(&format!("{cases} rounds in visibility"));
}

/// A program has a file open and writes late, while another session replaces many files: each late text is kept.
#[test]
fn late_writes_are_kept_beside_many_edits() {
    if is_portable() {
        return;
    }
    let (machine, workspace) = (Machine::start(), Workspace::file("file", "old 0\n"));
    let mut random = Chance::new("late writes");
    let (stop, mut rounds) = (AtomicBool::new(false), 0);
    for n in 0..4 {
        workspace.put(&format!("many{n}.txt"), "0\n");
    }
    thread::scope(|scope| {
        let flood = |n: usize| {
            let (mut agent, name) = (machine.agent_named("eve", &workspace), format!("many{n}.txt"));
            let mut number = 0;
            agent.read(&name);
            while !stop.load(Ordering::Relaxed) {
                agent.edit(&name, &format!("{number}\n"), &format!("{}\n", number + 1)).done();
                number += 1;
            }
            number
        };
        let floods: Vec<_> = (0..4).map(|n| scope.spawn(move || flood(n))).collect();
        // Also if this thread panics.
        let stopped = guard((), |()| stop.store(true, Ordering::Relaxed));
        let mut agent = machine.agent_named("robin", &workspace);
        let began = Instant::now();
        while began.elapsed() < length() {
            agent.read("file");
            // Without write access until the swap, so that the lease of the daemon is granted.
            let late = File::options().write(true).open(workspace.path("file")).expect("their file");
            let old = workspace.text("file");
            let new = format!("new {rounds}\n");
            let edited = Instant::now();
            if agent.edit("file", &old, &new).is_err() {
                continue;
            }
            let text = format!("late {rounds} {}\n", random.below(1 << 30));
            random.pause(Duration::from_millis(600));
            late.set_len(0).expect("their save");
            late.write_all_at(text.as_bytes(), 0).expect("their save");
            drop(late);
            // Writes are noticed for a second. A busy machine may have delayed this one.
            if edited.elapsed() > NOTICED {
                continue;
            }
            let hash = hash_of(&text);
            eventually("the late text to be kept", || {
                (workspace.text("file") == text || is_kept(&mut agent, &hash)).then_some(())
            });
            rounds += 1;
        }
        drop(stopped);
        let edits: u32 = floods.into_iter().map(|flood| flood.join().expect("edits")).sum();
        tell(&format!("{rounds} rounds in late writes beside {edits} edits"));
    });
    assert!(rounds > 0);
}

/// The daemon is killed while a command runs, and a person goes on working: the agent undoes only its command.
#[test]
fn an_interrupted_command_gets_no_work_of_others() {
    let (mut machine, mut rounds) = (Machine::start(), 0);
    let mut random = Chance::new("interrupted commands");
    let began = Instant::now();
    while began.elapsed() < length() {
        let workspace = Workspace::with(&[("a.txt", "one\n"), ("mine.txt", "mine\n"), ("old/b.txt", "b\n")]);
        let mark = workspace.path("begun");
        fs::write(workspace.path(".gitignore"), "begun\n").expect("rules");
        let script = "echo two > a.txt; touch begun; sleep 0.2; while [ -e begun ]; do echo more >> made.txt; sleep 0.01; done";
        let mut command = machine.command(&["--no-spawn", "run", "--as", "robin", "--", "sh", "-c", script]);
        let mut child = command.current_dir(workspace.root()).stderr(Stdio::null()).spawn().expect("editd");
        eventually("the command has begun", || mark.exists().then_some(()));
        let is_old = random.below(2) == 0;
        sleep(if is_old { Duration::from_millis(1200) } else { Duration::ZERO });
        random.pause(Duration::from_millis(300));
        machine.crash();
        random.pause(Duration::from_millis(300));
        child.kill().expect("a command");
        child.wait().expect("an end");
        fs::remove_file(&mark).expect("the sign for the command to end");
        let written = format!("hers {rounds}\n");
        workspace.put("mine.txt", &written);
        workspace.put("new/hers.txt", &written);
        fs::remove_dir_all(workspace.path("old")).expect("a folder");
        machine.serve();
        let past = eventually("the record", || {
            let past = history(&machine, &workspace);
            past.iter().any(|entry| entry["author"] == "disk").then_some(past)
        });
        let mut robin = machine.agent_named("robin", &workspace);
        for entry in &past {
            let undone = robin.call("editd/undo", json!({ "transaction": entry["transaction"] }));
            assert!(undone.is_ok() == (entry["author"] == "robin"), "{entry:#}");
        }
        assert_eq!(workspace.text("mine.txt"), written, "{past:#?}");
        assert_eq!(workspace.text("new/hers.txt"), written, "{past:#?}");
        assert!(!workspace.has("old"), "{past:#?}");
        if is_old {
            assert_eq!(workspace.text("a.txt"), "one\n", "what was changed long before is the command's");
        }
        rounds += 1;
    }
    tell(&format!("{rounds} rounds in interrupted commands"));
    assert!(rounds > 0);
}

/// A set of a document and of a file on disk fails, while the user types, saves, closes or opens the document: nothing
/// of the set stays, and nothing of the user is lost.
#[test]
fn refused_sets_leave_nothing_in_documents() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let (plugin, plain) = (
        Editor::named(&machine, &workspace, Kind::Plugin, "plugin", "utf-16"),
        Editor::named(&machine, &workspace, Kind::Plain, "plain", "utf-8"),
    );
    let mut agent = machine.agent_named("robin", &workspace);
    let mut random = Chance::new("refused sets");
    let (began, mut rounds, mut refused) = (Instant::now(), 0, 0);
    while began.elapsed() < length() {
        let (a, c) = (format!("a{}.txt", rounds % 50), format!("c{}.txt", rounds % 50));
        let end = ["\n", "\r\n"][random.below(2) as usize];
        workspace.put(&a, format!("one {rounds}{end}"));
        workspace.put(&c, format!("one {rounds}\n"));
        let editor = if random.below(2) == 0 { &plugin } else { &plain };
        let uri = editor.open(&workspace, &a);
        agent.read_all(&[&a, &c]);
        let manners = [
            Manner::Honest,
            Manner::SavesAfter,
            Manner::ClosesAfter,
            Manner::ReopensAfter,
            Manner::OnlyOnce,
            Manner::TypesAfter("typed"),
        ];
        let manner = manners[random.below(6) as usize].clone();
        let is_changed = random.below(4) > 0;
        if is_changed {
            let c = workspace.path(&c);
            editor.on_apply(move || fs::write(&c, "other\n").expect("a write"));
        }
        editor.behave(manner.clone());
        let changes = [&a, &c].map(
            |path| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "one", "newText": "1" }] }),
        );
        let outcome = agent.changes(changes.to_vec());
        assert_eq!(outcome.is_err(), is_changed, "{manner:?} {outcome:?}");
        editor.behave(Manner::Honest);
        if manner != Manner::ClosesAfter {
            if random.below(2) == 0 || !is_changed || matches!(manner, Manner::TypesAfter(_)) {
                editor.save(&uri);
            }
            editor.close(&uri);
        }
        let typed = if matches!(manner, Manner::TypesAfter(_)) { "typed" } else { "" };
        let (one, other) =
            if is_changed { ("one", "other".to_owned()) } else { ("1", format!("1 {rounds}")) };
        let left = (format!("{one} {rounds}{end}{typed}"), format!("{other}\n"));
        eventually(&format!("{left:?} after {manner:?} in {}", editor.name()), || {
            ((workspace.text(&a), workspace.text(&c)) == left).then_some(())
        });
        eventually("the end of the recovery", || {
            (agent.call("editd/status", json!({})).done()["recovering"] == 0).then_some(())
        });
        rounds += 1;
        refused += u32::from(is_changed);
    }
    tell(&format!("{rounds} rounds in refused sets, {refused} of them refused"));
    assert!(refused > 0);
}
