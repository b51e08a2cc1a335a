//! Lines that stand for code which the author did not write out.

use super::fold::plain;
use super::whole_lines::bare;
use crate::text::lines;

/// Signs that begin a comment, longest first where one begins another.
const OPENERS: [&str; 14] =
    ["{/*", "<!--", "(*", "/**", "/*", "///", "//!", "//", "##", "#", "--", ";;", ";", "%"];
const CLOSERS: [&str; 4] = ["*/}", "-->", "*/", "*)"];

/// Words with which authors say that something is there but not shown.
const TELLING: [&str; 17] = [
    "existing",
    "rest",
    "unchanged",
    "remaining",
    "remainder",
    "same",
    "other",
    "others",
    "omitted",
    "snip",
    "snipped",
    "previous",
    "original",
    "elided",
    "truncated",
    "before",
    "more",
];

/// What such words are about.
const SUBJECTS: [&str; 30] = [
    "code",
    "file",
    "function",
    "method",
    "methods",
    "functions",
    "class",
    "implementation",
    "body",
    "content",
    "contents",
    "component",
    "module",
    "imports",
    "logic",
    "tests",
    "fields",
    "lines",
    "cases",
    "properties",
    "definitions",
    "declarations",
    "section",
    "sections",
    "script",
    "config",
    "configuration",
    "block",
    "entries",
    "test",
];

/// Words that say that it stays.
const STAYS: [&str; 12] = [
    "unchanged",
    "same",
    "remains",
    "remain",
    "stays",
    "stay",
    "omitted",
    "here",
    "as-is",
    "untouched",
    "before",
    "elided",
];

/// Words that may stand between without changing the meaning.
const FILLERS: [&str; 25] = [
    "keep",
    "todo",
    "with",
    "the",
    "of",
    "this",
    "your",
    "is",
    "are",
    "as",
    "all",
    "and",
    "goes",
    "go",
    "for",
    "brevity",
    "was",
    "were",
    "in",
    "kept",
    "continues",
    "no",
    "changes",
    "to",
    "above",
];

/// Whether a line is only `...`, perhaps in a comment or with words that say that something is left out.
pub(super) fn is_elision(content: &str) -> bool {
    let (body, commented) = body(content);
    let Some(words) = without_ellipsis(&body) else { return false };
    words.is_empty()
        || is_prose(words) && has(words, &TELLING) && each(words).count() <= MOST_WORDS
        || commented && each(words).next().is_some() && is_all(words, &[&SUBJECTS, &FILLERS])
}

/// Whether a line is a comment and nothing else.
pub(super) fn is_comment(content: &str) -> bool {
    let line = content.trim_start();
    OPENERS.iter().any(|opener| line.strip_prefix(opener).is_some_and(|rest| rest.starts_with([' ', '\t'])))
}

/// The first line of `new` (from 1) that says in words that code is left out, where `old` has fewer lines that
/// leave something out: whoever wrote that did not mean it to be in the file. A bare `...` is text. Where the
/// new text has fewer lines, fewer words are enough.
pub fn placeholder(old: &str, new: &str) -> Option<usize> {
    let fewer = lines(new).count() < lines(old).count();
    let at = lines(new).position(|line| is_placeholder(line.content, fewer))?;
    let leaves_out =
        |line: &crate::text::Line<'_>| is_elision(line.content) || is_placeholder(line.content, fewer);
    let count = |text| lines(text).filter(leaves_out).count();
    (count(old) < count(new)).then_some(at + 1)
}

/// The first line of `new` (from 1) that says in words that code is left out and does not stand in `old`, for an
/// old text that was found as it is: a `...` in it is text of the file.
pub(super) fn placeholder_beside_text(old: &str, new: &str) -> Option<usize> {
    let fewer = lines(new).count() < lines(old).count();
    let stands = |line: &str| lines(old).any(|old| old.content.trim() == line.trim());
    let says = |line: crate::text::Line<'_>| is_placeholder(line.content, fewer) && !stands(line.content);
    lines(new).position(says).map(|at| at + 1)
}

