use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use editd_workspace::RequestedPath;

use super::Invalid;

/// Reads `path` or `uri`, of which exactly one must be present. `names` contains their names for the error.
pub fn requested_path(
    path: Option<String>,
    uri: Option<String>,
    names: (&str, &str),
) -> Result<RequestedPath, Invalid> {
    match (path, uri) {
        (Some(path), None) => match path.as_str() {
            "" => Err(Invalid::new(names.0, "it is empty")),
            _ if path.contains('\0') => Err(Invalid::new(names.0, "it contains a NUL character")),
            _ => Ok(RequestedPath::of(Path::new(&path))),
        },
        (None, Some(uri)) => path_of_uri(&uri)
            .map(|path| RequestedPath::of(&path))
            .map_err(|problem| Invalid::new(names.1, problem)),
        (Some(_), Some(_)) => Err(Invalid::new(names.1, format!("it cannot be combined with `{}`", names.0))),
        (None, None) => Err(Invalid::new(names.0, "it is missing")),
    }
}

/// Returns the path of a `file:` URI, with percent escapes decoded once. Characters that a strict URI would
/// escape are taken literally, because editors send them.
pub fn path_of_uri(uri: &str) -> Result<PathBuf, &'static str> {
    let (scheme, rest) = uri.split_once(':').ok_or("it is not a URI")?;
    if !is_scheme(scheme) {
        return Err("it is not a URI");
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return Err("only `file:` URIs name files");
    }
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
        None => ("", rest),
    };
    if !matches!(host, "" | "localhost") {
        return Err("it names another host");
    }
    if path.contains(['?', '#']) {
        return Err("a `?` or `#` in a path must be escaped, as `%3F` or `%23`");
    }
    let bytes = decoded(path).ok_or("it is not a URI")?;
    if !bytes.starts_with(b"/") {
        return Err("its path is not absolute");
    }
    if bytes.contains(&0) {
        return Err("it contains a NUL character");
    }
    Ok(OsString::from_vec(bytes).into())
}

fn is_scheme(scheme: &str) -> bool {
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.bytes().next().is_some_and(|first| first.is_ascii_alphabetic()) && scheme.bytes().all(rest)
}

/// Decodes percent escapes. Returns `None` if an escape is invalid.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let is_escape = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    let is_valid = text.split('%').skip(1).all(is_escape);
    is_valid.then(|| percent_decode_str(text).collect())
}

/// Bytes that are escaped in the path of a URI: all that RFC 3986 does not call unreserved, but slashes.
const ESCAPED: AsciiSet = NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the `file:` URI of an absolute path.
pub fn uri_of(path: &Path) -> Uri {
    let text = format!("file://{}", percent_encode(path.as_os_str().as_bytes(), &ESCAPED));
    // The escaped path is a URI by construction; an empty path results in a valid URI too.
    Uri::from_str(&text).unwrap_or_else(|_| Uri::from_str("file:///").expect("a constant URI"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_round_trip() {
        for path in ["/a/b.rs", "/with space/#1?x=%20", "/ümlaut/日本", "/a+b&c;d", "/c:/x", "/-._~"] {
            assert_eq!(path_of_uri(uri_of(Path::new(path)).as_str()).as_deref(), Ok(Path::new(path)));
        }
    }

    #[test]
    fn escapes_are_decoded_once() {
        assert_eq!(path_of_uri("file:///a%2520b"), Ok("/a%20b".into()));
        assert_eq!(path_of_uri("file://localhost/a"), Ok("/a".into()));
        assert_eq!(path_of_uri("FILE:///a"), Ok("/a".into()));
    }

    #[test]
    fn unescaped_characters_are_taken_literally() {
        for name in ["[slug]", "é", "a b", "{b}", "a|b^c`d\"e", "日本"] {
            assert_eq!(path_of_uri(&format!("file:///{name}")), Ok(format!("/{name}").into()));
        }
        for broken in ["file:///%", "file:///%4", "file:///%zz", "file:///%+1", "7:///a", ":///a"] {
            assert!(path_of_uri(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn uris_of_other_schemes_and_hosts_are_refused() {
        for uri in [
            "untitled:Untitled-1",
            "vscode-remote://ssh/h/x",
            "file://host/x",
            "file:x",
            "nonsense",
            "file:///a%00b",
            "file:///a?b",
            "file:///a#b",
            "file:///a#",
        ] {
            assert!(path_of_uri(uri).is_err(), "{uri}");
        }
    }
}
