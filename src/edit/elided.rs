//! Detection of lines that represent code which the author did not write out.

use super::fold::plain;
use super::whole_lines::bare;
use editd_text::{Line, lines};

/// Maximum number of words; a longer sentence has another meaning.
const MAX_WORDS: usize = 8;
/// Maximum length of a placeholder line, in bytes.
const MAX_LEN: usize = 120;

/// Tokens that begin a comment, longest first if one begins with another.
const OPENERS: [&str; 14] =
    ["{/*", "<!--", "(*", "/**", "/*", "///", "//!", "//", "##", "#", "--", ";;", ";", "%"];
const CLOSERS: [&str; 4] = ["*/}", "-->", "*/", "*)"];

/// Words that indicate omitted content.
const OMISSION_WORDS: &str = "existing rest unchanged remaining remainder same other others omitted snip snipped previous \
    original elided truncated before more";

/// Words for what may be omitted.
const SUBJECTS: &str = "code file function method methods functions class implementation body content contents component \
    module imports logic tests fields lines cases properties definitions declarations section \
    sections script config configuration block entries test";

/// Words that indicate that the omitted content stays.
const STAYS: &str = "unchanged same remains remain stays stay omitted here as-is untouched before elided";

/// Words that may occur in between without changing the meaning.
const FILLERS: &str = "keep todo with the of this your is are as all and goes go for brevity was were in kept continues \
    no changes to above";

/// Returns `true` if a line is only `...`, possibly in a comment or with words that indicate omitted content.
pub(super) fn is_elision(content: &str) -> bool {
    let (body, commented) = body(content);
    let Some(words) = without_ellipsis(&body) else { return false };
    words.is_empty()
        || is_prose(words) && has_any(words, OMISSION_WORDS) && split_words(words).count() <= MAX_WORDS
        || commented && split_words(words).next().is_some() && all_known(words, &[SUBJECTS, FILLERS])
}

/// Returns `true` if a line is only a comment.
pub(super) fn is_comment(content: &str) -> bool {
    let line = content.trim_start();
    OPENERS.iter().any(|opener| line.strip_prefix(opener).is_some_and(|rest| rest.starts_with([' ', '\t'])))
}

/// Returns the first line of `new` (from 1) that elides code in words, if `old` has fewer lines that elide
/// something: such a line is not intended for the file. A bare `...` is text. If the new text has fewer lines
/// than the old one, weaker hints are enough.
pub fn placeholder(old: &str, new: &str) -> Option<usize> {
    let fewer = lines(new).count() < lines(old).count();
    let at = lines(new).position(|line| is_placeholder(line.content, fewer))?;
    let leaves_out = |line: &Line<'_>| is_elision(line.content) || is_placeholder(line.content, fewer);
    let count = |text| lines(text).filter(leaves_out).count();
    (count(old) < count(new)).then_some(at + 1)
}

/// Returns the first line of `new` (from 1) that elides code in words and is not in `old`, for an old text
/// that matched literally: a `...` in it is text of the file.
pub(super) fn placeholder_beside_text(old: &str, new: &str) -> Option<usize> {
    let fewer = lines(new).count() < lines(old).count();
    let is_in_old = |line: &str| lines(old).any(|old| old.content.trim() == line.trim());
    let elides = |line: Line<'_>| is_placeholder(line.content, fewer) && !is_in_old(line.content);
    lines(new).position(elides).map(|at| at + 1)
}

/// Returns `true` if a line elides code in words. With `fewer`, a hint is enough, also after code on the
/// line.
fn is_placeholder(content: &str, fewer: bool) -> bool {
    let line = content.trim();
    if line.is_empty() || line.len() > MAX_LEN {
        return false;
    }
    let hinted_after = |opener: &str| line.find(opener).is_some_and(|at| is_placeholder(&line[at..], fewer));
    let hinted_after_code = || fewer && (hinted_after(" # ") || hinted_after(" // "));
    // Fast path: most lines need no parsing.
    let dots = line.contains("...") || line.contains('…');
    if !dots && !OPENERS.iter().any(|opener| line.starts_with(opener)) {
        return hinted_after_code();
    }
    let (body, commented) = body(line);
    if let Some(words) = without_ellipsis(&body) {
        return !words.is_empty() && is_elision(content);
    }
    if commented { is_prose(&body) && says_that_code_stays(&body, fewer) } else { hinted_after_code() }
}

/// Returns `true` for texts such as "rest of the code unchanged" or "existing imports here": only known
/// words, among them one that indicates omitted content and one that names the content or indicates that it
/// stays. With `hint`, also for weaker ones: "existing code", "rest unchanged", "same as before".
fn says_that_code_stays(body: &str, hint: bool) -> bool {
    let has = |words: &str| has_any(body, words);
    if !all_known(body, &[OMISSION_WORDS, SUBJECTS, STAYS, FILLERS]) {
        return false;
    }
    if hint {
        let several = split_words(body).nth(1).is_some() || has("unchanged omitted elided snip");
        return several && has(OMISSION_WORDS) && (has(SUBJECTS) || has(STAYS));
    }
    let omits = has("rest remainder existing remaining unchanged omitted elided");
    omits && has(SUBJECTS) && (has(STAYS) || has("rest remainder"))
}

/// Returns a line without its comment tokens and the brackets around it, and `true` if it had such tokens.
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

/// Returns the words next to the dots, or `None` if the line does not begin or end with dots as an elision
/// does.
fn without_ellipsis(body: &str) -> Option<&str> {
    let dots = |text: &str| text.len() - text.trim_start_matches('.').len();
    let (head, tail) = (dots(body), body.len() - body.trim_end_matches('.').len());
    if head < 3 && tail < 3 {
        return None;
    }
    let spread = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    if head >= 3 && spread(&body[head..]) && tail < 3 {
        // `...rest` is spread syntax.
        return None;
    }
    let words = body.trim_matches('.').trim();
    let inner = words.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    Some(inner.unwrap_or(words).trim())
}

fn is_prose(words: &str) -> bool {
    words.chars().all(|c| c.is_alphabetic() || " ',-().:/".contains(c))
}

fn split_words(words: &str) -> impl Iterator<Item = &str> {
    words
        .split(|c: char| !(c.is_alphabetic() || c == '-' || c == '\''))
        .filter(|word| word.contains(char::is_alphabetic))
}

/// Returns `true` if some word of a text is in a list of words, which are separated by spaces.
fn has_any(text: &str, known: &str) -> bool {
    split_words(text).any(|word| known.split(' ').any(|known| known == word))
}

/// Returns `true` if all words of a text are in these lists.
fn all_known(text: &str, known: &[&str]) -> bool {
    split_words(text).all(|word| known.iter().any(|known| known.split(' ').any(|known| known == word)))
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
    fn dots_are_an_elision(#[case] line: &str) {
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
    fn words_that_elide_code_are_placeholders(#[case] line: &str) {
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
    fn other_lines_are_not_placeholders(#[case] line: &str) {
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
    fn weaker_hints_are_enough_if_lines_are_removed(#[case] line: &str) {
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
    fn other_lines_are_not_placeholders_even_if_lines_are_removed(#[case] line: &str) {
        assert_eq!(
            placeholder("def f(x):\n    a()\n    b()\n    c()\n", &format!("def f(x):\n    {line}\n")),
            None
        );
    }

    #[test]
    fn the_new_text_may_elide_what_the_old_text_elides() {
        assert_eq!(placeholder("a\n// ...\n", "b\n// ... existing code ...\n"), None);
        assert_eq!(
            placeholder("// rest of the code unchanged\n", "// rest of the code unchanged\nb\n"),
            None
        );
    }
}
