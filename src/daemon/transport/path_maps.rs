//! The paths of programs in containers, which see folders of this machine under other paths. Their messages are
//! converted when they arrive and when they are sent, so nothing else knows of it.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::config::PathMap;
use editd_protocol::{path_of_uri, uri_of};

/// Members that hold a path or a URI, or a list of them.
const PATHS: &[&str] = &[
    "different",
    "newPath",
    "newUri",
    "oldUri",
    "path",
    "paths",
    "rootPath",
    "rootUri",
    "roots",
    "targetUri",
    "uri",
    "uris",
];
/// Members that hold sentences, or a list of them.
const SENTENCES: &[&str] = &["hint", "message", "reason", "warnings"];
/// Members that hold a unified diff, or a list of them.
const DIFFS: &[&str] = &["diff", "unsaved", "userEdits"];
/// Advice for a program in a container without a map.
const ADVICE: &str = "This program runs in a container: if the project has another path there, add it to `maps` in \
    the configuration of the daemon.";
/// Members with a member for each URI or path: LSP's edits, and the hashes of a patch.
const BY_PATH: &[&str] = &["changes", "bases"];
/// Scheme of the documents of a review: `editd:///ID/SIDE/PATH`.
const REVIEW: &str = "editd://";

/// The maps of a connection.
#[derive(Clone, Debug)]
pub(super) struct PathMaps(Arc<[[Folder; 2]]>);

/// A folder, from one of its sides.
#[derive(Debug)]
struct Folder {
    path: String,
    uri: String,
}

impl Folder {
    fn of(path: &Path) -> Self {
        Self { path: path.display().to_string(), uri: uri_of(path).to_string() }
    }
}

/// The side that a message is converted to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Inside,
    Outside,
}

impl PathMaps {
    /// Returns the configured maps.
    pub(super) fn of(maps: &[PathMap]) -> Self {
        let mut maps: Vec<_> = maps.iter().map(|map| [&*map.inside, &*map.outside].map(Folder::of)).collect();
        // A folder within another one has precedence.
        maps.sort_by_key(|[inside, outside]| std::cmp::Reverse((inside.path.len(), outside.path.len())));
        Self(maps.into())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Converts what the client has sent.
    pub(super) fn received(&self, message: &mut Value) {
        self.convert(message, Side::Outside);
    }

    /// Converts what is sent to the client.
    pub(super) fn sent(&self, message: &mut Value) {
        if self.is_empty() {
            advise(message);
        } else {
            self.convert(message, Side::Inside);
        }
    }

    fn convert(&self, value: &mut Value, to: Side) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.convert(item, to)),
            Value::Object(members) => {
                for (name, value) in members.iter_mut() {
                    match (name.as_str(), &mut *value) {
                        (name, Value::Object(members)) if BY_PATH.contains(&name) => {
                            self.convert_names(members, to);
                        }
                        (name, value) if PATHS.contains(&name) => {
                            each_text(value, |text| self.path(text, to));
                        }
                        (name, value) if to == Side::Inside && SENTENCES.contains(&name) => {
                            each_text(value, |text| self.sentence(text));
                        }
                        (name, value) if to == Side::Inside && DIFFS.contains(&name) => {
                            each_text(value, |text| self.diff(text));
                        }
                        _ => {}
                    }
                    self.convert(value, to);
                }
            }
            _ => {}
        }
    }

    fn convert_names(&self, members: &mut Map<String, Value>, to: Side) {
        let converted = std::mem::take(members).into_iter();
        members.extend(converted.map(|(name, value)| (self.path(&name, to).unwrap_or(name), value)));
    }

    /// Returns each folder as it is in the message, and as it is on the other side.
    fn pairs(&self, to: Side) -> impl Iterator<Item = (&Folder, &Folder)> {
        self.0.iter().map(move |[inside, outside]| match to {
            Side::Inside => (outside, inside),
            Side::Outside => (inside, outside),
        })
    }

    /// Converts a path or a URI. Returns `None` if no map applies.
    fn path(&self, text: &str, to: Side) -> Option<String> {
        let direct = self.pairs(to).find_map(|(from, to)| {
            let path = below(text, &from.path).map(|rest| [&to.path, rest].concat());
            path.or_else(|| below(text, &from.uri).map(|rest| [&to.uri, rest].concat()))
        });
        direct.or_else(|| {
            if text.starts_with(REVIEW) {
                return self.side(text, to);
            }
            // A URI may be spelled in several ways.
            let path = path_of_uri(text).ok()?;
            self.path(path.to_str()?, to).map(|path| uri_of(Path::new(&path)).to_string())
        })
    }

    /// Converts the URI of a side of a review.
    fn side(&self, uri: &str, to: Side) -> Option<String> {
        let (at, _) = uri.match_indices('/').nth(4)?;
        let (side, path) = uri.split_at(at);
        let file = self.path(&["file://", path].concat(), to)?;
        Some([side, file.strip_prefix("file://")?].concat())
    }

    /// Converts the names of the file in the headers of a diff, which lack the first slash of a path.
    fn diff(&self, text: &str) -> Option<String> {
        let (old, rest) = text.split_once('\n')?;
        let (new, rest) = rest.split_once('\n')?;
        let converted = |line: &str, mark: &str| {
            let path = self.path(line.strip_prefix(mark)?, Side::Inside)?;
            Some([mark, &path].concat())
        };
        let (old, new) = (converted(old, "--- a")?, converted(new, "+++ b")?);
        Some([&*old, &*new, rest].join("\n"))
    }

    /// Converts the paths in a sentence.
    fn sentence(&self, text: &str) -> Option<String> {
        let (mut converted, mut rest) = (String::new(), text);
        while let Some((at, from, to)) = self.first_in(rest) {
            converted.push_str(&rest[..at]);
            converted.push_str(to);
            rest = &rest[at + from.len()..];
        }
        (!converted.is_empty()).then(|| converted + rest)
    }

    /// Returns the first path in a sentence that a map applies to, with its conversion.
    fn first_in(&self, text: &str) -> Option<(usize, &str, &str)> {
        let found = self.pairs(Side::Inside).filter_map(|(from, to)| {
            let at = text.match_indices(&from.path).map(|(at, _)| at).find(|at| {
                let (before, after) = (&text[..*at], &text[at + from.path.len()..]);
                !before.ends_with(is_of_name) && !after.starts_with(is_of_longer_name)
            });
            Some((at?, &*from.path, &*to.path))
        });
        found.min_by_key(|(at, from, _)| (*at, std::cmp::Reverse(from.len())))
    }
}

