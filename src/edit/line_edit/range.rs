use crate::LineRange;

/// The reason why a text is not a range of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRange {
    /// The text is not a number, nor two.
    #[error("expected a line such as `12`, or lines such as `12-15`; several ranges need an edit each")]
    Syntax,
    /// A line number is 0.
    #[error("lines are counted from 1")]
    Zero,
    /// The last line comes before the first.
    #[error("the last line comes before the first")]
    Reversed,
}

/// Parses lines as models write them: `12`, `12-15`, `12..15`, `12:15`, `L12-L15`. A range without an end, such as
/// `12-`, and a list, such as `12,15`, are refused: both could mean more or fewer lines than one reading of them.
///
/// ```
/// use editd_edit::{BadRange, LineRange, parse_range};
///
/// assert_eq!(parse_range("12-15"), Ok(LineRange { start: 12, end: 15 }));
/// assert_eq!(parse_range("15-12"), Err(BadRange::Reversed));
/// ```
pub fn parse_range(text: &str) -> Result<LineRange, BadRange> {
    let is_separator = |sign: char| matches!(sign, '-' | '–' | '—' | '.' | ':' | '…');
    if text.trim().starts_with(is_separator) || text.trim().ends_with(is_separator) {
        return Err(BadRange::Syntax);
    }
    let words = text.split(|sign: char| is_separator(sign) || sign.is_whitespace());
    let number = |word: &str| {
        let digits = word.trim_start_matches(['L', 'l', '#']);
        digits.parse::<usize>().map_err(|_| BadRange::Syntax)
    };
    let numbers = words.filter(|word| !word.is_empty()).map(number).collect::<Result<Vec<_>, _>>()?;
    let (start, end) = match numbers[..] {
        [line] => (line, line),
        [start, end] => (start, end),
        _ => return Err(BadRange::Syntax),
    };
    match (start, end) {
        (0, _) | (_, 0) => Err(BadRange::Zero),
        _ if start > end => Err(BadRange::Reversed),
        _ => Ok(LineRange { start, end }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_in_all_common_forms() {
        for text in ["12-15", "12..15", "12:15", "L12-L15", "12 – 15", " 12 - 15 ", "12...15", "#12-15"] {
            assert_eq!(parse_range(text), Ok(LineRange { start: 12, end: 15 }), "{text}");
        }
        for text in ["12", "L12", "12-12"] {
            assert_eq!(parse_range(text), Ok(LineRange { start: 12, end: 12 }), "{text}");
        }
        for text in [
            "",
            "-",
            "a",
            "12-b",
            "1-2-3",
            "12+15",
            "12,15",
            "12, 15",
            "12-",
            "-12",
            "..12",
            "99999999999999999999999",
        ] {
            assert_eq!(parse_range(text), Err(BadRange::Syntax), "{text}");
        }
        assert_eq!(parse_range("0-3"), Err(BadRange::Zero));
        assert_eq!(parse_range("15-12"), Err(BadRange::Reversed));
    }
}
