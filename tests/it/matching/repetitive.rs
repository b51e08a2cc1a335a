//! Texts that repeat few lines: the memory of every tier stays proportional to them, and the deadline holds.

use std::fs;
use std::time::{Duration, Instant};

use editd_edit::{Count, Deadline, Edit, Options, find};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

/// Maximum memory of one request on texts of at most 100 KiB each, in KiB.
const MOST_KIB: u64 = 48 * 1024;
/// Time for one request, and the time after it until it must have ended. Builds of tests are slow.
const DEADLINE: Duration = Duration::from_millis(500);
const GRACE: Duration = Duration::from_secs(10);

/// The lines of a block, and one change to them that distinguishes a request from the file.
#[derive(Clone, Debug)]
struct Repetition {
    lines: Vec<&'static str>,
    count: usize,
    slip: Slip,
    /// Place of the slip, and of the change that is meant, in thousandths of the block.
    places: (usize, usize),
    change: Change,
    elisions: usize,
    all: bool,
}

#[derive(Clone, Copy, Debug)]
enum Slip {
    None,
    Other,
    Missing,
    Surplus,
    Indented,
    Numbered,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Replaced,
    Inserted,
    Removed,
    Everything,
}

fn repetitions() -> impl Strategy<Value = Repetition> {
    let lines = [
        vec!["x"],
        vec!["abc"],
        vec!["    value"],
        vec!["abc def", "ghi"],
        vec!["{", "}"],
        vec!["abc", ""],
        vec!["if abc:", "    def ghi", "", "\tdef ghi"],
    ];
    let slips =
        [Slip::None, Slip::Other, Slip::Missing, Slip::Surplus, Slip::Indented, Slip::Numbered].to_vec();
    let changes = [Change::Replaced, Change::Inserted, Change::Removed, Change::Everything].to_vec();
    let counts = select(vec![40, 700, 5_000, 9_000]);
    let places = (0..1000_usize, 0..1000_usize);
    let parts = (select(lines.to_vec()), counts, select(slips), places, select(changes), 0..3_usize);
    (parts, any::<bool>()).prop_map(|((lines, count, slip, places, change, elisions), all)| Repetition {
        lines,
        count,
        slip,
        places,
        change,
        elisions: if elisions == 2 { count / 100 } else { 0 },
        all,
    })
}

impl Repetition {
    /// Returns a file and a request.
    fn texts(&self) -> (String, Edit) {
        let block: Vec<String> =
            self.lines.iter().cycle().take(self.count).map(|line| (*line).to_owned()).collect();
        let (slip, change) = (self.count * self.places.0 / 1000, self.count * self.places.1 / 1000);
        let mut file = block.clone();
        let mut old = block;
        match self.slip {
            Slip::None => {}
            Slip::Other => "quite different".clone_into(&mut file[slip]),
            Slip::Missing => _ = file.remove(slip),
            Slip::Surplus => file.insert(slip, "surplus line".to_owned()),
            Slip::Indented => file.iter_mut().for_each(|line| line.insert_str(0, "  ")),
            Slip::Numbered => {
                old.iter_mut().enumerate().for_each(|(at, line)| *line = format!("{:>6}\t{line}", at + 1));
            }
        }
        (0..self.elisions).for_each(|at| "...".clone_into(&mut old[at * 97 % self.count]));
        let mut new = old.clone();
        match self.change {
            Change::Replaced => new[change].push_str(" changed"),
            Change::Inserted => new.insert(change, "inserted".to_owned()),
            Change::Removed => _ = new.remove(change),
            Change::Everything => new.iter_mut().for_each(|line| line.push('!')),
        }
        let text = |lines: Vec<String>| lines.join("\n") + "\n";
        let count = if self.all { Count::All } else { Count::One };
        (text(file), Edit { count, ..Edit::new(text(old), text(new)) })
    }
}

/// Runs a function and returns by how much the memory of the process grew in it at most, in KiB.
fn peak_of(work: impl FnOnce()) -> u64 {
    let read = |name: &str| -> u64 {
        let status = fs::read_to_string("/proc/self/status").expect("this process");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    };
    // Resets the peak to the present size.
    fs::write("/proc/self/clear_refs", "5").expect("the peak of this process");
    let before = read("VmRSS:");
    work();
    read("VmHWM:").saturating_sub(before)
}

#[test]
fn equal_lines_take_little_memory_and_time() {
    let config = Config { cases: 96, failure_persistence: None, ..Config::default() };
    let check = |repetition: Repetition| {
        let (file, edit) = repetition.texts();
        let (mut took, mut calls) = (Duration::ZERO, 0);
        let grown = peak_of(|| {
            let began = Instant::now();
            let options = Options { deadline: Deadline::after(DEADLINE), ..Options::default() };
            calls += usize::from(find(&file, &[edit], &options).is_ok());
            took = began.elapsed();
        });
        prop_assert!(grown <= MOST_KIB, "{grown} KiB");
        prop_assert!(took <= DEADLINE + GRACE, "{took:?}");
        Ok(())
    };
    TestRunner::new(config).run(&repetitions(), check).expect("bounds");
}
