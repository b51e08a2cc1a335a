//! Concurrent searches, cancellation and deadlines.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace, eventually, numbered_lines, within};

use super::scene::{rows, search};

const CANCELLED: i64 = -32800;

/// Creates a tree that takes a while to search with a slow pattern.
fn large() -> Workspace {
    let workspace = Workspace::empty();
    let text = numbered_lines(100_000);
    for file in 0..100 {
        workspace.put(&format!("{}/{file}.txt", file % 10), &text);
    }
    workspace
}

/// A pattern that is slow because of its nested repetitions.
const SLOW: &str = r"(?:\w+\W+){3,30}nothing$";

#[test]
fn a_cancelled_search_stops_and_frees_its_slot() {
    let (machine, workspace) = (Machine::start(), large());
    let mut agent = machine.agent(&workspace);
    let started = Instant::now();
    for _ in 0..8 {
        let id = agent.send("editd/search", json!({ "pattern": SLOW }));
        agent.notify("$/cancelRequest", json!({ "id": id }));
        assert_eq!(agent.answer(id).expect_err("cancelled").code, CANCELLED);
    }
    let found = search(&mut agent, json!({ "pattern": "line 1$", "path": "0/0.txt" }));
    assert_eq!(rows(&found, &workspace), ["0/0.txt:1:line 1"]);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

/// Returns the processor time of the daemon so far, in ticks.
fn cpu_ticks(machine: &Machine) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", machine.pid().as_raw_nonzero()));
    let stat = stat.expect("the daemon lives");
    let fields: Vec<_> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
}

#[test]
fn a_cancelled_search_leaves_no_thread() {
    let (machine, workspace) = (Machine::start(), large());
    let mut agent = machine.agent(&workspace);
    let before = cpu_ticks(&machine);
    let id = agent.send("editd/search", json!({ "pattern": SLOW }));
    eventually("the search to be under way", || (cpu_ticks(&machine) > before + 5).then_some(()));
    agent.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(agent.answer(id).expect_err("cancelled").code, CANCELLED);
    let threads = || {
        let folder = format!("/proc/{}/task", machine.pid().as_raw_nonzero());
        let tasks = std::fs::read_dir(folder).expect("threads").flatten();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        names.filter(|name| name.trim() == "search").count()
    };
    within(Duration::from_secs(2), "the threads to end", || (threads() == 0).then_some(()));
}

#[test]
fn concurrent_searches_get_equal_answers() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for file in 0..200 {
        workspace.put(&format!("{}/{file:03}.txt", file % 7), numbered_lines(50));
    }
    let mut agents: Vec<_> =
        (0..6).map(|number| machine.agent_named(&format!("a{number}"), &workspace)).collect();
    let params = json!({ "pattern": "line 7$", "limit": 150 });
    let mut pending = Vec::new();
    for (number, agent) in agents.iter_mut().enumerate() {
        for _ in 0..10 {
            pending.push((number, agent.send("editd/search", params.clone())));
        }
    }
    let mut answers: Vec<_> =
        pending.into_iter().map(|(number, id)| agents[number].answer(id).done()).collect();
    answers.dedup();
    assert_eq!(answers.len(), 1, "all are the same");
    assert_eq!(answers[0]["matches"].as_array().expect("a list").len(), 150);
}

#[test]
fn edits_do_not_wait_for_searches() {
    let (machine, workspace) = (Machine::start(), large());
    workspace.put("a.txt", "one\n");
    let mut searching = machine.agent_named("bob", &workspace);
    let searches: Vec<_> =
        (0..4).map(|_| searching.send("editd/search", json!({ "pattern": SLOW }))).collect();
    let mut agent = machine.agent(&workspace);
    let started = Instant::now();
    agent.read_and_edit("a.txt", "one", "two").done();
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    for id in searches {
        searching.notify("$/cancelRequest", json!({ "id": id }));
        let _ = searching.answer(id);
    }
}

/// Creates a file with one long line, like a JavaScript bundle.
fn bundle() -> Workspace {
    let mut text = String::new();
    let mut state = 1_u32;
    while text.len() < 4 << 20 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push("abcdefghé".chars().nth((state >> 16) as usize % 9).unwrap_or('a'));
    }
    Workspace::file("mini.js", text)
}

/// Patterns that need hundreds of states at a time on a long line.
const HEAVY: [&str; 3] = [
    "[a-hé]*a[a-hé]{500}[^a-hé]",
    r"\b(?:[a-dé]|[e-h]){1,900}[XYZ1-9]\b",
    "(?:[a-h]|é|[a-d][e-h]){1,2000}[0-9]",
];

#[test]
fn a_heavy_pattern_does_not_exceed_the_deadline() {
    let (machine, workspace) = (Machine::configured("[limits]\ndeadline_ms = 500\n"), bundle());
    let mut agent = machine.agent(&workspace);
    for pattern in HEAVY {
        let started = Instant::now();
        let found = search(&mut agent, json!({ "pattern": pattern }));
        assert_eq!(found["truncated"], true, "{found}");
        assert!(started.elapsed() < Duration::from_secs(5), "{pattern}: {:?}", started.elapsed());
    }
}

#[test]
fn cancelled_heavy_searches_free_their_slots() {
    let (machine, workspace) = (Machine::start(), bundle());
    workspace.put("a.txt", "one\n");
    let before = cpu_ticks(&machine);
    let searches: Vec<_> = (0..4)
        .map(|number| {
            let mut agent = machine.agent_named(&format!("a{number}"), &workspace);
            let id = agent.send("editd/search", json!({ "pattern": HEAVY[number % 3] }));
            (agent, id)
        })
        .collect();
    eventually("the searches to be under way", || (cpu_ticks(&machine) > before + 20).then_some(()));
    let started = Instant::now();
    for (mut agent, id) in searches {
        agent.notify("$/cancelRequest", json!({ "id": id }));
        assert_eq!(agent.answer(id).expect_err("cancelled").code, CANCELLED);
    }
    let found = search(&mut machine.agent(&workspace), json!({ "pattern": "one", "path": "a.txt" }));
    assert_eq!(rows(&found, &workspace), ["a.txt:1:one"]);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn the_daemon_exits_during_a_heavy_search() {
    let (mut machine, workspace) = (Machine::start(), bundle());
    let before = cpu_ticks(&machine);
    let mut agent = machine.agent(&workspace);
    agent.send("editd/search", json!({ "pattern": HEAVY[0] }));
    eventually("the search to be under way", || (cpu_ticks(&machine) > before + 20).then_some(()));
    let started = Instant::now();
    assert!(machine.run(&["stop"]).status.success());
    machine.until_ended();
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
}
