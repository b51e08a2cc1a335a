//! Random commands, with edits of agents and of people in between: undoing all restores everything.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use serde_json::json;

use super::command::{history, run};
use crate::support::{Machine, Outcome, Workspace, numbered_lines};

/// The state of a path: its kind with its permissions, and its content or target.
type State = (String, Vec<u8>);

/// Returns all paths with their states, without the metadata of git.
pub(super) fn tree(root: &Path) -> BTreeMap<PathBuf, State> {
    fn visit(folder: &Path, root: &Path, found: &mut BTreeMap<PathBuf, State>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path == root.join(".git") {
                continue;
            }
            let metadata = path.symlink_metadata().expect("a state");
            let state = if metadata.is_symlink() {
                (
                    "link".to_owned(),
                    fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes(),
                )
            } else if metadata.is_dir() {
                visit(&path, root, found);
                (format!("folder {:o}", metadata.permissions().mode()), Vec::new())
            } else {
                (format!("file {:o}", metadata.permissions().mode()), fs::read(&path).expect("a file"))
            };
            found.insert(path.strip_prefix(root).expect("below").to_owned(), state);
        }
    }
    let mut found = BTreeMap::new();
    visit(root, root, &mut found);
    found
}

const FILES: [&str; 7] = ["a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt", "bin.dat", "run.sh", "Name"];
const LINKS: [&str; 3] = ["link", "sub/link", "other"];
const FOLDERS: [&str; 4] = ["sub", "sub/deep", "more", "more/new"];

fn file() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&FILES[..])
}

fn folder() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&FOLDERS[..])
}

/// A name of any kind.
fn name() -> impl Strategy<Value = &'static str> {
    prop_oneof![file(), prop::sample::select(&LINKS[..]), folder()]
}

/// A command line. It may fail: then it has changed less.
fn step() -> impl Strategy<Value = String> {
    prop_oneof![
        (file(), 0..50u32).prop_map(|(file, n)| format!("echo line {n} >> {file}")),
        (file(), 0..50u32).prop_map(|(file, n)| format!("printf 'new {n}\\n' > {file}")),
        (file(), 1..9u32).prop_map(|(file, n)| format!("sed -i '{n}s/^/changed /' {file}")),
        (file(), 1..9u32).prop_map(|(file, n)| format!("sed -i '{n}d' {file}")),
        file().prop_map(|file| format!("printf 'x\\0\\377%s' $RANDOM > {file}")),
        file().prop_map(|file| format!("head -c 300000 /dev/zero | tr '\\0' 'z' > {file}")),
        file().prop_map(|file| format!("rm -f {file}")),
        (file(), file())
            .prop_map(|(from, to)| format!("[ -f {from} ] && [ ! -d {to} ] && mv -f {from} {to}")),
        (file(), file()).prop_map(|(from, to)| format!("[ ! -d {to} ] && cp {from} {to}")),
        (file(), prop::sample::select(&LINKS[..])).prop_map(|(to, link)| format!("ln -sfn {to} {link}")),
        prop::sample::select(&LINKS[..]).prop_map(|link| format!("rm -f {link}")),
        (file(), prop::sample::select(&[0o600, 0o644, 0o755, 0o640][..]))
            .prop_map(|(file, mode)| format!("[ -L {file} ] || chmod {mode:o} {file}")),
        folder().prop_map(|folder| format!("mkdir -p {folder}")),
        folder().prop_map(|folder| format!("rm -rf {folder}")),
        (folder(), folder()).prop_map(|(from, to)| format!("mv {from} {to}")),
        folder().prop_map(|folder| format!("chmod 750 {folder}")),
        file().prop_map(|file| format!("[ -L {file} ] || truncate -s 3 {file}")),
        Just("mv Name name || mv name Name".to_owned()),
        // Names that become another kind.
        (name(), file()).prop_map(|(name, to)| format!("rm -rf {name}; ln -s /$PWD/{to} {name}")),
        (name(), folder()).prop_map(|(name, to)| format!("rm -rf {name}; ln -s {to} {name}")),
        (name(), 0..50u32).prop_map(|(name, n)| format!("rm -rf {name}; echo file {n} > {name}")),
        (name(), 0..50u32).prop_map(|(name, n)| {
            format!("rm -rf {name}; mkdir {name} && echo {n} > {name}/x && ln -s x {name}/link && mkdir -p {name}/deep")
        }),
        (name(), name()).prop_map(|(from, to)| format!("rm -rf {to}; mv {from} {to}")),
        (folder(), name()).prop_map(|(from, link)| format!("rm -rf {link}; mv {from} {link} && ln -s {link} {from}")),
        Just("git add -A; git commit -qm step".to_owned()),
        Just("git stash -q -u".to_owned()),
        Just("git stash pop -q".to_owned()),
        Just("git checkout -q -f HEAD~1 || git checkout -q -f main".to_owned()),
        Just("git reset -q --hard".to_owned()),
    ]
}