/// Adds the advice to configure a map to the refusal of a file that the daemon does not find.
fn advise(message: &mut Value) {
    let Some(data) = message.pointer_mut("/error/data") else { return };
    if let ("missing" | "outside_workspace", Some(hint)) =
        (data["kind"].as_str().unwrap_or_default(), data["hint"].as_str())
    {
        data["hint"] = format!("{hint} {ADVICE}").into();
    }
}

/// Returns the rest of a path in a folder.
fn below<'t>(text: &'t str, folder: &str) -> Option<&'t str> {
    text.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_of_name(char: char) -> bool {
    is_of_longer_name(char) || char == '/'
}

/// A dot ends sentences, too, so it does not count.
fn is_of_longer_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '-'
}

/// Replaces a text, or each text of a list.
fn each_text(value: &mut Value, convert: impl Fn(&str) -> Option<String>) {
    let items = if let Value::Array(items) = value { items } else { std::slice::from_mut(value) };
    for item in items {
        if let Some(converted) = item.as_str().and_then(&convert) {
            *item = converted.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn maps(pairs: &[(&str, &str)]) -> PathMaps {
        let map =
            |(inside, outside): &(&str, &str)| PathMap { inside: inside.into(), outside: outside.into() };
        PathMaps::of(&pairs.iter().map(map).collect::<Vec<_>>())
    }

    #[test]
    fn paths_are_converted_in_both_directions() {
        let maps = maps(&[("/project", "/home/ada/shop"), ("/project/lib", "/srv/lib")]);
        let inside = json!({
            "uri": "file:///project/a%20b.rs", "path": "/project/a b.rs", "paths": ["/project", "/project/lib/c.rs"],
            "edit": { "changes": { "file:///project/lib/d.rs": [{ "newText": "/project/x" }] } },
            "changes": [{ "path": "e.rs" }], "oldText": "/project/a", "other": ["/projects/x", 7, null],
        });
        let outside = json!({
            "uri": "file:///home/ada/shop/a%20b.rs", "path": "/home/ada/shop/a b.rs",
            "paths": ["/home/ada/shop", "/srv/lib/c.rs"],
            "edit": { "changes": { "file:///srv/lib/d.rs": [{ "newText": "/project/x" }] } },
            "changes": [{ "path": "e.rs" }], "oldText": "/project/a", "other": ["/projects/x", 7, null],
        });
        let mut message = inside.clone();
        maps.received(&mut message);
        assert_eq!(message, outside);
        maps.sent(&mut message);
        assert_eq!(message, inside);
    }

    #[test]
    fn names_that_only_begin_like_a_folder_stay() {
        let maps = maps(&[("/project", "/home/ada/shop")]);
        for path in [
            "/projects/a",
            "/pro",
            "project/a",
            "/x/project/a",
            "file:///projects/a",
            "untitled:/project/a",
            "",
        ] {
            assert_eq!(maps.path(path, Side::Outside), None, "{path}");
        }
    }

    #[test]
    fn sides_of_reviews_hashes_of_patches_and_headers_of_diffs_are_converted() {
        let maps = maps(&[("/project", "/home/ada/shop")]);
        let mut message = json!({
            "uri": "editd:///p-1/proposed/project/a%20b.rs", "bases": { "/project/a.rs": "hash", "b.rs": "hash" },
        });
        maps.received(&mut message);
        let outside = json!({
            "uri": "editd:///p-1/proposed/home/ada/shop/a%20b.rs",
            "bases": { "/home/ada/shop/a.rs": "hash", "b.rs": "hash" },
        });
        assert_eq!(message, outside);
        let diff = "--- a/home/ada/shop/a.rs\n+++ b/home/ada/shop/a.rs\n@@ -1 +1 @@\n-/home/ada/shop\n+x\n";
        let relative = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n";
        let mut message = json!({ "different": ["/home/ada/shop/a.rs"], "userEdits": [diff, { "diff": relative }], "unsaved": diff });
        maps.sent(&mut message);
        let diff = "--- a/project/a.rs\n+++ b/project/a.rs\n@@ -1 +1 @@\n-/home/ada/shop\n+x\n";
        assert_eq!(
            message,
            json!({ "different": ["/project/a.rs"], "userEdits": [diff, { "diff": relative }], "unsaved": diff })
        );
        for uri in ["editd:///p-1/proposed", "editd:///p-1", "editd:", "editd:///p-1/base/other/a.rs"] {
            assert_eq!(maps.path(uri, Side::Outside), None, "{uri}");
        }
    }

    #[test]
    fn uris_are_converted_however_they_are_spelled() {
        let maps = maps(&[("/a b", "/home/ada/c d")]);
        for uri in ["file:///a%20b/x", "file:///a b/x", "file://localhost/a%20b/x", "FILE:///%61%20b/x"] {
            assert_eq!(maps.path(uri, Side::Outside).as_deref(), Some("file:///home/ada/c%20d/x"), "{uri}");
        }
    }

    #[test]
    fn without_maps_the_refusal_of_a_missing_file_tells_about_them() {
        let mut message =
            json!({ "error": { "message": "", "data": { "kind": "missing", "hint": "Check it." } } });
        maps(&[]).sent(&mut message);
        assert_eq!(message["error"]["data"]["hint"], format!("Check it. {ADVICE}"));
        let mut other =
            json!({ "error": { "message": "", "data": { "kind": "stale", "hint": "Read it." } } });
        maps(&[]).sent(&mut other);
        assert_eq!(other["error"]["data"]["hint"], "Read it.");
    }

    #[test]
    fn sentences_to_the_client_name_its_paths() {
        let maps = maps(&[("/project", "/home/ada/shop")]);
        let mut message = json!({
            "message": "/home/ada/shop/a.rs is not below /home/ada/shop, nor `/home/ada/shop`.",
            "hint": "See /home/ada/shopping, /x/home/ada/shop and /home/ada/shop.",
        });
        maps.sent(&mut message);
        assert_eq!(
            message,
            json!({
                "message": "/project/a.rs is not below /project, nor `/project`.",
                "hint": "See /home/ada/shopping, /x/home/ada/shop and /project.",
            })
        );
        let mut received = json!({ "message": "/project/a.rs" });
        maps.received(&mut received);
        assert_eq!(received, json!({ "message": "/project/a.rs" }));
    }
}
