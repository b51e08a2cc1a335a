//! Names as the rules compare them: normalized to the form that the least strict file system compares.

use std::path::{Component, Path};

use unicode_normalization::UnicodeNormalization;

use super::families::{GUIDELINES, INSTRUCTION_FOLDERS, INSTRUCTIONS};

/// Returns `true` if the names below an agent's settings folder lead to a text that the agent only reads.
///
/// Texts that define commands, skills, workflows or other agents are settings: their headers grant tools,
/// and some agents run commands contained in them. Only locations of plain instructions are therefore
/// listed.
pub(super) fn is_instructions(below: &[String]) -> bool {
    match below {
        [name] => name == GUIDELINES || is_any(INSTRUCTIONS, name),
        [folder, .., name] => {
            let is_text = matches_pattern("*.md", name) || matches_pattern("*.mdc", name);
            is_text && is_any(INSTRUCTION_FOLDERS, folder)
        }
        [] => false,
    }
}

/// Returns `true` if a name matches one of several patterns, separated by whitespace.
fn is_any(patterns: &str, name: &str) -> bool {
    patterns.split_whitespace().any(|wanted| matches_pattern(wanted, name))
}

/// Returns `true` if a name is that of an example, which users copy and fill in elsewhere.
pub(super) fn is_example(name: &str) -> bool {
    [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end))
}

/// Returns `true` if a name matches the pattern, in which one `*` matches anything.
pub(super) fn matches_pattern(wanted: &str, name: &str) -> bool {
    match wanted.split_once('*') {
        None => wanted == name,
        Some((head, tail)) => has_affixes(head, tail, name),
    }
}

/// Returns `true` if a name starts with `head` and ends with `tail`, without overlap.
pub(super) fn has_affixes(head: &str, tail: &str, name: &str) -> bool {
    name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
}

/// Returns the names of a path in the form that rules compare: case-folded, with composed characters
/// decomposed.
pub fn names_of(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    names.map(|name| folded(&name)).collect()
}

/// Returns the names of a path as they are and, if they contain ignored characters, without these.
pub(super) fn spellings(path: &Path) -> impl Iterator<Item = Vec<String>> {
    let names = names_of(path);
    let stripped = stripped(&names);
    [Some(names), stripped].into_iter().flatten()
}

/// Removes the parts of names that other systems ignore: invisible characters, an NTFS stream
/// (`name:stream`), and trailing spaces and dots. Splits names at backslashes. Returns `None` if nothing
/// changes.
fn stripped(normalized: &[String]) -> Option<Vec<String>> {
    if !normalized.iter().any(|name| is_disguised(name)) {
        return None;
    }
    let stripped = normalized.iter().flat_map(|name| name.split('\\')).map(without_disguise);
    Some(stripped.filter(|name| !name.is_empty()).collect())
}

/// Folds letter case as the most aggressive file systems do (`ſ` becomes `s`) and decomposes characters. Two
/// names that any file system considers equal fold to the same string.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

fn is_disguised(name: &str) -> bool {
    name != ".."
        && (name.ends_with(['.', ' ']) || name.contains([':', '\\']) || name.chars().any(is_ignorable))
}

fn without_disguise(name: &str) -> String {
    let name = name.split(':').next().unwrap_or(name);
    let visible: String = name.chars().filter(|c| !is_ignorable(*c)).collect();
    visible.trim_end_matches(['.', ' ']).to_owned()
}

/// Returns `true` for code points that HFS+ or a case-folding ext4 ignore when they compare names.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_fold_to_one_case() {
        for (name, folded_name) in [
            (".GIT", ".git"),
            (".\u{17f}\u{17f}h", ".ssh"),
            ("\u{212a}ube", "kube"),
            ("con\u{fb01}g", "config"),
            ("STRASSE", "strasse"),
            ("stra\u{df}e", "strasse"),
        ] {
            assert_eq!(folded(name), folded_name);
        }
        assert_eq!(folded("\u{fc}"), folded("U\u{308}"), "composed or not");
    }

    #[test]
    fn ignored_characters_are_removed() {
        for (path, expected) in [
            ("/a/.git./x", vec!["a", ".git", "x"]),
            ("/a/.git. . /x", vec!["a", ".git", "x"]),
            ("/.g\u{200c}it/x", vec![".git", "x"]),
            ("/.git::$INDEX_ALLOCATION/x", vec![".git", "x"]),
            ("/a\\.git\\config", vec!["a", ".git", "config"]),
            ("/x\u{fe0f}/\u{ad}.env", vec!["x", ".env"]),
        ] {
            assert_eq!(stripped(&names_of(Path::new(path))).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn an_undisguised_path_has_one_spelling() {
        for path in ["/a/b.txt", "/a/.git/x", "../x", "/\u{fc}/\u{65e5}\u{672c}", "/~a/b"] {
            assert_eq!(stripped(&names_of(Path::new(path))), None, "{path}");
        }
    }
}
