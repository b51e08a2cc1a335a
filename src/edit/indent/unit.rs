//! Levels of indentation.

/// Usual widths of a level. Other steps are a matter of layout.
const LEVELS: [usize; 3] = [2, 4, 8];

/// One level of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Tab,
    /// So many spaces, at least one.
    Spaces(usize),
}

impl Unit {
    /// Returns whether people indent by such a level.
    pub(super) fn is_usual(self) -> bool {
        match self {
            Self::Tab => true,
            Self::Spaces(width) => LEVELS.contains(&width),
        }
    }

    /// Levels in an indentation that is made of nothing but whole levels.
    pub(super) fn levels(self, indent: &str) -> Option<usize> {
        match self {
            Self::Tab => tabs(indent),
            Self::Spaces(width) => {
                spaces(indent).filter(|spaces| spaces.is_multiple_of(width)).map(|n| n / width)
            }
        }
    }

    /// So many levels.
    pub(super) fn repeat(self, levels: usize) -> String {
        match self {
            Self::Tab => "\t".repeat(levels),
            Self::Spaces(width) => " ".repeat(width * levels),
        }
    }

    /// An indentation with some levels more, or less where there are so many to take off its end.
    pub(super) fn moved(self, indent: &str, levels: isize) -> Option<String> {
        let text = self.repeat(levels.unsigned_abs());
        if levels >= 0 {
            Some(indent.to_owned() + &text)
        } else {
            indent.strip_suffix(&*text).map(str::to_owned)
        }
    }
}

/// The number of spaces in an indentation of spaces alone.
pub(super) fn spaces(indent: &str) -> Option<usize> {
    indent.bytes().all(|byte| byte == b' ').then_some(indent.len())
}

/// The number of tabs in an indentation of tabs alone.
pub(super) fn tabs(indent: &str) -> Option<usize> {
    indent.bytes().all(|byte| byte == b'\t').then_some(indent.len())
}

/// Columns of an indentation where tabs reach to the next multiple of eight.
pub(super) fn columns(indent: &str) -> usize {
    indent.chars().fold(0, |column, sign| if sign == '\t' { column / 8 * 8 + 8 } else { column + 1 })
}

pub(super) fn greatest_common(one: usize, other: usize) -> usize {
    if other == 0 { one } else { greatest_common(other, one % other) }
}
