//! Tests of full disks on the real kernel: with any amount of free space, the files are all old or all new,
//! and nothing is left behind.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Volume, Workspace, eventually};

const FILES: [&str; 3] = ["a", "b", "c"];
const PAGE: usize = 4096;

/// Retries, because recently displaced files are held for a second and take up space.
fn fill(path: &Path, pages: usize) {
    eventually("space for the filler", || fs::write(path, vec![b'x'; pages * PAGE]).ok());
}

/// Fills a disk to its last byte.
fn fill_up(path: &Path) {
    let mut file = fs::File::create(path).expect("a file");
    while std::io::Write::write_all(&mut file, &[b'x'; 512]).is_ok() {}
}

fn grow() -> Vec<Value> {
    let write = |name| json!({ "kind": "write", "path": name, "content": "new line\n".repeat(PAGE / 4) });
    FILES.map(write).to_vec()
}

fn put_all(workspace: &Workspace) {
    for name in FILES {
        workspace.put(name, "old\n");
    }
}

fn read_all(agent: &mut Agent) {
    for name in FILES {
        agent.read(name);
    }
}

#[test]
fn a_growing_set_is_applied_as_a_whole_or_not_at_all() {
    let machine = Machine::start();
    let volume = Volume::tmpfs("size=128k");
    let workspace = Workspace::at(&volume.at().join("project"));
    let (mut refused, mut applied) = (0, 0);
    let mut agent = machine.agent(&workspace);
    // There are 32 pages. The files take one each, and their new texts three: first all fit, then two, one,
    // none.
    for pages in [10, 18, 20, 21, 22, 24, 26, 27, 28] {
        put_all(&workspace);
        let filler = volume.at().join("filler");
        fill(&filler, pages);
        read_all(&mut agent);
        let before = workspace.everything();
        match agent.changes(grow()) {
            Ok(_) => {
                applied += 1;
                assert!(
                    workspace
                        .everything()
                        .iter()
                        .all(|(_, text)| text.as_ref().is_none_or(|it| it.len() > PAGE))
                );
                assert_eq!(workspace.everything().len(), FILES.len(), "{pages} pages filled");
            }
            Err(error) => {
                refused += 1;
                let data = Err(error).refused("disk");
                assert!(data["required"].is_u64() && data["available"].is_u64(), "{data}");
                assert_eq!(workspace.everything(), before, "{pages} pages filled");
                fs::remove_file(&filler).expect("the filler");
                agent.changes(grow()).done();
            }
        }
    }
    assert!(refused > 4 && applied > 2, "{refused} refused, {applied} applied");
}

/// Changes with folder names that are new to the agent.
fn with_new_folders(round: usize) -> Vec<Value> {
    vec![
        json!({ "kind": "edit", "path": "a", "edits": [{ "oldText": "old", "newText": "new" }] }),
        json!({ "kind": "write", "path": format!("one-{round}/new"), "content": "new\n" }),
        json!({ "kind": "write", "path": format!("two-{round}/new"), "content": "new\n" }),
        json!({ "kind": "delete", "path": "b" }),
    ]
}

#[test]
fn a_disk_without_free_inodes_stays_unchanged() {
    let machine = Machine::start();
    let volume = Volume::tmpfs("size=1m,nr_inodes=20");
    let workspace = Workspace::at(&volume.at().join("project"));
    let mut agent = machine.agent(&workspace);
    let (mut refused, mut taken) = (0, 0);
    loop {
        put_all(&workspace);
        if fs::write(volume.at().join(format!("taken-{taken}")), "").is_err() {
            break;
        }
        taken += 1;
        read_all(&mut agent);
        let before = workspace.everything();
        if let Err(error) = agent.changes(with_new_folders(taken)) {
            refused += 1;
            Err(error).refused("disk");
            assert_eq!(workspace.everything(), before, "{taken} names taken");
        } else {
            assert_eq!(workspace.everything().len(), 6, "{taken} names taken");
            for name in ["one", "two"] {
                fs::remove_dir_all(workspace.path(&format!("{name}-{taken}"))).expect("a new folder");
            }
        }
    }
    assert!(refused > 2 && taken > refused + 2, "{refused} of {taken} refused");
}

#[test]
fn without_space_for_its_journal_the_daemon_reads_but_changes_nothing() {
    let volume = Volume::tmpfs("size=512k");
    let mut machine = Machine::asleep("durability = \"full\"\n");
    machine.keep_state_in(&volume.at().join("state"));
    machine.serve();
    let workspace = Workspace::with(&FILES.map(|name| (name, "old\n")));
    let mut agent = machine.agent(&workspace);
    read_all(&mut agent);
    let filler = volume.at().join("filler");
    fill_up(&filler);
    let before = workspace.everything();
    agent.changes(grow()).refused("disk");
    agent.edit("a", "old", "new").refused("disk");
    assert_eq!(workspace.everything(), before);
    workspace.put("later", "later\n");
    assert_eq!(agent.read("later")["text"], "later\n");
    fs::remove_file(&filler).expect("the filler");
    agent.changes(grow()).done();
    machine.crash();
    machine.serve();
    assert_eq!(workspace.everything().len(), FILES.len() + 1, "and a start finds nothing to do");
}
