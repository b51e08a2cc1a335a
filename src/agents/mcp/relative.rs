//! Paths in answers. Those below the first root are relative to it: calls may name them so, and a model reads each path
//! again at every later step.

use std::fs::canonicalize;
use std::path::PathBuf;

use serde_json::Value;

use editd_protocol::RpcError;

/// Members that contain a path, or a list of paths.
const PATHS: [&str; 4] = ["path", "newPath", "paths", "anchor"];

/// Members that contain sentences, or a list of sentences, which may name paths. Hints quote lines of a policy, which need
/// the whole path.
const SENTENCES: [&str; 4] = ["message", "notice", "reason", "warnings"];

/// The folder that relative paths of a session start from.
#[derive(Debug, Default)]
pub(super) struct FirstRoot {
    /// The canonical path of the folder with a slash at its end, as answers show it; `None` without a root.
    prefix: Option<String>,
}

impl FirstRoot {
    /// Returns the first of the roots of a session. The daemon makes paths relative by the same rule when it counts what
    /// an answer shows.
    pub(super) fn of(roots: &[PathBuf]) -> Self {
        let folder = roots.first().and_then(|root| canonicalize(root).ok());
        let path = folder.map(|folder| folder.display().to_string());
        Self { prefix: path.map(|path| if path.ends_with('/') { path } else { path + "/" }) }
    }

    /// Returns a path relative to this folder if it is below it, otherwise unchanged.
    pub(super) fn relative<'a>(&self, path: &'a str) -> &'a str {
        let inside = self.prefix.as_ref().and_then(|prefix| path.strip_prefix(prefix.as_str()));
        inside.filter(|inside| !inside.is_empty()).unwrap_or(path)
    }

    /// Makes the paths in a result or a refusal of the daemon relative. Texts of files stay unchanged.
    pub(super) fn shorten(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.shorten(item)),
            Value::Object(members) => {
                for (name, member) in members {
                    if PATHS.contains(&name.as_str()) {
                        for_texts(member, |path| self.relative(path).to_owned());
                    } else if SENTENCES.contains(&name.as_str()) {
                        for_texts(member, |sentence| self.shortened(sentence));
                    }
                    self.shorten(member);
                }
            }
            _ => {}
        }
    }

    /// Makes the paths in a refusal relative.
    pub(super) fn shorten_refusal(&self, refusal: &mut RpcError) {
        refusal.message = self.shortened(&refusal.message);
        if let Some(data) = &mut refusal.data {
            self.shorten(data);
        }
    }

    /// Returns a sentence in which paths below this folder are relative.
    fn shortened(&self, sentence: &str) -> String {
        let Some(prefix) = &self.prefix else { return sentence.to_owned() };
        let (mut short, mut copied) = (String::with_capacity(sentence.len()), 0);
        for (at, _) in sentence.match_indices(prefix.as_str()) {
            let after = at + prefix.len();
            // Elsewhere, the prefix is the end of another path, or this folder itself.
            let begins = sentence[..at].chars().next_back().is_none_or(|last| !is_of_path(last));
            let names_entry = sentence[after..].chars().next().is_some_and(is_of_path);
            let end = if begins && names_entry { at } else { after };
            short.push_str(&sentence[copied..end]);
            copied = after;
        }
        short + &sentence[copied..]
    }
}

/// Returns `true` for a character that does not separate a path from the words around it.
fn is_of_path(letter: char) -> bool {
    !letter.is_whitespace() && !['`', '\'', '"', '(', ')', '[', ']', ',', ';', ':'].contains(&letter)
}

/// Replaces a text, or each text of a list.
fn for_texts(value: &mut Value, change: impl Fn(&str) -> String) {
    let texts = match value {
        Value::Array(items) => items.iter_mut(),
        one => std::slice::from_mut(one).iter_mut(),
    };
    for text in texts {
        if let Value::String(text) = text {
            *text = change(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn root() -> FirstRoot {
        FirstRoot { prefix: Some("/home/ada/shop/".to_owned()) }
    }

    #[test]
    fn paths_below_the_root_are_relative() {
        let table = [
            ("/home/ada/shop/src/cart.rs", "src/cart.rs"),
            ("/home/ada/shop/src/cart.rs#a1b2c3", "src/cart.rs#a1b2c3"),
            ("/home/ada/shopping/list", "/home/ada/shopping/list"),
            ("/home/ada/shop/", "/home/ada/shop/"),
            ("/home/ada/shop", "/home/ada/shop"),
            ("src/cart.rs", "src/cart.rs"),
        ];
        for (path, expected) in table {
            assert_eq!(root().relative(path), expected);
        }
        assert_eq!(FirstRoot::default().relative("/home/ada/shop/a"), "/home/ada/shop/a");
    }

    #[test]
    fn paths_in_sentences_are_relative() {
        let table = [
            ("/home/ada/shop/a.rs has changed", "a.rs has changed"),
            ("read `/home/ada/shop/a b.rs` and \"/home/ada/shop/c\"", "read `a b.rs` and \"c\""),
            ("see /mnt/home/ada/shop/a.rs", "see /mnt/home/ada/shop/a.rs"),
            ("outside of /home/ada/shop/, /home/ada/shop/x", "outside of /home/ada/shop/, x"),
            ("/home/ada/shop//home/ada/shop/a", "/home/ada/shop/a"),
        ];
        for (sentence, expected) in table {
            assert_eq!(root().shortened(sentence), expected);
        }
    }

    #[test]
    fn the_lines_of_a_policy_stay() {
        let hint = "add:\npattern = \"/home/ada/shop/.env\"";
        let data = json!({ "kind": "protected", "path": "/home/ada/shop/.env", "hint": hint });
        let mut refusal =
            RpcError { code: 0, message: "`/home/ada/shop/.env` is".to_owned(), data: Some(data) };
        root().shorten_refusal(&mut refusal);
        let data = json!({ "kind": "protected", "path": ".env", "hint": hint });
        assert_eq!((refusal.message.as_str(), refusal.data), ("`.env` is", Some(data)));
    }

    #[test]
    fn texts_of_files_stay() {
        let mut value = json!({
            "text": "/home/ada/shop/a", "files": [{ "path": "/home/ada/shop/a", "diff": "-/home/ada/shop/a" }],
            "paths": ["/home/ada/shop/a", "/b"], "warnings": ["no /home/ada/shop/a"],
        });
        root().shorten(&mut value);
        let expected = json!({
            "text": "/home/ada/shop/a", "files": [{ "path": "a", "diff": "-/home/ada/shop/a" }],
            "paths": ["a", "/b"], "warnings": ["no a"],
        });
        assert_eq!(value, expected);
    }
}
