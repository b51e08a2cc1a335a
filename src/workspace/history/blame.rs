use editd_edit::Hunk;

/// Attribution of the lines of a text to the changes that wrote them, computed backwards from the current
/// text.
///
/// Each step processes one change. Lines that the change wrote are attributed to it; the others are mapped
/// to their positions before the change. The cost is roughly proportional to the number of contiguous runs
/// of lines.
#[derive(Debug)]
pub struct Attribution {
    /// The owner of each line of the current text.
    owners: Vec<Owner>,
    /// Unsettled lines, with their positions in the oldest text reached so far.
    runs: Vec<Run>,
}

/// The author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Not known yet.
    Unsettled,
    /// No known change wrote it.
    Unknown,
    /// The change with that number.
    Change(usize),
}

/// Consecutive lines in both the current and the past text. All numbers count from 0.
#[derive(Clone, Copy, Debug)]
struct Run {
    present: usize,
    past: usize,
    len: usize,
}

/// Lines that a change has restored, with their positions in the text in which they were before.
#[derive(Debug)]
pub struct RestoredLines(Vec<Run>);

/// A range of lines, counted from 1, with the same owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// First line.
    pub start: usize,
    /// Last line.
    pub end: usize,
    /// Number of the change that wrote them, if one did.
    pub owner: Option<usize>,
}

impl Attribution {
    /// Creates an attribution for a text of `lines` lines, all unsettled.
    pub fn new(lines: usize) -> Self {
        let runs = if lines == 0 { Vec::new() } else { vec![Run { present: 0, past: 0, len: lines }] };
        Self { owners: vec![Owner::Unsettled; lines], runs }
    }

    /// Goes back through a change with these hunks, in order. `owner` wrote the new lines; `None` stands for
    /// an unknown author.
    pub fn step(&mut self, owner: Option<usize>, hunks: &[Hunk]) {
        let mut remaining = Vec::with_capacity(self.runs.len() + hunks.len());
        // The lines of the new text that a hunk covers, counted from 0.
        let start = |hunk: &Hunk| hunk.new_start - usize::from(hunk.new_lines > 0);
        let end = |hunk: &Hunk| start(hunk) + hunk.new_lines;
        let mut hunks = hunks.iter().peekable();
        let (mut added, mut removed) = (0, 0);
        for mut run in std::mem::take(&mut self.runs) {
            while run.len > 0 {
                while let Some(passed) = hunks.next_if(|hunk| end(hunk) <= run.past) {
                    added += passed.old_lines;
                    removed += passed.new_lines;
                }
                let next = hunks.peek().filter(|hunk| start(hunk) < run.past + run.len);
                let written = next.filter(|hunk| start(hunk) <= run.past).map(|hunk| end(hunk) - run.past);
                if let Some(written) = written {
                    let settled = run.split(written);
                    let lines = &mut self.owners[settled.present..settled.present + settled.len];
                    // A claimed line keeps its owner.
                    for line in lines.iter_mut().filter(|line| **line == Owner::Unsettled) {
                        *line = owner.map_or(Owner::Unknown, Owner::Change);
                    }
                    continue;
                }
                let whole = run.split(next.map_or(run.len, |hunk| start(hunk) - run.past));
                remaining.push(Run { past: (whole.past + added).saturating_sub(removed), ..whole });
            }
        }
        self.runs = remaining;
    }

    /// Takes the lines out that a change with these hunks has restored, by undoing a change with the hunks `undone`.
    /// Returns `None` if the hunks are not each other's reverse; then nothing changes.
    pub fn take_restored(&mut self, hunks: &[Hunk], undone: &[Hunk]) -> Option<RestoredLines> {
        let is_reverse = |(hunk, undone): (&Hunk, &Hunk)| {
            (hunk.old_lines, hunk.new_lines) == (undone.new_lines, undone.old_lines)
        };
        if hunks.len() != undone.len() || !hunks.iter().zip(undone).all(is_reverse) {
            return None;
        }
        let written: Vec<_> = hunks.iter().zip(undone).filter(|(hunk, _)| hunk.new_lines > 0).collect();
        let (mut restored, mut remaining) = (Vec::new(), Vec::with_capacity(self.runs.len()));
        for mut run in std::mem::take(&mut self.runs) {
            let first = written.partition_point(|(hunk, _)| hunk.new_start - 1 + hunk.new_lines <= run.past);
            for (hunk, undone) in &written[first..] {
                let start = hunk.new_start - 1;
                let unchanged = run.split(start.saturating_sub(run.past));
                let taken = run.split((start + hunk.new_lines).saturating_sub(run.past));
                remaining.extend((unchanged.len > 0).then_some(unchanged));
                if taken.len > 0 {
                    restored.push(Run { past: undone.old_start - 1 + (taken.past - start), ..taken });
                }
                if run.len == 0 {
                    break;
                }
            }
            remaining.extend((run.len > 0).then_some(run));
        }
        self.runs = remaining;
        Some(RestoredLines(restored))
    }

    /// Continues with other lines, when the walk is at the text in which they were.
    pub fn resume(&mut self, RestoredLines(lines): RestoredLines) {
        self.runs = lines;
    }