/// A step of somebody.
#[derive(Clone, Debug)]
enum Turn {
    Run(Vec<String>),
    /// An agent writes an existing file through editd.
    Edit(&'static str, u32),
}

fn turn() -> impl Strategy<Value = Turn> {
    prop_oneof![
        4 => prop::collection::vec(step(), 1..5).prop_map(Turn::Run),
        1 => (file(), 0..50u32).prop_map(|(file, n)| Turn::Edit(file, n)),
    ]
}

/// Returns a copy of the sources of editd in a repository of its own. The links, modes and files are those of a real
/// project.
fn real_project() -> Workspace {
    let workspace = Workspace::empty();
    let copy = "cd \"$1\" && { git ls-files -z 2>/dev/null || find src docs scripts -type f -print0; } | \
                grep -zE '^(src/(edit|text)|docs|scripts)/' | xargs -0 cp -P --parents -t \"$2\" && cd \"$2\" && \
                git init -q -b main && git config user.email a@b && git config user.name a && git add -A && git commit -qm one";
    let mut command = Command::new("bash");
    command.args(["-c", copy, "copy", env!("CARGO_MANIFEST_DIR")]).arg(workspace.root());
    assert!(command.status().expect("bash").success());
    workspace
}

/// Commands as people and agents run them in a project.
const REAL_STEPS: [&str; 9] = [
    "grep -rlZ 'fn ' src | xargs -0 sed -i 's/\\bself\\b/this/g'",
    "find docs -name '*.md' -exec sed -i 's/[[:space:]]*$//; s/^/> /' {} +",
    "git mv src lib && ln -s lib source && git commit -qam 'Rename the folder'",
    "rm -rf src/edit/[a-m]*; find . -name '*.rs' -size +6k -exec truncate -s 5000 {} +",
    "chmod -R g-r docs; chmod +x docs/*.md; mkdir -p empty/folders/here",
    "find . -name '*.rs' -not -path './.git/*' | head -40 | xargs -I{} sh -c 'gzip -c {} > {}.gz'",
    "git stash -qu && git stash pop -q; git checkout -q -b other && git commit -qam other; git checkout -q main",
    "git checkout -q HEAD~1 2>/dev/null; git reset -q --hard; git clean -qfd",
    "find . -name '*.rs' -not -path './.git/*' -exec unix2dos -q {} + 2>/dev/null || find docs -type f -exec sed -i 's/$/\\r/' {} +",
];

#[test]
fn commands_in_a_real_project_are_undone() {
    let (machine, workspace) = (Machine::start(), real_project());
    let mut states = vec![tree(workspace.root())];
    for step in REAL_STEPS {
        let recorded = history(&machine, &workspace).len();
        run(&machine, &workspace, &format!("exec 2>/dev/null; {step}; true"));
        let is_recorded = history(&machine, &workspace).len() > recorded;
        let now = tree(workspace.root());
        assert_eq!(is_recorded, states.last() != Some(&now), "{step}");
        if is_recorded {
            states.push(now);
        }
    }
    let past = history(&machine, &workspace);
    let mut agent = machine.agent_named("robin", &workspace);
    for entry in &past {
        agent.call("editd/undo", json!({ "transaction": entry["transaction"] })).done();
    }
    let after = tree(workspace.root());
    let differs: Vec<_> =
        states[0].iter().filter(|(path, state)| after.get(*path) != Some(*state)).map(|it| it.0).collect();
    assert!(differs.is_empty() && after.len() == states[0].len(), "{differs:?}");
}

fn project() -> Workspace {
    let lines = numbered_lines(9);
    let workspace = Workspace::with(&[
        ("a.txt", lines.as_bytes()),
        ("b.txt", b"caf\xe9\r\nsecond\r\n"),
        ("sub/c.txt", b"\xef\xbb\xbfone\ntwo"),
        ("bin.dat", b"\0\x01\x02"),
        ("run.sh", b"#!/bin/sh\n"),
        ("Name", b"upper\n"),
        (".gitignore", b"*.log\n"),
    ]);
    symlink("a.txt", workspace.path("link")).expect("a link");
    fs::set_permissions(workspace.path("run.sh"), fs::Permissions::from_mode(0o755)).expect("a mode");
    let git = "git init -q -b main && git config user.email a@b && git config user.name a && git add -A && git commit -qm one";
    let done = Command::new("sh").args(["-c", git]).current_dir(workspace.root()).status().expect("git");
    assert!(done.success());
    workspace
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 40, ..ProptestConfig::default() })]
    #[test]
    fn undoing_all_restores_everything(turns in prop::collection::vec(turn(), 1..7)) {
        let (machine, workspace) = (Machine::start(), project());
        let before = tree(workspace.root());
        for turn in &turns {
            match turn {
                Turn::Run(steps) => {
                    run(&machine, &workspace, &format!("exec 2>/dev/null; {}; true", steps.join("; ")));
                }
                Turn::Edit(file, n) => {
                    let mut agent = machine.agent_named("robin", &workspace);
                    if agent.try_read(file).is_ok() {
                        // It is refused for a file that is not text. New folders of editd would stay after the undo.
                        let _ = agent.change(json!({ "path": file, "kind": "write", "content": format!("edited {n}\n") }));
                    }
                }
            }
        }
        let past = history(&machine, &workspace);
        let mut agent = machine.agent_named("robin", &workspace);
        for entry in &past {
            let undone = agent.call("editd/undo", json!({ "transaction": entry["transaction"] }));
            if let Err(error) = undone {
                prop_assert!(false, "{:#?}\n{} {:#}", entry, error.message, error.data);
            }
        }
        let after = tree(workspace.root());
        prop_assert_eq!(&after, &before, "{:#?}", past);
    }
}

