//! Names of authors and labels of changes, which clients choose, and which people read in logs, reviews and messages.

use unicode_normalization::UnicodeNormalization;

use editd_text::{is_hidden, visible};

use super::history::{DISK, TERMINAL};

/// Maximum length of the name of an author, in characters.
pub const AUTHOR_CHARS: usize = 64;
/// Maximum length of a label, in bytes. Labels of commands contain the command.
pub const LABEL_BYTES: usize = 4096;

/// Name of a client that gives none.
const UNKNOWN: &str = "unknown";

/// Names of changes that no agent made, and of editors, in which people make theirs.
const OF_PEOPLE: [&str; 14] = [
    TERMINAL,
    "editor",
    DISK,
    "neovim",
    "nvim",
    "vim",
    "visual studio code",
    "vscode",
    "vscodium",
    "code-server",
    "helix",
    "emacs",
    "kate",
    "sublime text",
];

/// Returns the author for the name that a client gives: one line without hidden characters.
///
/// ```
/// use editd_workspace::names::author;
///
/// assert_eq!(author(Some("ada\u{1b}[2J\n")), "ada [2J");
/// assert_eq!(author(None), "unknown");
/// ```
pub fn author(name: Option<&str>) -> String {
    let shown: String = visible(name.unwrap_or_default()).take(AUTHOR_CHARS).collect();
    let name = shown.trim();
    if name.is_empty() { UNKNOWN.to_owned() } else { name.to_owned() }
}

/// Returns the author for the name that an agent gives. The name of a person's changes is marked, so that no agent passes
/// for a person. `editors` are the names of the editors that are known.
///
/// ```
/// use editd_workspace::names::agent;
///
/// assert_eq!(agent(Some("Terminal"), &[]), "Terminal (agent)");
/// assert_eq!(agent(Some("ada"), &[]), "ada");
/// assert_eq!(agent(Some("ada"), &["Ada".to_owned()]), "ada (agent)");
/// ```
pub fn agent(name: Option<&str>, editors: &[String]) -> String {
    let name = author(name);
    let plain = folded(&name);
    let mut taken = OF_PEOPLE.into_iter().chain(editors.iter().map(String::as_str));
    if taken.any(|taken| folded(taken) == plain) { format!("{name} (agent)") } else { name }
}

/// Returns a label without hidden characters, and without the end of a very long one.
///
/// ```
/// use editd_workspace::names::label;
///
/// assert_eq!(label("Fix\n\u{202e}it"), "Fix\nit");
/// ```
pub fn label(text: &str) -> String {
    let is_shown = |c: &char| *c == '\n' || *c == '\t' || !(c.is_control() || is_hidden(*c));
    let mut label: String = text.chars().filter(is_shown).take(LABEL_BYTES + 1).collect();
    if label.len() > LABEL_BYTES {
        let end = (0..=LABEL_BYTES).rev().find(|end| label.is_char_boundary(*end)).unwrap_or_default();
        label.truncate(end);
        label.push('…');
    }
    label
}

/// Returns a name as it is compared: letters and digits only, in lower case.
fn folded(name: &str) -> String {
    name.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}
