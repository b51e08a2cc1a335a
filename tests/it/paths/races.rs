//! Folders that are swapped or moved while an agent edits in them. `EDITD_SWAPS` sets the number of edits, for
//! longer runs.

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

/// Something that is done over and over on a thread of its own, until it is dropped.
struct Restless {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<usize>>,
}

impl Restless {
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

    /// Two names that change places.
    fn swapping(a: PathBuf, b: PathBuf) -> Self {
        Self::new(move || {
            renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).expect("names can be swapped");
            std::thread::yield_now();
        })
    }

    /// How often it was done.
    fn end(mut self) -> usize {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.take().expect("it runs").join().expect("it does not fail")
    }
}

impl Drop for Restless {
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

/// Edits `d/a.txt` again and again while `d` is now the folder, now the link. Each edit is tried with the base
/// of both, so that nothing but the rules keeps it from what the link leads to.
fn edit_while_swapped(link_to: &Path, watched: &Path, workspace: &Workspace) {
    let machine = Machine::start();
    symlink(link_to, workspace.path("l")).expect("a link");
    let before = bytes_in(watched);
    let mut agent = machine.agent(workspace);
    let restless = Restless::swapping(workspace.path("d"), workspace.path("l"));
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
    assert!(restless.end() > 0);
    assert_eq!(bytes_in(watched), before, "nothing was written where the link leads");
    let folder = if workspace.path("d").is_symlink() { "l" } else { "d" };
    assert_eq!(workspace.text(&format!("{folder}/a.txt")), text, "the last edit that was answered");
    assert!(done > 0, "some edits met the folder");
}

#[test]
fn a_link_that_comes_and_goes_leads_no_edit_outside() {
    let workspace = Workspace::file("d/a.txt", "one\n");
    let outside = workspace.outside("out");
    fs::create_dir(&outside).expect("a folder outside");
    fs::write(outside.join("a.txt"), "canary\n").expect("a file outside");
    edit_while_swapped(&outside, &outside, &workspace);
}

#[test]
fn a_link_that_comes_and_goes_leads_no_edit_into_metadata() {
    let workspace = Workspace::with(&[("d/a.txt", "one\n"), (".git/hooks/a.txt", "canary\n")]);
    let hooks = workspace.path(".git/hooks");
    edit_while_swapped(Path::new(".git/hooks"), &hooks, &workspace);
}

#[test]
fn a_folder_that_is_moved_out_takes_whole_edits_or_none() {
    let (machine, workspace) = (Machine::start(), Workspace::file("d/a.txt", "one\n"));
    let outside = workspace.outside("out");
    fs::create_dir(&outside).expect("a folder outside");
    fs::write(outside.join("a.txt"), "canary\n").expect("a file outside");
    let (inside, away) = (workspace.path("d"), outside.join("d"));
    let mut is_inside = true;
    let (from, to) = (inside.clone(), away.clone());
    let restless = Restless::new(move || {
        let (from, to) = if is_inside { (&from, &to) } else { (&to, &from) };
        fs::rename(from, to).expect("the folder is where it was put");
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
    restless.end();
    let there = if inside.join("a.txt").exists() { &inside } else { &away };
    let names: Vec<_> = bytes_in(there);
    assert_eq!(names, [(there.join("a.txt"), text.into_bytes())], "one whole file and nothing beside it");
    assert_eq!(fs::read_to_string(outside.join("a.txt")).expect("a file"), "canary\n");
    assert!(answered > 0, "some edits met the folder");
}

/// A name that comes between the look and the write may lie anywhere.
#[test]
fn a_file_that_gets_second_names_is_written_whole_or_not_at_all() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let outside = workspace.outside("second");
    let (file, second) = (workspace.path("a.txt"), outside.clone());
    let restless = Restless::new(move || {
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
    restless.end();
}
