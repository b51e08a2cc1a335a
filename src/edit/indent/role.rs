//! Layout roles of lines: lines after an open bracket follow personal style, so their depth is no evidence
//! for the width of a level.

use super::units::spaces;
use crate::whole_lines::split_indent;

/// Maximum number of characters of a line that are read: enough to see which brackets stay open.
const MAX_READ: usize = 2000;

/// The layout role of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A line with the depth of its block.
    Code,
    /// A line after a bracket that ends its line: usually one level deeper.
    Hanging,
    /// A line after another open bracket, or a continuation of the line before.
    Continued,
    /// A line right below the text after the bracket of an earlier line, or part of its comment.
    Aligned { with: usize },
}

impl Role {
    pub(super) fn is_aligned(self) -> bool {
        matches!(self, Self::Aligned { .. })
    }
}

/// A bracket that is still open.
#[derive(Debug, Clone, Copy)]
struct Open<'l> {
    line: usize,
    indent: &'l str,
    /// Characters from the indentation to the text after the bracket; `None` if the bracket ends its line.
    offset: Option<usize>,
    /// `true` for a brace at the end of a line, which opens a block.
    block: bool,
}

impl Open<'_> {
    /// Returns `true` if a line with this indentation begins right below the text after the bracket.
    fn has_below(&self, indent: &str) -> bool {
        let deeper = indent.strip_prefix(self.indent).and_then(spaces);
        deeper.is_some() && deeper == self.offset
    }
}

/// Returns the role of each line.
pub(super) fn roles(lines: &[&str]) -> Vec<Role> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut comment: Option<usize> = None;
    let mut quoted: Option<&str> = None;
    let mut unfinished = false;
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
            _ if unfinished || continues(body, before) => Role::Continued,
            _ => Role::Code,
        };
        found.push(role);
        if body.starts_with("/*") && !body.contains("*/") {
            comment = Some(line);
        } else if body.contains("*/") {
            comment = None;
        }
        let was_quoted = quoted;
        quoted = quote_after(body, quoted);
        if was_quoted.is_none() && comment.is_none() {
            brackets(line, indent, body, &mut open);
        }
        if !body.is_empty() {
            before = body;
        }
        unfinished = ["\\", " +", " =", "||", "&&", " ?"].iter().any(|sign| body.ends_with(sign));
    }
    found
}

/// Returns the number of lines at the start that are the rest of a comment that began before them.
fn comment_end(lines: &[&str]) -> usize {
    let stars = lines.iter().take_while(|line| split_indent(line).1.starts_with('*')).count();
    lines[..stars].iter().position(|line| line.contains("*/")).map_or(0, |end| end + 1)
}

/// Returns `true` if a line continues an expression of the line before it.
fn continues(body: &str, before: &str) -> bool {
    const SIGNS: [&str; 8] = ["+ ", "&& ", "|| ", "? ", ": ", "|> ", "<< ", "== "];
    let method = body.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    SIGNS.iter().any(|sign| body.starts_with(sign))
        || method && !before.is_empty() && !before.ends_with(['{', '}', ';', ','])
}

/// Returns the multi-line quote that is open after a line.
fn quote_after<'q>(body: &str, open: Option<&'q str>) -> Option<&'q str> {
    const QUOTES: [&str; 2] = ["\"\"\"", "'''"];
    match open {
        Some(quote) => Some(quote).filter(|quote| body.matches(*quote).count() % 2 == 0),
        None => QUOTES.into_iter().find(|quote| body.matches(*quote).count() % 2 == 1),
    }
}

/// Updates the open brackets after a line.
fn brackets<'l>(line: usize, indent: &'l str, body: &str, open: &mut Vec<Open<'l>>) {
    let signs: Vec<char> = body.chars().take(MAX_READ).collect();
    for (at, sign) in code_brackets(&signs) {
        if matches!(sign, ')' | ']' | '}') {
            open.pop();
            continue;
        }
        let rest = signs[at + 1..].iter().position(|sign| !sign.is_whitespace());
        let offset = rest.map(|skip| at + 1 + skip).filter(|&next| !starts_comment(&signs, next));
        open.push(Open { line, indent, offset, block: sign == '{' && offset.is_none() });
    }
}

/// Returns 1 for each bracket of a line that opens and -1 for each that closes, outside strings and comments.
pub(crate) fn bracket_steps(line: &str) -> impl Iterator<Item = isize> {
    let signs: Vec<char> = line.chars().take(MAX_READ).collect();
    let step = |(_, sign)| if matches!(sign, '(' | '[' | '{') { 1 } else { -1 };
    code_brackets(&signs).into_iter().map(step)
}

/// Returns the brackets of a line outside strings and comments, with their positions.
fn code_brackets(signs: &[char]) -> Vec<(usize, char)> {
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

/// Returns the end in its line of the string that starts at `at`. An apostrophe within a word, or one that
/// names a lifetime, does not start a string.
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
    let after_colon = at > 0 && signs[at - 1] == ':';
    match signs[at] {
        '/' => next == Some(&'*') || next == Some(&'/') && !after_colon,
        '#' => next.is_none_or(|next| matches!(next, ' ' | '!')),
        '-' => next == Some(&'-') && signs.get(at + 2).is_none_or(|next| *next == ' '),
        _ => false,
    }
}

/// Returns `true` if a line opens a block: the next line of the block is one level deeper.
pub(crate) fn opens_block(body: &str) -> bool {
    const WORDS: [&str; 6] = ["do", "then", "else", "begin", "try", "of"];
    let body = body.trim_end();
    let last_word = body.rsplit(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    body.ends_with(['{', '(', '[', ':'])
        || body.ends_with("=>")
        || WORDS.contains(&last_word)
        || body.starts_with('<') && !body.starts_with("</") && body.ends_with('>') && !body.contains("</")
}

/// Returns the first new line that closes a block which the new text did not open, if the old text does not
/// close as many: it closes the block around the match, so the request may have no indentation left to show
/// the depth.
pub(super) fn closes_more(old: &[&str], new: &[&str]) -> Option<usize> {
    let lowest = closed(old).into_iter().map(|(_, depth)| depth).min().unwrap_or(0);
    closed(new).into_iter().find(|&(_, depth)| depth < lowest.min(0)).map(|(line, _)| line)
}

/// Returns the number of open braces after each line that closes one.
fn closed(lines: &[&str]) -> Vec<(usize, isize)> {
    let mut depth = 0;
    let mut found = Vec::new();
    for (line, content) in lines.iter().enumerate() {
        let signs: Vec<char> = content.chars().take(MAX_READ).collect();
        for (_, sign) in code_brackets(&signs) {
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
    fn lines_after_a_bracket_are_not_levels() {
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
    fn lifetimes_and_apostrophes_do_not_start_strings() {
        let text = ["fn f<'a>(x: &'a str,", "         y: &'a str) {", "    // don't (", "    b"];
        assert_eq!(roles(&text), [Role::Code, Role::Aligned { with: 0 }, Role::Code, Role::Code]);
    }

    #[test]
    fn closing_a_block_that_the_text_did_not_open_is_detected() {
        assert_eq!(closes_more(&["if p {", "x", "}"], &["if p {", "x", "}", "}", "", "func b() {"]), Some(3));
        assert_eq!(closes_more(&["x", "}"], &["y", "}"]), None);
        assert_eq!(closes_more(&["} else {", "x", "}"], &["} else {", "y", "}"]), None);
    }
}
