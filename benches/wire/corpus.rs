//! Generated texts for the benchmarks.

use std::fmt::Write as _;

pub(crate) const KB: usize = 1 << 10;
pub(crate) const MB: usize = 1 << 20;

/// Generates code-like lines, with `counter_0 = 100000;` to `counter_7 = …` spread over the text. Counters can be
/// edited repeatedly without a change of length.
pub(crate) fn code(size: usize) -> String {
    let mut text = String::with_capacity(size + 200);
    let (mut seed, mut counters) = (1_u64, 0);
    while text.len() < size {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (word, depth) = (seed >> 40, (seed >> 33) as usize % 4 * 4);
        if counters < COUNTERS && text.len() >= size / (COUNTERS + 1) * (counters + 1) {
            let _ = writeln!(text, "{}", counter(counters, 0));
            counters += 1;
        }
        let _ = match seed >> 61 {
            0 => writeln!(text, "{:depth$}}}", ""),
            1 => writeln!(text),
            2 => writeln!(text, "{:depth$}if value_{word:x} > {} {{", "", word % 97),
            3 => writeln!(text, "{:depth$}// what happens to {word:x} is explained here at some length", ""),
            4 => writeln!(text, "{:depth$}return Err(Error::new(\"item {word:x} is missing\"));", ""),
            _ => writeln!(text, "{:depth$}let item_{word:x} = self.table.get(&key_{:x});", "", word / 7),
        };
    }
    text
}

/// Number of counters in a text.
pub(crate) const COUNTERS: usize = 8;

/// Returns the line of a counter after this many edits.
pub(crate) fn counter(which: usize, edits: usize) -> String {
    format!("counter_{which} = {};", 100_000 + edits)
}

/// Returns forty lines of `text` with every eighth one changed: similar to a region of the text, but absent.
pub(crate) fn absent_block(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let reword = |(at, line): (usize, &&str)| {
        if at % 8 == 3 { line.replace('e', "o") + "x\n" } else { (*line).to_owned() }
    };
    lines[lines.len() / 3..][..40].iter().enumerate().map(reword).collect()
}
