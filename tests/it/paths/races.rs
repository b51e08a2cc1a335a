//! Folders that are swapped or moved while an agent edits files in them. `EDITD_SWAPS` sets the number of
//! edits for longer runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::support::{Machine, Workspace, hash_of};

const EDITS: usize = 300;

fn edits() -> usize {
    std::env::var("EDITD_SWAPS").ok().and_then(|count| count.parse().ok()).unwrap_or(EDITS)
}

/// Repeats an action on a separate thread until it is dropped.
struct Repeated {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<usize>>,
}

impl Repeated {
    fn new(mut step: impl FnMut() + Send + 'static) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let seen = ended.clone();
        let thread = std::thread::spawn(move || {
            let mut count = 0;
            while !seen.load(Ordering::Relaxed) {
                step();
                count += 1;
            }
            count
        });
        Self { ended, thread: Some(thread) }
    }

    /// Swaps two names repeatedly.
    fn swapping(a: PathBuf, b: PathBuf) -> Self {
        Self::new(move || {
            renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).expect("names can be swapped");
            std::thread::yield_now();
        })
    }

    /// Stops, and returns the number of repetitions.
    fn stop(mut self) -> usize {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.take().expect("a running thread").join().expect("a thread that does not panic")
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

fn bytes_in(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| (entry.path(), fs::read(entry.path()).unwrap_or_default()))
        .collect();
    found.sort();
    found
}

/// Edits `d/a.txt` repeatedly while `d` alternates between the folder and a symlink. Each edit is tried with
/// the bases of both files, so that only the path rules prevent an edit of the symlink's target.
fn edit_while_swapped(link_to: &Path, watched: &Path, workspace: &Workspace) {
    let machine = Machine::start();
    symlink(link_to, workspace.path("l")).expect("a link");
    let before = bytes_in(watched);
    let mut agent = machine.agent(workspace);
    let repeated = Repeated::swapping(workspace.path("d"), workspace.path("l"));
    let (mut done, mut text) = (0, "one\n".to_owned());
    for count in 0..edits() {
        let new = format!("number {count}\n");
        let base = if count % 4 == 3 { hash_of("canary\n") } else { hash_of(&text) };
        let write = json!({ "kind": "write", "path": "d/a.txt", "content": new, "baseHash": base });
        if agent.change(write).is_ok() {
            done += 1;
            text = new;
        }
        let create = json!({ "kind": "write", "path": format!("d/new-{count}.txt"), "content": "x\n" });
        let _ = agent.change(create);
    }
    assert!(repeated.stop() > 0);
    assert_eq!(bytes_in(watched), before, "nothing was written to the target of the symlink");
    let folder = if workspace.path("d").is_symlink() { "l" } else { "d" };
    assert_eq!(workspace.text(&format!("{folder}/a.txt")), text, "the last acknowledged edit");
    assert!(done > 0, "some edits succeeded");
}

#[test]
fn a_symlink_swapped_in_redirects_no_edit_outside() {
    let workspace = Workspace::file("d/a.txt", "one\n");
    let outside = workspace.outside("out");
    fs::create_dir(&outside).expect("a folder outside");
    fs::write(outside.join("a.txt"), "canary\n").expect("a file outside");
    edit_while_swapped(&outside, &outside, &workspace);
}

#[test]
fn a_symlink_swapped_in_redirects_no_edit_into_metadata() {
    let workspace = Workspace::with(&[("d/a.txt", "one\n"), (".git/hooks/a.txt", "canary\n")]);
    let hooks = workspace.path(".git/hooks");
    edit_while_swapped(Path::new(".git/hooks"), &hooks, &workspace);
}

#[test]
fn a_folder_moved_out_contains_complete_edits_only() {
    let (machine, workspace) = (Machine::start(), Workspace::file("d/a.txt", "one\n"));
    let outside = workspace.outside("out");
    fs::create_dir(&outside).expect("a folder outside");
    fs::write(outside.join("a.txt"), "canary\n").expect("a file outside");
    let (inside, away) = (workspace.path("d"), outside.join("d"));
    let mut is_inside = true;
    let (from, to) = (inside.clone(), away.clone());
    let repeated = Repeated::new(move || {
        let (from, to) = if is_inside { (&from, &to) } else { (&to, &from) };
        fs::rename(from, to).expect("the folder can be moved");
        is_inside = !is_inside;
        std::thread::yield_now();
    });
    let mut agent = machine.agent(&workspace);
    let (mut answered, mut text) = (0, "one\n".to_owned());
    for count in 0..edits() {
        let new = format!("number {count}\n");
        let edit = json!({ "kind": "edit", "path": "d/a.txt", "baseHash": hash_of(&text),
                           "edits": [{ "oldText": text, "newText": new }] });
        match agent.change(edit) {
            Ok(_) => {
                answered += 1;
                text = new;
            }
            Err(error) => assert!(
                ["missing", "disk", "stale", "outside_workspace"].contains(&error.kind()),
                "{error:?}"
            ),
        }
    }
    repeated.stop();
    let there = if inside.join("a.txt").exists() { &inside } else { &away };
    let names: Vec<_> = bytes_in(there);
    assert_eq!(names, [(there.join("a.txt"), text.into_bytes())], "one complete file and no other");
    assert_eq!(fs::read_to_string(outside.join("a.txt")).expect("a file"), "canary\n");
    assert!(answered > 0, "some edits succeeded");
}

/// A hard link created between the check and the write may be anywhere.
#[test]
fn a_file_that_gets_hard_links_is_written_completely_or_not_at_all() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let outside = workspace.outside("second");
    let (file, second) = (workspace.path("a.txt"), outside.clone());
    let repeated = Repeated::new(move || {
        let _ = fs::hard_link(&file, &second);
        std::thread::yield_now();
        let _ = fs::remove_file(&second);
        std::thread::yield_now();
    });
    let mut agent = machine.agent(&workspace);
    let mut text = "one\n".to_owned();
    for count in 0..edits() {
        let new = format!("number {count}\n");
        let write = json!({ "kind": "write", "path": "a.txt", "content": new, "baseHash": hash_of(&text) });
        match agent.change(write) {
            Ok(_) => text = new,
            Err(error) => assert!(["protected", "disk", "stale"].contains(&error.kind()), "{error:?}"),
        }
        assert_eq!(workspace.text("a.txt"), text);
    }
    repeated.stop();
}
