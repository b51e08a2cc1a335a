//! Finds functions by the layout of well-formatted code, without a parser.
//!
//! A function begins at a line that reads like one and ends at the next closing line in the same column. All
//! that is not certain is left out.

use std::ops::Range;

use editd_syntax::Language;

use super::super::plain::{indent, words};

/// A function, as lines of its file.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Name of the type around it, if it is certain.
    pub(crate) owner: Option<String>,
    /// All lines, with the comment and the attributes above.
    pub(crate) whole: Range<usize>,
    /// Line with the name.
    pub(crate) head: usize,
    pub(crate) body: Range<usize>,
}

/// The layout of functions in a language.
#[derive(Clone, Copy)]
struct Layout {
    comments: &'static [&'static str],
    attribute: &'static str,
    opens: &'static [char],
    closes: Option<&'static str>,
}

fn layout(language: Language) -> Option<Layout> {
    let braces = |attribute: &'static str| Layout {
        comments: &["//", "/*", "* ", "*/"],
        attribute,
        opens: &['{'],
        closes: Some("}"),
    };
    match language {
        Language::Rust => Some(braces("#[")),
        Language::TypeScript | Language::Tsx | Language::Java => Some(braces("@")),
        Language::Go | Language::C | Language::JavaScript => Some(braces("\0")),
        Language::Bash => Some(Layout { comments: &["#"], ..braces("\0") }),
        Language::Python => Some(Layout { comments: &["#"], attribute: "@", opens: &[':'], closes: None }),
        Language::Lua => {
            Some(Layout { comments: &["--"], attribute: "\0", opens: &[')'], closes: Some("end") })
        }
        _ => None,
    }
}

/// Returns the functions of a text.
pub(crate) fn functions(lines: &[&str], language: Language) -> Vec<Function> {
    let Some(layout) = layout(language) else { return Vec::new() };
    (0..lines.len()).filter_map(|head| function(lines, language, layout, head)).collect()
}

fn function(lines: &[&str], language: Language, layout: Layout, head: usize) -> Option<Function> {
    let text = lines[head];
    let owner = owner(lines, head);
    if !indent(text).is_empty() && owner.is_none() {
        return None;
    }
    let in_class = owner.as_ref().is_some_and(|owner| owner.starts_with("class "));
    let name = name(text.trim(), language, in_class)?;
    let depth = indent(text);
    let mut open = head;
    if text.trim_end().ends_with('(') {
        open =
            head + 1 + lines[head + 1..].iter().position(|line| indent(line) == depth && !line.is_empty())?;
        if !lines[open].trim_start().starts_with(')') {
            return None;
        }
    }
    if language == Language::C {
        open = (lines.get(head + 1)? == &"{").then_some(head + 1)?;
    } else if !lines[open].trim_end().ends_with(layout.opens) {
        return None;
    }
    let deeper =
        |line: &&&str| line.trim().is_empty() || line.starts_with(depth) && indent(line).len() > depth.len();
    let mut body = open + 1..open + 1 + lines[open + 1..].iter().take_while(deeper).count();
    let end = if let Some(mark) = layout.closes {
        let closing = lines.get(body.end)?;
        (indent(closing) == depth && closing.trim() == mark).then_some(body.end + 1)?
    } else {
        while body.end > body.start && lines[body.end - 1].trim().is_empty() {
            body.end -= 1;
        }
        body.end
    };
    let is_comment = |line: &str| layout.comments.iter().any(|mark| line.trim_start().starts_with(mark));
    let firm = |line: &&str| !line.trim().is_empty() && !is_comment(line);
    // Comments at the edges of a body may be inside or outside of it.
    if body.is_empty() || !firm(&lines[body.start]) || !firm(&lines[body.end - 1]) {
        return None;
    }
    if lines[body.clone()]
        .iter()
        .any(|line| line.contains("\"\"\"") || line.contains('`') || line.contains("'''"))
    {
        return None;
    }
    let attributes =
        above(lines, head, |line| indent(line) == depth && line.trim().starts_with(layout.attribute));
    let comments = above(lines, attributes.start, |line| indent(line).starts_with(depth) && is_comment(line));
    let certain = is_attached(lines, &comments)
        && attributes.clone().all(|at| {
            lines[at].trim_end().ends_with([']', ')'])
                || language == Language::Python && !lines[at].trim_end().ends_with('(')
        });
    let owner = owner.map(|owner| owner.rsplit(' ').next().unwrap_or_default().to_owned());
    certain.then_some(Function { name, owner, whole: comments.start..end, head, body })
}