/// Whether a line says in words that code is left out. With `fewer` a hint of that is enough, also behind
/// code.
fn is_placeholder(content: &str, fewer: bool) -> bool {
    let line = content.trim();
    if line.is_empty() || line.len() > LONGEST {
        return false;
    }
    let behind = |opener: &str| line.find(opener).is_some_and(|at| is_placeholder(&line[at..], fewer));
    // Most lines are told by a look, without taking them apart.
    let dots = line.contains("...") || line.contains('…');
    if !dots && !OPENERS.iter().any(|opener| line.starts_with(opener)) {
        return fewer && (behind(" # ") || behind(" // "));
    }
    let (body, commented) = body(line);
    if let Some(words) = without_ellipsis(&body) {
        return !words.is_empty() && is_elision(content);
    }
    let says = if fewer { hints_that_it_stays } else { says_that_it_stays };
    if commented {
        return is_prose(&body) && says(&body);
    }
    fewer && (behind(" # ") || behind(" // "))
}

/// A longer sentence says something of its own.
const MOST_WORDS: usize = 8;
/// Longer lines say more than that.
const LONGEST: usize = 120;

/// "rest of the code unchanged", "existing imports here": nothing but such words, among them one that tells
/// what is not shown and one that says what it is or that it stays.
fn says_that_it_stays(body: &str) -> bool {
    let known = is_all(body, &[&TELLING, &SUBJECTS, &STAYS, &FILLERS]);
    let about = has(body, &SUBJECTS);
    let told = has(body, &["rest", "remainder", "existing", "remaining", "unchanged", "omitted", "elided"]);
    let stays = has(body, &STAYS) || has(body, &["rest", "remainder"]);
    known && told && about && stays
}

/// The same with less to go by: "existing code", "rest unchanged", "same as before".
fn hints_that_it_stays(body: &str) -> bool {
    let known = is_all(body, &[&TELLING, &SUBJECTS, &STAYS, &FILLERS]);
    let several = each(body).nth(1).is_some() || has(body, &["unchanged", "omitted", "elided", "snip"]);
    known && several && has(body, &TELLING) && (has(body, &SUBJECTS) || has(body, &STAYS))
}

/// What a line says without its comment signs and the brackets around it, and whether it had such signs.
fn body(content: &str) -> (String, bool) {
    let line = bare(content);
    let mut line = line.trim();
    let mut commented = false;
    if let Some(opener) = OPENERS.iter().find(|opener| line.starts_with(**opener)) {
        line = line[opener.len()..].trim_start();
        commented = true;
    }
    if let Some(closer) = CLOSERS.iter().find(|closer| line.ends_with(**closer)) {
        line = line[..line.len() - closer.len()].trim_end();
    }
    for (open, close) in [('(', ')'), ('[', ']'), ('<', '>')] {
        if let Some(inner) = line.strip_prefix(open).and_then(|inner| inner.strip_suffix(close)) {
            line = inner.trim();
        }
    }
    (plain(line).to_lowercase(), commented)
}

/// The words beside the dots; nothing if there are no dots where an elision has them.
fn without_ellipsis(body: &str) -> Option<&str> {
    let dots = |text: &str| text.len() - text.trim_start_matches('.').len();
    let (head, tail) = (dots(body), body.len() - body.trim_end_matches('.').len());
    if head < 3 && tail < 3 {
        return None;
    }
    let spread = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    if head >= 3 && spread(&body[head..]) && tail < 3 {
        // `...rest` spreads a value.
        return None;
    }
    let words = body.trim_matches('.').trim();
    let inner = words.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    Some(inner.unwrap_or(words).trim())
}

fn is_prose(words: &str) -> bool {
    words
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, ' ' | '\'' | ',' | '-' | '(' | ')' | '.' | ':' | '/'))
}