/// The one who changes a line, if anybody does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Nobody,
    FirstRun,
    SecondRun,
    Person,
    Agent,
}

const OWNERS: [Owner; 5] = [Owner::Nobody, Owner::FirstRun, Owner::SecondRun, Owner::Person, Owner::Agent];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 40, ..ProptestConfig::default() })]
    #[test]
    fn an_undo_keeps_the_lines_of_people_and_of_other_agents(
        owners in prop::collection::vec(prop::sample::select(&OWNERS[..]), 1..9),
        is_newest_first in any::<bool>(),
    ) {
        // Lines that nobody changes keep the changes apart.
        let text = |changed: &[Owner]| -> String {
            let line = |(number, owner): (usize, &Owner)| {
                let line = if changed.contains(owner) { format!("{owner:?} {number}") } else { format!("line {number}") };
                format!("{line}\nbetween {number}\nand {number}\n")
            };
            owners.iter().enumerate().map(line).collect()
        };
        let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text(&[])));
        let change = |owner: Owner| {
            let numbers = owners.iter().enumerate().filter(|it| *it.1 == owner).map(|it| it.0);
            let scripts = numbers.map(|number| format!("sed -i 's/^line {number}$/{owner:?} {number}/' a.txt; "));
            scripts.collect::<Vec<_>>().concat()
        };
        run(&machine, &workspace, &format!("{} true", change(Owner::FirstRun)));
        workspace.put("a.txt", text(&[Owner::FirstRun, Owner::Person]));
        let mut agent = machine.agent_named("ada", &workspace);
        agent.read("a.txt");
        for (number, _) in owners.iter().enumerate().filter(|it| *it.1 == Owner::Agent) {
            agent.edit("a.txt", &format!("line {number}\n"), &format!("Agent {number}\n")).done();
        }
        run(&machine, &workspace, &format!("{} true", change(Owner::SecondRun)));
        prop_assert_eq!(workspace.text("a.txt"), text(&OWNERS[1..]));
        let mut of_runs: Vec<_> = history(&machine, &workspace).into_iter().filter(|it| it["author"] == "robin").collect();
        if !is_newest_first {
            of_runs.reverse();
        }
        for entry in of_runs {
            machine.agent_named("robin", &workspace).call("editd/undo", json!({ "transaction": entry["transaction"] })).done();
        }
        prop_assert_eq!(workspace.text("a.txt"), text(&[Owner::Person, Owner::Agent]));
    }
}