/// Returns the lines directly above a line that fit.
fn above(lines: &[&str], end: usize, fits: impl Fn(&str) -> bool) -> Range<usize> {
    end - lines[..end].iter().rev().take_while(|line| fits(line)).count()..end
}

/// Returns `true` if a comment certainly belongs to what follows, and nothing else does.
fn is_attached(lines: &[&str], comments: &Range<usize>) -> bool {
    let unusual = |line: &&str| {
        line.contains("---") || line.contains("===") || line.contains("//!") || line.trim() == "//"
    };
    let Some(before) = comments.start.checked_sub(1) else { return comments.is_empty() };
    let before = lines[before].trim();
    let apart = before.is_empty() || before == "}" || before == "end" || before.ends_with(['{', ':']);
    let texts = &lines[comments.clone()];
    let opened = texts.iter().filter(|line| line.trim().starts_with("/*")).count();
    let closed = texts.iter().filter(|line| line.trim().ends_with("*/")).count();
    apart && !texts.iter().any(unusual) && opened == closed && opened <= 1
}

/// Returns the kind and the name of the type around a line, or `None` if there is none or it is not certain.
fn owner(lines: &[&str], at: usize) -> Option<String> {
    let depth = indent(lines[at]).len();
    let around = lines[..at].iter().rfind(|line| !line.trim().is_empty() && indent(line).len() < depth)?;
    let around = around.trim().trim_end_matches(['{', ':']).trim();
    let words: Vec<&str> = around.split_whitespace().collect();
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let place = words.iter().position(|word| matches!(*word, "impl" | "class" | "mod"))?;
    let name = words.get(place + 1)?.split(['(', '<']).next()?;
    let certain = words[..place].iter().all(|word| {
        matches!(*word, "pub" | "export" | "default" | "public" | "final" | "abstract" | "static")
    });
    let alone = words.len() == place + 2 || words[place] == "class";
    (certain && alone && plain(name) && !name.is_empty()).then(|| format!("{} {name}", words[place]))
}

/// Returns the name of the function that a line declares.
fn name(text: &str, language: Language, in_class: bool) -> Option<String> {
    let (before, _) = text.split_once('(')?;
    let before = before.split('<').next()?.trim();
    let words: Vec<&str> = before.split_whitespace().collect();
    let (name, front) = words.split_last()?;
    let all = |known: &[&str]| front.iter().all(|word| known.contains(word));
    let declared = match language {
        Language::Rust => front.last() == Some(&"fn") && !text.contains(" where "),
        Language::Python => front.last() == Some(&"def") && all(&["async", "def"]),
        Language::Lua => front.last() == Some(&"function") && all(&["local", "function"]),
        Language::Go => front == ["func"],
        Language::TypeScript | Language::Tsx | Language::JavaScript if in_class => {
            let known = ["public", "private", "protected", "static", "async", "override"];
            all(&known) && text.ends_with('{') && !["if", "for", "while", "switch", "catch"].contains(name)
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            front.last() == Some(&"function") && all(&["export", "default", "async", "function"])
        }
        Language::Java => {
            let known = ["public", "private", "protected", "static", "final"];
            in_class && front.first().is_some_and(|word| known.contains(word)) && text.ends_with('{')
        }
        Language::Bash => (front.is_empty() || front == ["function"]) && text.ends_with("() {"),
        Language::C => text.ends_with(')') && !front.is_empty() && !text.starts_with(['#', '*', '/']),
        _ => false,
    };
    let name = name.trim_start_matches('*');
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (declared && plain && name != "constructor").then(|| name.to_owned())
}

/// Returns how often a name occurs as a word, and how often before a bracket of parameters.
pub(crate) fn mentions(lines: &[&str], name: &str) -> (usize, usize) {
    let last = name.rsplit('.').next().unwrap_or(name);
    let (mut all, mut called) = (0, 0);
    for line in lines {
        for (at, _) in words(line).into_iter().filter(|(_, word)| *word == last) {
            all += 1;
            called += usize::from(line[at + last.len()..].starts_with(['(', '<']));
        }
    }
    (all, called)
}
