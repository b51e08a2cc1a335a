//! The part that a line plays in its text: lines behind an open bracket are laid out by taste, so their depth
//! proves nothing of how a level is indented.

use super::super::whole_lines::split_indent;
use super::unit::spaces;

/// Longest stretch of a line that is read: enough to see what stays open.
const READ: usize = 2000;

/// The part that a line plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its depth is that of a block.
    Code,
    /// It stands behind a bracket at the end of a line: most often one level deeper.
    Hanging,
    /// It stands behind another open bracket, or goes on where a line before it broke off.
    Continued,
    /// It stands right below what follows the bracket of an earlier line, or belongs to its comment.
    Aligned { with: usize },
}

impl Role {
    pub(super) fn is_aligned(self) -> bool {
        matches!(self, Self::Aligned { .. })
    }

    /// The earlier line that it is aligned with.
    pub(super) fn aligned_with(self) -> Option<usize> {
        match self {
            Self::Aligned { with } => Some(with),
            _ => None,
        }
    }
}

/// A bracket that is still open.
#[derive(Debug, Clone, Copy)]
struct Open<'l> {
    line: usize,
    indent: &'l str,
    /// Signs from the indentation to what follows the bracket in its line; nothing for the last sign of a line.
    offset: Option<usize>,
    /// A brace at the end of a line, which opens a block.
    block: bool,
}

impl Open<'_> {
    /// Returns whether a line of this indentation begins right below what follows the bracket.
    fn has_below(&self, indent: &str) -> bool {
        let deeper = indent.strip_prefix(self.indent).and_then(spaces);
        deeper.is_some() && deeper == self.offset
    }
}

/// The part that each line plays.
pub(super) fn roles(lines: &[&str]) -> Vec<Role> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut comment: Option<usize> = None;
    let mut quoted: Option<&str> = None;
    let mut broken_off = false;
    let mut before = "";
    let comment_end = comment_end(lines);
    let mut found = Vec::with_capacity(lines.len());
    for (line, content) in lines.iter().enumerate() {
        let (indent, body) = split_indent(content);
        comment = comment.filter(|_| body.starts_with('*'));
        let role = match (comment, quoted, open.last()) {
            (Some(with), ..) => Role::Aligned { with },
            _ if line < comment_end => Role::Continued,
            (None, Some(_), _) => Role::Continued,
            (.., Some(bracket)) if !bracket.block => match bracket.offset {
                Some(_) if bracket.has_below(indent) => Role::Aligned { with: bracket.line },
                Some(_) => Role::Continued,
                None => Role::Hanging,
            },
            _ if broken_off || goes_on(body, before) => Role::Continued,
            _ => Role::Code,
        };
        found.push(role);
        if body.starts_with("/*") && !body.contains("*/") {
            comment = Some(line);
        } else if body.contains("*/") {
            comment = None;
        }
        let was_quoted = quoted;
        quoted = quote_behind(body, quoted);
        if was_quoted.is_none() && comment.is_none() {
            brackets(line, indent, body, &mut open);
        }
        if !body.is_empty() {
            before = body;
        }
        broken_off = ["\\", " +", " =", "||", "&&", " ?"].iter().any(|sign| body.ends_with(sign));
    }
    found
}

/// Returns how many lines at the start are the rest of a comment that began before them.
fn comment_end(lines: &[&str]) -> usize {
    let stars = lines.iter().take_while(|line| split_indent(line).1.starts_with('*')).count();
    lines[..stars].iter().position(|line| line.contains("*/")).map_or(0, |end| end + 1)
}

/// Returns whether a line goes on with an expression of the line before it.
fn goes_on(body: &str, before: &str) -> bool {
    const SIGNS: [&str; 8] = ["+ ", "&& ", "|| ", "? ", ": ", "|> ", "<< ", "== "];
    let method = body.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    SIGNS.iter().any(|sign| body.starts_with(sign))
        || method && !before.is_empty() && !before.ends_with(['{', '}', ';', ','])
}

/// The quotes of several lines that are open behind a line.
fn quote_behind<'q>(body: &str, open: Option<&'q str>) -> Option<&'q str> {
    const QUOTES: [&str; 2] = ["\"\"\"", "'''"];
    match open {
        Some(quote) => Some(quote).filter(|quote| body.matches(*quote).count() % 2 == 0),
        None => QUOTES.into_iter().find(|quote| body.matches(*quote).count() % 2 == 1),
    }
}

/// Follows the brackets of a line.
fn brackets<'l>(line: usize, indent: &'l str, body: &str, open: &mut Vec<Open<'l>>) {
    let signs: Vec<char> = body.chars().take(READ).collect();
    for (at, sign) in code_signs(&signs) {
        match sign {
            '(' | '[' | '{' => {
                let rest = signs[at + 1..].iter().position(|sign| !sign.is_whitespace());
                let follows = rest.map(|skip| at + 1 + skip).filter(|&next| !starts_comment(&signs, next));
                let block = sign == '{' && follows.is_none();
                open.push(Open { line, indent, offset: follows, block });
            }
            _ => {
                open.pop();
            }
        }
    }
}

