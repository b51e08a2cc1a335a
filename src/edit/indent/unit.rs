//! Units of indentation.

/// Usual widths of a level. Other steps are alignment.
const LEVELS: [usize; 3] = [2, 4, 8];

/// One level of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Tab,
    /// This many spaces, at least one.
    Spaces(usize),
}

impl Unit {
    /// Returns `true` if the unit is in common use.
    pub(super) fn is_usual(self) -> bool {
        match self {
            Self::Tab => true,
            Self::Spaces(width) => LEVELS.contains(&width),
        }
    }

    /// Returns the number of levels in an indentation, or `None` if it is not made of whole levels.
    pub(super) fn levels(self, indent: &str) -> Option<usize> {
        match self {
            Self::Tab => tabs(indent),
            Self::Spaces(width) => {
                spaces(indent).filter(|spaces| spaces.is_multiple_of(width)).map(|n| n / width)
            }
        }
    }

    /// Returns an indentation of `levels` levels.
    pub(super) fn repeat(self, levels: usize) -> String {
        match self {
            Self::Tab => "\t".repeat(levels),
            Self::Spaces(width) => " ".repeat(width * levels),
        }
    }

    /// Adds levels to an indentation, or removes them from its end. Returns `None` if there are too few to
    /// remove.
    pub(super) fn moved(self, indent: &str, levels: isize) -> Option<String> {
        let text = self.repeat(levels.unsigned_abs());
        if levels >= 0 {
            Some(indent.to_owned() + &text)
        } else {
            indent.strip_suffix(&*text).map(str::to_owned)
        }
    }
}

/// Returns the number of spaces in an indentation of spaces only.
pub(super) fn spaces(indent: &str) -> Option<usize> {
    indent.bytes().all(|byte| byte == b' ').then_some(indent.len())
}

/// Returns the number of tabs in an indentation of tabs only.
pub(super) fn tabs(indent: &str) -> Option<usize> {
    indent.bytes().all(|byte| byte == b'\t').then_some(indent.len())
}

/// Returns the width of an indentation in columns; tabs reach to the next multiple of eight.
pub(super) fn columns(indent: &str) -> usize {
    indent.chars().fold(0, |column, sign| if sign == '\t' { column / 8 * 8 + 8 } else { column + 1 })
}

pub(super) fn gcd(one: usize, other: usize) -> usize {
    if other == 0 { one } else { gcd(other, one % other) }
}
