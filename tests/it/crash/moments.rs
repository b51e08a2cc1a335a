//! Tests in which the power fails at random moments while sets of ten files and single files are changed.

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::power::Powered;
use crate::support::{Agent, Chance, Machine, Volume, Workspace, is_portable, repeat, run, soak, text_of};

const FILES: usize = 10;
/// Longer than any change takes.
const LONGEST: Duration = Duration::from_millis(60);

fn name(file: usize) -> String {
    format!("file-{file}")
}

/// Returns a text whose every line names its change.
fn text(number: u64) -> String {
    format!("change {number}\n").repeat(400)
}

/// Returns the number of the change that a file contains; the error describes any other content.
fn number_of(workspace: &Workspace, name: &str) -> Result<u64, String> {
    let found = fs::read_to_string(workspace.path(name)).map_err(|error| format!("{name}: {error}"))?;
    let number = found.lines().next().and_then(|line| line.strip_prefix("change ")?.parse().ok());
    let number = number.ok_or_else(|| format!("{name}: {} bytes, no change", found.len()))?;
    if found == text(number) { Ok(number) } else { Err(format!("{name}: {} bytes, mixed", found.len())) }
}

fn write(path: &str, number: u64) -> Value {
    json!({ "kind": "write", "path": path, "content": text(number) })
}

/// Sets and single changes in turn.
struct Stream {
    agent: Agent,
    /// The last set and the last single change that succeeded.
    sets: u64,
    singles: u64,
    /// The last successful set, shared with the other thread.
    acknowledged: Arc<AtomicU64>,
}

impl Stream {
    fn begin(setup: &Powered) -> Self {
        let mut agent = setup.agent();
        let names = (0..FILES).map(name).chain(["single".to_owned()]);
        for name in names {
            setup.workspace.put(&name, text(0));
            agent.read(&name);
        }
        setup.volume.sync();
        Self { agent, sets: 0, singles: 0, acknowledged: Arc::default() }
    }

    fn send_set(&mut self) -> u64 {
        let changes: Vec<_> = (0..FILES).map(|file| write(&name(file), self.sets + 1)).collect();
        self.agent.send("editd/edit", json!({ "changes": changes }))
    }

    fn send_single(&mut self) -> u64 {
        self.agent.send("editd/edit", json!({ "changes": [write("single", self.singles + 1)] }))
    }

    /// Sends both in turn, as long as they succeed.
    fn until_the_end(&mut self) {
        loop {
            let set = self.send_set();
            match self.agent.answer_or_end(set) {
                Some(Ok(_)) => {
                    self.sets += 1;
                    self.acknowledged.store(self.sets, Ordering::SeqCst);
                }
                _ => return,
            }
            let single = self.send_single();
            match self.agent.answer_or_end(single) {
                Some(Ok(_)) => self.singles += 1,
                _ => return,
            }
        }
    }
}

/// Checks the files after a recovery: sets are whole, no acknowledged set is missing, and the single file is
/// whole. `sets` ranges from the last set acknowledged before the power cut to the last one sent.
fn check(workspace: &Workspace, sets: RangeInclusive<u64>, singles: u64, when: &str) {
    let found: Result<Vec<u64>, String> = (0..FILES).map(|file| number_of(workspace, &name(file))).collect();
    let found = found.unwrap_or_else(|wrong| panic!("{when}: {wrong}"));
    let first = found[0];
    assert!(found.iter().all(|number| *number == first), "{when}: a set is not whole: {found:?}");
    assert!(sets.contains(&first), "{when}: set {first} is there, and not one of {sets:?}");
    let single = number_of(workspace, "single").unwrap_or_else(|wrong| panic!("{when}: {wrong}"));
    assert!(single <= singles + 1, "{when}: {single} of {singles}");
    // Without `sync_file_range`, a single file under `process` is flushed before the journal's line about it.
    let may_stay = |path: &Path| is_portable() && path.display().to_string().contains(".editd-");
    let names = workspace.everything().into_iter().map(|(path, _)| path);
    let strays: Vec<_> = names.filter(|path| !may_stay(path)).collect();
    assert_eq!(strays.len(), FILES + 1, "{when}: {strays:?}");
}

#[test]
fn a_power_cut_at_any_moment_leaves_sets_whole() {
    let mut chance = Chance::new("power cuts");
    repeat(25, |round| {
        let options = if round % 2 == 0 { "noauto_da_alloc,commit=300" } else { "" };
        let mut setup = Powered::on(Volume::ext4(options), "");
        let mut stream = Stream::begin(&setup);
        let (cutter, acknowledged, moment) =
            (setup.volume.cutter(), stream.acknowledged.clone(), chance.below(300));
        let cut = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(moment));
            // While the kernel detaches the disk, it may still report a flush as done.
            let acknowledged = acknowledged.load(Ordering::SeqCst);
            cutter.cut();
            acknowledged
        });
        stream.until_the_end();
        let acknowledged = cut.join().expect("the power cut");
        setup.start_again();
        let sets = acknowledged..=stream.sets + 1;
        check(&setup.workspace, sets, stream.singles, &format!("round {round}, {options}"));
    });
}

/// Copies the disk image while the daemon is stopped.
fn snapshot(machine: &Machine, image: &Path, to: &Path) {
    machine.pause();
    run("cp", &["--sparse=always", "--reflink=never", text_of(image), text_of(to)]);
    machine.resume();
}

#[test]
fn a_disk_image_of_any_moment_recovers_to_whole_sets() {
    let mut chance = Chance::new("copies of a disk in use");
    repeat(1, |_| {
        let mut setup = Powered::on(Volume::ext4("commit=300"), "");
        let mut stream = Stream::begin(&setup);
        let mut taken = Vec::new();
        for copy in 0..if soak().is_some() { 40 } else { 25 } {
            let single = stream.send_single();
            stream.agent.answer_or_end(single).expect("an answer").expect("applied");
            stream.singles += 1;
            let set = stream.send_set();
            chance.pause(LONGEST);
            let to = setup.volume.beside(&format!("copy-{copy}"));
            snapshot(&setup.machine, setup.volume.image(), &to);
            // The set was sent by then; it may or may not have been answered.
            taken.push((to, stream.sets, stream.singles));
            stream.agent.answer_or_end(set).expect("an answer").expect("applied");
            stream.sets += 1;
        }
        setup.machine.crash();
        setup.volume.unmount();
        for (copy, sets, singles) in taken {
            fs::rename(&copy, setup.volume.image()).expect("the copy in the place of the disk");
            setup.volume.mount();
            setup.machine.serve();
            check(&setup.workspace, sets..=sets + 1, singles, &copy.display().to_string());
            setup.machine.crash();
            setup.volume.unmount();
        }
        setup.volume.mount();
    });
}