/// The brackets of a line that stand neither in a string nor in a comment, with where they stand.
fn code_signs(signs: &[char]) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < signs.len() {
        match signs[at] {
            '(' | '[' | '{' | ')' | ']' | '}' => found.push((at, signs[at])),
            '"' | '`' | '\'' => at = string_end(signs, at).unwrap_or(at),
            _ if starts_comment(signs, at) => break,
            _ => {}
        }
        at += 1;
    }
    found
}

/// Where a string that starts at `at` ends in its line. An apostrophe within a word starts none, nor does one
/// that names a lifetime.
fn string_end(signs: &[char], at: usize) -> Option<usize> {
    let quote = signs[at];
    let before = at.checked_sub(1).map(|before| signs[before]);
    if quote == '\'' {
        let word = before.is_some_and(char::is_alphanumeric);
        let lifetime = matches!(before, Some('&' | '<')) && signs.get(at + 2) != Some(&'\'');
        if word || lifetime {
            return None;
        }
    }
    let mut end = at + 1;
    while end < signs.len() && signs[end] != quote {
        end += if signs[end] == '\\' { 2 } else { 1 };
    }
    (end < signs.len()).then_some(end)
}

fn starts_comment(signs: &[char], at: usize) -> bool {
    let next = signs.get(at + 1);
    let behind_colon = at > 0 && signs[at - 1] == ':';
    match signs[at] {
        '/' => next == Some(&'*') || next == Some(&'/') && !behind_colon,
        '#' => next.is_none_or(|next| matches!(next, ' ' | '!')),
        '-' => next == Some(&'-') && signs.get(at + 2).is_none_or(|next| *next == ' '),
        _ => false,
    }
}

/// Returns whether a line opens a block: the next line of it is one level deeper.
pub(super) fn opens_block(body: &str) -> bool {
    const WORDS: [&str; 6] = ["do", "then", "else", "begin", "try", "of"];
    let body = body.trim_end();
    let last_word = body.rsplit(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    body.ends_with(['{', '(', '[', ':'])
        || body.ends_with("=>")
        || WORDS.contains(&last_word)
        || body.starts_with('<') && !body.starts_with("</") && body.ends_with('>') && !body.contains("</")
}

/// The first new line that closes a block which the new text did not open, if the old text does not close so
/// many: what lies around the place is closed, where the request may have no indentation left to show it.
pub(super) fn closes_more(old: &[&str], new: &[&str]) -> Option<usize> {
    let lowest = closed(old).into_iter().map(|(_, depth)| depth).min().unwrap_or(0);
    closed(new).into_iter().find(|&(_, depth)| depth < lowest.min(0)).map(|(line, _)| line)
}

/// Returns how many braces are open behind each line that closes one.
fn closed(lines: &[&str]) -> Vec<(usize, isize)> {
    let mut depth = 0;
    let mut found = Vec::new();
    for (line, content) in lines.iter().enumerate() {
        let signs: Vec<char> = content.chars().take(READ).collect();
        for (_, sign) in code_signs(&signs) {
            match sign {
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    found.push((line, depth));
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_behind_a_bracket_are_no_levels() {
        use Role::{Code, Continued, Hanging};

        let text = [
            "if (a &&",
            "    b) {",
            "  call(first,",
            "       second)",
            "  run(",
            "    one,",
            "  );",
            "  /*",
            "   * x",
            "   */",
            "  end(\"(\"); // (",
            "}",
            "#define A \\",
            "  b",
            "c",
        ];
        let with = |with| Role::Aligned { with };
        let expected = [
            Code,
            with(0),
            Code,
            with(2),
            Code,
            Hanging,
            Hanging,
            Code,
            with(7),
            with(7),
            Code,
            Code,
            Code,
            Continued,
            Code,
        ];
        assert_eq!(roles(&text), expected);
    }

    #[test]
    fn lifetimes_and_apostrophes_quote_nothing() {
        let text = ["fn f<'a>(x: &'a str,", "         y: &'a str) {", "    // don't (", "    b"];
        assert_eq!(roles(&text), [Role::Code, Role::Aligned { with: 0 }, Role::Code, Role::Code]);
    }

    #[test]
    fn a_block_that_the_text_did_not_open_is_closed() {
        assert_eq!(closes_more(&["if p {", "x", "}"], &["if p {", "x", "}", "}", "", "func b() {"]), Some(3));
        assert_eq!(closes_more(&["x", "}"], &["y", "}"]), None);
        assert_eq!(closes_more(&["} else {", "x", "}"], &["} else {", "y", "}"]), None);
    }
}