    /// Attributes a line of the current text, counted from 0, unless it is settled already.
    pub fn claim(&mut self, line: usize, owner: usize) {
        if let Some(unsettled @ Owner::Unsettled) = self.owners.get_mut(line) {
            *unsettled = Owner::Change(owner);
        }
    }

    /// Returns `true` if all lines are settled.
    pub fn is_settled(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the ranges of lines, with adjacent lines of one owner joined.
    pub fn ranges(&self) -> Vec<Blamed> {
        let mut ranges: Vec<Blamed> = Vec::new();
        for (index, owner) in self.owners.iter().enumerate() {
            let line = index + 1;
            let owner = match owner {
                Owner::Change(owner) => Some(*owner),
                Owner::Unknown | Owner::Unsettled => None,
            };
            match ranges.last_mut() {
                Some(last) if last.owner == owner => last.end = line,
                _ => ranges.push(Blamed { start: line, end: line, owner }),
            }
        }
        ranges
    }
}

impl Run {
    /// Removes at most `len` lines from the front and returns them.
    fn split(&mut self, len: usize) -> Self {
        let head = Self { len: len.min(self.len), ..*self };
        self.present += head.len;
        self.past += head.len;
        self.len -= head.len;
        head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use editd_edit::{Deadline, Labels, Plan, diff_plan};
    use editd_text::lines;
    use proptest::prelude::*;

    fn hunks(old: &str, new: &str) -> Vec<Hunk> {
        diff_plan(old, &Plan::between(old, new, Deadline::NONE), Labels::same("x"), Deadline::NONE).hunks
    }

    fn owners(versions: &[&str]) -> Vec<Option<usize>> {
        let last = versions.last().unwrap();
        let mut attribution = Attribution::new(lines(last).count());
        for (at, pair) in versions.windows(2).enumerate().rev() {
            attribution.step(Some(at), &hunks(pair[0], pair[1]));
        }
        let each = |range: Blamed| vec![range.owner; range.end + 1 - range.start];
        attribution.ranges().into_iter().flat_map(each).collect()
    }

    #[test]
    fn lines_belong_to_the_last_change_that_wrote_them() {
        assert_eq!(owners(&["a\nb\nc\n"]), [None; 3]);
        assert_eq!(owners(&["a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\nd\n"]), [None, Some(0), None, Some(1)]);
        assert_eq!(owners(&["a\nb\nc\nd\n", "b\nc\nd\n", "b\nc\nX\nd\n"]), [None, None, Some(1), None]);
        assert_eq!(owners(&["", "a\nb", "a\nb\nc"]), [Some(0), Some(1), Some(1)]);
        assert_eq!(owners(&["a\n", ""]), []);
    }

    #[test]
    fn a_claim_does_not_override_a_settled_line() {
        let mut attribution = Attribution::new(3);
        attribution.step(None, &hunks("a\nc\n", "a\nb\nc\n"));
        (0..9).for_each(|line| attribution.claim(line, 7));
        let of = |start, end, owner| Blamed { start, end, owner };
        assert_eq!(attribution.ranges(), [of(1, 1, Some(7)), of(2, 2, None), of(3, 3, Some(7))]);
    }

    #[test]
    fn lines_that_an_undo_has_restored_are_where_they_were_before() {
        let (before, changed) = ("a\nb\nc\nd\n", "a\nX\nY\nd\n");
        let (later, undone) = ("new\na\nX\nY\nd\n", "new\na\nb\nc\nd\n");
        let mut attribution = Attribution::new(5);
        let restored = attribution.take_restored(&hunks(later, undone), &hunks(before, changed)).unwrap();
        attribution.step(Some(0), &hunks(later, undone));
        attribution.step(Some(1), &hunks(changed, later));
        attribution.step(Some(2), &hunks(before, changed));
        attribution.resume(restored);
        attribution.step(Some(3), &hunks("a\nb\nd\n", before));
        let of = |start, end, owner| Blamed { start, end, owner };
        let expected = [of(1, 1, Some(1)), of(2, 3, None), of(4, 4, Some(3)), of(5, 5, None)];
        assert_eq!(attribution.ranges(), expected);
        assert!(attribution.take_restored(&hunks("a\n", "b\n"), &hunks("a\n", "a\nb\n")).is_none());
    }

    proptest! {
        /// Every line of every version is unique and names the change that wrote it.
        #[test]
        fn every_line_belongs_to_the_change_that_wrote_it(
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..4, 0_usize..4), 1..12),
        ) {
            let mut text: Vec<String> = (0..5).map(|line| format!("start {line}\n")).collect();
            let mut versions = vec![text.concat()];
            for (at, (place, remove, add)) in changes.iter().enumerate() {
                let from = place.index(text.len() + 1);
                let to = (from + remove).min(text.len());
                text.splice(from..to, (0..*add).map(|line| format!("{at} {line}\n")));
                versions.push(text.concat());
            }
            let found = owners(&versions.iter().map(String::as_str).collect::<Vec<_>>());
            let expected: Vec<Option<usize>> =
                text.iter().map(|line| line.split_once(' ').and_then(|(owner, _)| owner.parse().ok())).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