fn each(words: &str) -> impl Iterator<Item = &str> {
    words
        .split(|c: char| !(c.is_alphabetic() || c == '-' || c == '\''))
        .filter(|word| word.contains(char::is_alphabetic))
}

fn has(words: &str, known: &[&str]) -> bool {
    each(words).any(|word| known.contains(&word))
}

fn is_all(words: &str, known: &[&[&str]]) -> bool {
    each(words).all(|word| known.iter().any(|known| known.contains(&word)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("...")]
    #[case("    …")]
    #[case("// ...")]
    #[case("# ... existing code ...")]
    #[case("/* ... */")]
    #[case("{/* ... existing JSX ... rest */}")]
    #[case("<!-- ... -->")]
    #[case("-- ... (unchanged)")]
    #[case("// rest of the function ...")]
    #[case("// ... imports ...")]
    #[case("... (rest of the file)")]
    fn dots_leave_something_out(#[case] line: &str) {
        assert!(is_elision(line));
    }

    #[rstest]
    #[case("...rest")]
    #[case("...props,")]
    #[case("..")]
    #[case("x = ...")]
    #[case("def f(): ...")]
    #[case("// wait for it ... then go")]
    #[case("# loading ...")]
    #[case("print(\"existing ...\")")]
    #[case("existing code")]
    fn other_dots_are_text(#[case] line: &str) {
        assert!(!is_elision(line));
    }

    #[rstest]
    #[case("// rest of the code unchanged")]
    #[case("# ... existing code ...")]
    #[case("// ... rest of the function ...")]
    #[case("    # (rest of the method remains the same)")]
    #[case("/* existing code here */")]
    #[case("<!-- rest of the file -->")]
    #[case("// Existing imports remain unchanged.")]
    #[case("# remaining methods unchanged")]
    #[case("... (other methods unchanged)")]
    #[case("// The rest of the implementation stays the same")]
    #[case("// code omitted for brevity")]
    fn words_that_leave_code_out_are_placeholders(#[case] line: &str) {
        assert_eq!(placeholder("a\n", &format!("x\n{line}\ny\n")), Some(2));
    }

    #[rstest]
    #[case("...")]
    #[case("# ...")]
    #[case("// keep the existing behaviour for old clients")]
    #[case("// the rest is handled by the caller")]
    #[case("# existing users are migrated first")]
    #[case("let rest = code.unchanged();")]
    #[case("rest of the code")]
    #[case("// same as above")]
    #[case("// the remaining bytes")]
    #[case("# unchanged")]
    fn other_lines_are_not(#[case] line: &str) {
        assert_eq!(placeholder("a\n", line), None);
    }

    #[rstest]
    #[case("# (rest unchanged)")]
    #[case("# existing code")]
    #[case("# remaining code")]
    #[case("# keep the rest of the code")]
    #[case("# same as before")]
    #[case("# --- unchanged ---")]
    #[case("# TODO: rest of the code")]
    #[case("pass  # ... rest of the function")]
    fn fewer_words_are_enough_where_lines_go(#[case] line: &str) {
        assert_eq!(
            placeholder("def f(x):\n    a()\n    b()\n    c()\n", &format!("def f(x):\n    {line}\n")),
            Some(2)
        );
    }

    #[rstest]
    #[case("# ...")]
    #[case("...")]
    #[case("# the remaining bytes")]
    #[case("# more")]
    #[case("return rest  # the other half of the bytes")]
    fn other_lines_are_not_where_lines_go(#[case] line: &str) {
        assert_eq!(
            placeholder("def f(x):\n    a()\n    b()\n    c()\n", &format!("def f(x):\n    {line}\n")),
            None
        );
    }

    #[test]
    fn what_the_old_text_leaves_out_may_be_left_out() {
        assert_eq!(placeholder("a\n// ...\n", "b\n// ... existing code ...\n"), None);
        assert_eq!(
            placeholder("// rest of the code unchanged\n", "// rest of the code unchanged\nb\n"),
            None
        );
    }
}
