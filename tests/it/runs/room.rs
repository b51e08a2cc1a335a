//! Limits of all snapshots together. Each folder of a project can be the root of a session.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace};

/// Number of folders, each in the one before.
const DEPTH: usize = 14;

/// Returns a chain of folders, with files in the last one that do not compress: a large one, and small ones.
fn nested(size: usize, small: usize) -> (Workspace, Vec<PathBuf>) {
    let workspace = Workspace::empty();
    let chain: Vec<_> = (1..=DEPTH).map(|depth| workspace.path(&vec!["d"; depth].join("/"))).collect();
    let deepest = chain.last().expect("a folder");
    fs::create_dir_all(deepest).expect("folders");
    let mut state = 1_u64;
    let mut noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    });
    let mut put = |name: &str, size| {
        let bytes: Vec<_> = noise.by_ref().take(size).collect();
        fs::write(deepest.join(name), bytes).expect("a file");
    };
    put("large", size);
    (0..small).for_each(|number| put(&number.to_string(), 60));
    (workspace, chain)
}

fn contents(machine: &Machine) -> u64 {
    let snapshots = fs::read_dir(machine.state().join("snapshots")).into_iter().flatten().flatten();
    snapshots.map(|it| fs::metadata(it.path().join("contents")).map_or(0, |file| file.len())).sum()
}

fn begin(machine: &Machine, folder: &Path) -> (Agent, Value) {
    let mut agent = machine.agent_named("eve", &Workspace::at(folder));
    let begun = agent.call("editd/runBegin", json!({ "command": "make" })).done();
    (agent, begun)
}

#[test]
fn snapshots_without_runs_make_room_for_others() {
    let mut machine = Machine::asleep("[limits]\nsnapshot_bytes = 500000\n");
    machine.serve();
    let (_workspace, chain) = nested(400_000, 0);
    for (at, folder) in chain.iter().enumerate() {
        if at == DEPTH / 2 {
            machine.restart();
        }
        let (mut agent, begun) = begin(&machine, folder);
        assert!(begun["run"].is_string(), "{begun}");
        fs::write(folder.join("made.txt"), "made\n").expect("a file");
        let ended = agent.call("editd/runEnd", json!({ "run": begun["run"] })).done();
        assert_eq!(ended["transactions"].as_array().map(Vec::len), Some(1), "{ended}");
        assert!(contents(&machine) <= 2_000_000, "{}", contents(&machine));
    }
}

#[test]
fn snapshots_with_runs_have_a_limit_together() {
    let machine = Machine::configured("[limits]\nsnapshot_bytes = 500000\n");
    // Four of them fit, and the small files fill the rest.
    let (_workspace, chain) = nested(490_000, 80);
    let all: Vec<_> = chain.iter().map(|folder| begin(&machine, folder)).collect();
    let begun = all.iter().filter(|(_, begun)| begun["run"].is_string()).count();
    assert_eq!(begun, 4);
    let reason = all.last().map(|(_, begun)| begun["reason"].to_string()).unwrap_or_default();
    assert!(reason.contains("the files of all projects with commands"), "{reason}");
    assert!(contents(&machine) <= 2_000_000, "{}", contents(&machine));
}

#[test]
fn roots_with_runs_have_a_limit_of_files_together() {
    let machine = Machine::configured("[limits]\nsnapshot_files = 20\n");
    let (_workspace, chain) = nested(10, 0);
    let all: Vec<_> = chain.iter().map(|folder| begin(&machine, folder)).collect();
    let begun = all.iter().filter(|(_, begun)| begun["run"].is_string()).count();
    assert!((5..DEPTH).contains(&begun), "{begun}");
    let reason = all.last().map(|(_, begun)| begun["reason"].to_string()).unwrap_or_default();
    assert!(reason.contains("have more than 80 files"), "{reason}");
    for (mut agent, begun) in all.into_iter().filter(|(_, begun)| begun["run"].is_string()) {
        agent.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    }
    // Roots without runs are forgotten, oldest first.
    for folder in &chain {
        let (mut agent, begun) = begin(&machine, folder);
        agent.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    }
}
