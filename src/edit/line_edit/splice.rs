//! The plan of edits at lines.

use crate::{LinePlace, LineRange, Plan, PlanError, Splice};
use editd_text::{EolStyle, Line, LineEnding, LineIndex, eol_style, lines};

/// Returns lines of a text, with their line endings; fewer if the text has fewer.
pub fn lines_of(text: &str, range: LineRange) -> &str {
    let mut wanted = lines(text).skip(range.start - 1).take(range.end - range.start + 1);
    let Some(first) = wanted.next() else { return "" };
    let end = wanted.last().map_or(first.end(), |line| line.end());
    &text[first.start..end]
}

/// Returns the plan that puts new lines at places of `text`, whose lines are `base`, together with `others`,
/// splices of the same text. The places must be inside. Line endings follow the neighbors.
///
/// A text without a final line ending stays without one: the splices are made for a text that has one, which
/// is removed from the result.
pub(super) fn plan<'e>(
    text: &str,
    base: &LineIndex<'_>,
    edits: impl Iterator<Item = (LinePlace, Option<&'e str>)>,
    others: Vec<Splice>,
) -> Result<Plan, PlanError> {
    let style = match eol_style(text) {
        EolStyle::Crlf => "\r\n",
        EolStyle::Cr => "\r",
        // That of the line before the last one.
        EolStyle::Mixed => {
            let ended = base.backwards().find(|line| line.ending != LineEnding::None);
            ended.map_or("\n", |line| line.ending.as_str())
        }
        EolStyle::Lf | EolStyle::None => "\n",
    };
    let missing =
        base.backwards().next().filter(|last| last.ending == LineEnding::None).map_or("", |_| style);
    let base = Ended { lines: base, missing };
    let splices = edits.filter_map(|(place, new)| base.splice(place, new)).chain(others).collect();
    let ended = Plan::new(text.len() + missing.len(), splices)?;
    let mut splices = ended.into_splices();
    if let Some(last) = splices.last_mut().filter(|last| last.range.end > text.len()) {
        base.without_ending(text.len(), last);
    }
    Plan::new(text.len(), splices)
}

/// The lines of a text, with a line ending at the end if it is missing.
struct Ended<'a> {
    lines: &'a LineIndex<'a>,
    missing: &'static str,
}

impl Ended<'_> {
    fn splice(&self, place: LinePlace, new: Option<&str>) -> Option<Splice> {
        let new = new.unwrap_or_default();
        if self.lines.is_empty() {
            // The final line ending of an empty text is that of the new text.
            return Some(Splice { range: 0..0, text: new.to_owned() });
        }
        let line = |number: usize| self.lines.get(number - 1).expect("a line that was located");
        let (range, neighbor) = match place {
            LinePlace::Lines(LineRange { start, end }) => {
                (line(start).start..self.end_of(&line(end)), line(start))
            }
            LinePlace::After(0) => (0..0, line(1)),
            LinePlace::End => {
                let last = line(self.lines.len());
                (self.end_of(&last)..self.end_of(&last), last)
            }
            LinePlace::Before(number) => (line(number).start..line(number).start, line(number)),
            LinePlace::After(number) => {
                let end = self.end_of(&line(number));
                (end..end, line(number))
            }
        };
        let text = with_endings(new, self.ending_of(&neighbor));
        (!range.is_empty() || !text.is_empty()).then_some(Splice { range, text })
    }

    fn ending_of(&self, line: &Line<'_>) -> &'static str {
        if line.ending == LineEnding::None { self.missing } else { line.ending.as_str() }
    }

    fn end_of(&self, line: &Line<'_>) -> usize {
        line.content_end() + self.ending_of(line).len()
    }

    /// Changes the last splice, which touches the missing line ending, so that the result has none.
    fn without_ending(&self, len: usize, last: &mut Splice) {
        if last.range.start > len {
            // An insertion after the last line.
            last.range = len..len;
            last.text.insert_str(0, self.missing);
        }
        last.range.end = len;
        // Without its line ending, an empty last line would be no line at all.
        match lines(&last.text).last() {
            Some(line) if line.content.is_empty() => {}
            Some(line) => last.text.truncate(line.content_end()),
            // The line before becomes the last one.
            None => {
                let before = self.lines.backwards().find(|line| line.start < last.range.start);
                let start = before.filter(|line| !line.content.is_empty()).map(|line| line.content_end());
                last.range.start = start.unwrap_or(last.range.start);
            }
        }
    }
}

/// Returns the lines of `new`, each with this line ending.
fn with_endings(new: &str, ending: &str) -> String {
    lines(new).flat_map(|line| [line.content, ending]).collect()
}
