//! Changed words within changed lines.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::edit::Deadline;
use crate::text::{LineEnding, lines};

/// Maximum size of a hunk, both sides together, whose words are compared. A larger one is marked as a whole:
/// single words in it are not useful.
const MAX_COMPARED: usize = 128 << 10;

/// Combines both texts: text that only the old one has is in `[-` and `-]`, text that only the new one has in
/// `{+` and `+}`. Marks end with their line. Line endings are LF.
pub(super) fn marked(old: &str, new: &str, deadline: Deadline) -> String {
    let (old_words, new_words) = (words(old), words(new));
    let mut marked = Marked::default();
    for step in steps(&old_words, &new_words, old.len() + new.len(), deadline) {
        match step {
            Step::Same(range) => new_words[range].iter().for_each(|word| marked.text.push_str(word)),
            Step::Changed(before, after) => {
                marked.push(&old_words[before], "[-", "-]");
                marked.push(&new_words[after], "{+", "+}");
            }
        }
    }
    marked.text
}

/// A run of words: equal ones by their position in the new text, or changed ones by their positions in both.
enum Step {
    Same(Range<usize>),
    Changed(Range<usize>, Range<usize>),
}

fn steps(old: &[&str], new: &[&str], bytes: usize, deadline: Deadline) -> Vec<Step> {
    if bytes > MAX_COMPARED {
        return vec![Step::Changed(0..old.len(), 0..new.len())];
    }
    let mut steps: Vec<Step> = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline.instant()) {
        let (before, after) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            steps.push(Step::Same(after));
            continue;
        }
        // Whitespace between two changed words would split one change into many.
        let apart = match &steps[..] {
            [.., Step::Changed(..)] => Some(0),
            [.., Step::Changed(..), Step::Same(same)] if is_blank(&new[same.clone()]) => Some(1),
            _ => None,
        };
        if let Some(apart) = apart {
            steps.truncate(steps.len() - apart);
        }
        match steps.last_mut() {
            Some(Step::Changed(old, new)) if apart.is_some() => {
                (old.end, new.end) = (before.end, after.end);
            }
            _ => steps.push(Step::Changed(before, after)),
        }
    }
    steps
}

fn is_blank(words: &[&str]) -> bool {
    matches!(words, [word] if *word != "\n" && word.starts_with(char::is_whitespace))
}

/// Splits a text into runs of whitespace, runs of other characters, and line endings.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for line in lines(text) {
        let mut rest = line.content;
        while let Some(first) = rest.chars().next() {
            let blank = first.is_whitespace();
            let end = rest.find(|c: char| c.is_whitespace() != blank).unwrap_or(rest.len());
            words.push(&rest[..end]);
            rest = &rest[end..];
        }
        if line.ending != LineEnding::None {
            words.push("\n");
        }
    }
    words
}

#[derive(Default)]
struct Marked {
    text: String,
}

impl Marked {
    fn push(&mut self, words: &[&str], open: &str, close: &str) {
        for line in words.split_inclusive(|word| *word == "\n") {
            let (line, ends) = match line {
                [line @ .., "\n"] => (line, true),
                line => (line, false),
            };
            // An added or removed line is marked even if it is blank.
            if !line.is_empty() || self.text.is_empty() || self.text.ends_with('\n') {
                self.text.push_str(open);
                self.text.extend(line.iter().copied());
                self.text.push_str(close);
            }
            if ends {
                self.text.push('\n');
            }
        }
    }
}
