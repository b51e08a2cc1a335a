//! Where a text that stands nowhere might have been meant.

use std::collections::HashMap;

use super::super::base::Base;
use super::super::index::{Entry, describe};
use super::super::similarity;

/// Windows that are compared in full.
const WINDOWS: usize = 10;
/// Lines of the file that a line asked for is compared with letter by letter.
const LINES: usize = 24;
/// Lines asked for that are looked for by resemblance where equal ones say nothing.
const TELLING_LINES: usize = 3;
/// A line that stands more often tells nothing of the place.
const COMMON: usize = 64;

/// First lines (from 0) of windows worth comparing, best first.
pub(in crate::edit) fn starts(base: &Base<'_>, asked: &[&str]) -> Vec<usize> {
    let entries = base.index().entries();
    let described: Vec<(u32, u64)> = asked.iter().map(|line| describe(line)).collect();
    let mut votes = Votes::default();
    by_equal_lines(entries, &described, &mut votes);
    if !votes.convincing(asked.len()) && base.deadline.check().is_ok() {
        by_similar_lines(base, asked, &described, &mut votes);
    }
    votes.best(asked.len())
}

/// Votes for the line at which a window starts.
#[derive(Default)]
struct Votes(HashMap<usize, f64>);

impl Votes {
    fn add(&mut self, line: usize, index: usize, weight: f64) {
        *self.0.entry(line.saturating_sub(index)).or_default() += weight;
    }

    /// Whether some window shares at least a third of its lines.
    fn convincing(&self, lines: usize) -> bool {
        lines > 1 && self.0.values().any(|&votes| votes >= similarity::share(lines, 3))
    }

    fn best(&self, lines: usize) -> Vec<usize> {
        let of = |start: usize| self.0.get(&start).copied().unwrap_or_default();
        // A line too many or too few splits the votes of one place between neighbours.
        let near = |start: usize| {
            (1..=2).map(|by| of(start + by) + start.checked_sub(by).map_or(0.0, of)).sum::<f64>()
        };
        let mut ranked: Vec<_> = self.0.keys().map(|&start| (start, of(start) + near(start) / 2.0)).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut chosen: Vec<usize> = Vec::new();
        for (start, _) in ranked {
            if chosen.len() == WINDOWS {
                break;
            }
            if chosen.iter().all(|&other| start.abs_diff(other) * 2 > lines || lines == 1) {
                chosen.push(start);
            }
        }
        chosen
    }
}

fn by_equal_lines(entries: &[Entry], described: &[(u32, u64)], votes: &mut Votes) {
    let mut wanted: HashMap<u32, Vec<usize>> = HashMap::new();
    // One bit for each of 64 groups of keys spares most lines the look into the map.
    let mut groups = [0_u64; 64];
    for (index, &(key, _)) in described.iter().enumerate().filter(|(_, line)| line.0 != 0) {
        wanted.entry(key).or_default().push(index);
        groups[(key & 63) as usize] |= 1 << (key >> 6 & 63);
    }
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    for (line, entry) in entries.iter().enumerate() {
        let listed = groups[(entry.key & 63) as usize] >> (entry.key >> 6 & 63) & 1 == 1;
        if listed && wanted.contains_key(&entry.key) {
            let places = places.entry(entry.key).or_default();
            if places.len() <= COMMON {
                places.push(line);
            }
        }
    }
    for (key, lines) in places.iter().filter(|(_, lines)| lines.len() <= COMMON) {
        let weight = similarity::share(1, lines.len()).sqrt();
        for &index in wanted.get(key).into_iter().flatten().take(COMMON) {
            for &line in lines {
                votes.add(line, index, weight);
            }
        }
    }
}

/// Votes by the lines that resemble the most telling ones of those asked for.
fn by_similar_lines(base: &Base<'_>, asked: &[&str], described: &[(u32, u64)], votes: &mut Votes) {
    let mut telling: Vec<usize> = (0..asked.len()).collect();
    telling.sort_by_key(|&index| std::cmp::Reverse(described[index].1.count_ones()));
    for &index in telling.iter().take(TELLING_LINES).filter(|&&index| described[index].1 != 0) {
        for line in resembling(base.index().entries(), described[index].1) {
            let there = base.index().lines_from(base.text, line).next().map_or("", |line| line.content);
            votes.add(line, index, similarity::at_a_glance(asked[index].trim(), there.trim()));
        }
    }
}

/// The lines that have most letter pairs in common with the ones wanted.
fn resembling(entries: &[Entry], pairs: u64) -> Vec<usize> {
    let wanted = pairs.count_ones();
    // Twice what is shared, less what the line has besides: long lines share with everything.
    let score = |entry: &Entry| {
        let shared = (entry.pairs & pairs).count_ones();
        (shared * 2 >= wanted).then(|| (shared * 3).saturating_sub((entry.pairs & !pairs).count_ones()))
    };
    // Scores are at most three times the bits of a signature, so counting sorts them.
    let mut by_score: [Vec<usize>; 193] = [const { Vec::new() }; 193];
    for (line, entry) in entries.iter().enumerate() {
        if let Some(score) = score(entry) {
            let bucket = &mut by_score[score as usize];
            if bucket.len() < LINES {
                bucket.push(line);
            }
        }
    }
    by_score.iter().rev().flatten().copied().take(LINES).collect()
}
