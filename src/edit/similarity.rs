//! Similarity of texts, and the regions of a text that are similar to another one.

use std::collections::HashMap;

use rapidfuzz::distance::indel;

use super::base::{Base, Index, key_and_pairs, lines_by_key};
use editd_text::floor_char_boundary;

/// Maximum number of bytes of each text that are compared: enough for any block that a person would consider
/// one location.
pub(super) const MAX_COMPARED: usize = 4096;
/// Maximum number of bytes of each line that are compared to select the lines that deserve a full comparison.
const MAX_GLANCE: usize = 512;
/// Maximum number of windows that are compared in full.
const MAX_WINDOWS: usize = 10;
/// Maximum number of lines of the file that a requested line is compared with character by character.
pub(super) const MAX_LINES: usize = 24;
/// Number of requested lines that are searched by similarity if equal lines decide nothing.
const DISTINCTIVE_LINES: usize = 3;
/// Maximum number of occurrences of a line that is evidence for a location.
const COMMON: usize = 64;
/// Number of lines that are scored together.
const CHUNK: usize = 256;

/// Returns the similarity of two texts, 0 to 1: twice the length of their longest common subsequence over the
/// sum of their lengths, in characters. Only the beginnings of long texts are compared.
pub(super) fn of_texts(one: &str, other: &str) -> f64 {
    let (one, other) = (beginning(one, MAX_COMPARED), beginning(other, MAX_COMPARED));
    if one.is_ascii() && other.is_ascii() {
        return indel::normalized_similarity(one.bytes(), other.bytes());
    }
    indel::normalized_similarity(one.chars(), other.chars())
}

/// Returns `part / whole`, or 0 if `whole` is 0.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

fn beginning(text: &str, bytes: usize) -> &str {
    &text[..floor_char_boundary(text, bytes)]
}

/// Returns the first lines (from 0) of windows worth comparing, best first.
pub(super) fn similar_starts(base: &Base<'_>, requested: &[&str]) -> Vec<usize> {
    let described: Vec<(u32, u64)> = requested.iter().map(|line| key_and_pairs(line)).collect();
    let mut votes = Votes::default();
    by_equal_lines(base.index(), &described, &mut votes);
    if !votes.convincing(requested.len()) && base.deadline.check().is_ok() {
        by_similar_lines(base, requested, &described, &mut votes);
    }
    votes.best(requested.len())
}

/// Votes for the start line of a window.
#[derive(Default)]
struct Votes(HashMap<usize, f64>);

impl Votes {
    fn add(&mut self, line: usize, index: usize, weight: f64) {
        *self.0.entry(line.saturating_sub(index)).or_default() += weight;
    }

    /// Returns `true` if some window shares at least a third of its lines.
    fn convincing(&self, lines: usize) -> bool {
        lines > 1 && self.0.values().any(|&votes| votes >= share(lines, 3))
    }

    fn best(&self, lines: usize) -> Vec<usize> {
        let of = |start: usize| self.0.get(&start).copied().unwrap_or_default();
        // A surplus or missing line splits the votes of one location between neighbors.
        let near = |start: usize| {
            (1..=2).map(|by| of(start + by) + start.checked_sub(by).map_or(0.0, of)).sum::<f64>()
        };
        let mut ranked: Vec<_> = self.0.keys().map(|&start| (start, of(start) + near(start) / 2.0)).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut chosen: Vec<usize> = Vec::new();
        for (start, _) in ranked {
            if chosen.len() == MAX_WINDOWS {
                break;
            }
            if chosen.iter().all(|&other| start.abs_diff(other) * 2 > lines || lines == 1) {
                chosen.push(start);
            }
        }
        chosen
    }
}

/// Adds votes for the lines that equal requested ones.
fn by_equal_lines(index: &Index, described: &[(u32, u64)], votes: &mut Votes) {
    let mut wanted: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, &(key, _)) in described.iter().enumerate().filter(|(_, line)| line.0 != 0) {
        wanted.entry(key).or_default().push(index);
    }
    let lines_of = lines_by_key(index, wanted.keys().copied());
    for (key, lines) in lines_of.iter().filter(|(_, lines)| lines.len() <= COMMON) {
        let weight = share(1, lines.len()).sqrt();
        for &index in wanted.get(key).into_iter().flatten().take(COMMON) {
            for &line in lines {
                votes.add(line, index, weight);
            }
        }
    }
}

/// Adds votes for the lines that are similar to the most distinctive requested ones.
fn by_similar_lines(base: &Base<'_>, requested: &[&str], described: &[(u32, u64)], votes: &mut Votes) {
    let mut distinctive: Vec<usize> = (0..requested.len()).collect();
    distinctive.sort_by_key(|&index| std::cmp::Reverse(described[index].1.count_ones()));
    for &index in distinctive.iter().take(DISTINCTIVE_LINES).filter(|&&index| described[index].1 != 0) {
        for line in most_similar(&base.index().pairs, described[index].1) {
            let glance = |text| beginning(text, MAX_GLANCE);
            let similarity = of_texts(glance(requested[index].trim()), glance(base.line(line).trim()));
            votes.add(line, index, similarity);
        }
    }
}

/// Returns the lines that share most letter pairs with `wanted`, best first; of equally good ones, the first.
pub(super) fn most_similar(lines: &[u64], wanted: u64) -> Vec<usize> {
    // Ordered by score. A line with `least` is not added.
    let (mut best, mut least) = (Vec::<(u8, usize)>::with_capacity(MAX_LINES + 1), 0);
    let mut scores = [0_u8; CHUNK];
    for (number, chunk) in lines.chunks(CHUNK).enumerate() {
        // Both loops are free of branches; most chunks have no line that scores high enough.
        let scores = &mut scores[..chunk.len()];
        for (score, &pairs) in scores.iter_mut().zip(chunk) {
            *score = score_of(pairs, wanted);
        }
        if scores.iter().fold(0, |most, &score| most.max(score)) <= least {
            continue;
        }
        for (at, &score) in scores.iter().enumerate() {
            if score > least {
                let place = best.partition_point(|&(other, _)| other >= score);
                best.insert(place, (score, number * CHUNK + at));
                best.truncate(MAX_LINES);
                least = best.get(MAX_LINES - 1).map_or(0, |&(score, _)| score);
            }
        }
    }
    best.into_iter().map(|(_, line)| line).collect()
}

/// Computes the score of a line: three times the shared pairs minus the other pairs of the line, since long
/// lines share pairs with everything. The score is 0 for a line that shares less than half of the wanted
/// pairs.
fn score_of(pairs: u64, wanted: u64) -> u8 {
    let shared = (pairs & wanted).count_ones();
    let score = (shared * 4).saturating_sub(pairs.count_ones());
    // At most three times the bits of a signature.
    if shared * 2 >= wanted.count_ones() { score as u8 + 1 } else { 0 }
}
