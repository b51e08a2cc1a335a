//! Names of files in the lines around a block, as models write them.

/// Bytes of a line that can be a name: systems have no longer paths.
const LONGEST: usize = 4096;

/// What stands around a name; the first and last of each pair.
const WRAPS: [(&str, &str); 8] = [
    ("**", "**"),
    ("__", "__"),
    ("`", "`"),
    ("\"", "\""),
    ("'", "'"),
    ("*", "*"),
    ("/*", "*/"),
    ("<!--", "-->"),
];

/// What stands before a name on its line, with a blank behind it.
const LEADERS: [&str; 12] = ["#", "##", "###", "####", "#####", "######", "//", "--", "-", "*", ";;", "%"];

/// Words that say that a name follows.
const LABELS: [&str; 5] = ["file:", "filename:", "file name:", "file path:", "path:"];

/// Words on a line of their own that are languages rather than files.
const LANGUAGES: [&str; 24] = [
    "bash",
    "c",
    "cpp",
    "css",
    "diff",
    "go",
    "html",
    "java",
    "javascript",
    "js",
    "json",
    "markdown",
    "php",
    "plaintext",
    "python",
    "ruby",
    "rust",
    "sh",
    "sql",
    "text",
    "toml",
    "typescript",
    "xml",
    "yaml",
];

/// The name that a line consists of, whatever is around it: `### path`, `**path**:`, `// path`, `File: path`.
pub(super) fn alone(line: &str) -> Option<&str> {
    let mut name = Some(line.trim()).filter(|line| line.len() <= LONGEST)?;
    let (mut wrapped, mut announces) = (false, false);
    loop {
        let before = name;
        if let Some((leader, rest)) = name.split_once(char::is_whitespace)
            && LEADERS.contains(&leader)
        {
            name = rest.trim_start();
        }
        if let Some(rest) = labelled(name) {
            name = rest.trim_start();
            wrapped = true;
        }
        if let Some(rest) = name.strip_suffix(':') {
            name = rest.trim_end();
            announces = true;
        }
        if let Some(inner) = unwrapped(name) {
            // A comment around a name is no sign that it is one.
            wrapped |= !name.starts_with(['/', '<']);
            name = inner;
        }
        if name == before {
            break;
        }
    }
    is_name(name, wrapped, announces).then_some(name)
}

/// The one path that a line of prose mentions.
pub(super) fn mentioned(line: &str) -> Option<&str> {
    let quoted: Vec<_> = line.split('`').skip(1).step_by(2).filter(|name| looks_like_path(name)).collect();
    if let [name] = quoted[..] {
        return is_name(name, true, false).then_some(name);
    }
    let words = line
        .split_whitespace()
        .map(|word| word.trim_matches(['.', ',', ':', ';', '!', '?', '"', '\'', '(', ')']));
    let paths: Vec<_> = words.filter(|word| word.contains('/') && has_ending(word)).collect();
    match paths[..] {
        [name] if quoted.is_empty() => is_name(name, false, false).then_some(name),
        _ => None,
    }
}

/// The path in what stands behind a fence: `python src/a.py`, `python:src/a.py`, `python title="a.py"`.
pub(super) fn in_fence(info: &str) -> Option<&str> {
    let path = |word: &'_ str| looks_like_path(word) && is_name(word, false, false);
    info.split_whitespace().find_map(|word| {
        let value = word.rsplit(['=', ':']).next().unwrap_or(word).trim_matches(['"', '\'', '{', '}']);
        path(value).then_some(value)
    })
}

fn labelled(name: &str) -> Option<&str> {
    LABELS.iter().find_map(|label| {
        let (beginning, rest) = (name.get(..label.len())?, name.get(label.len()..)?);
        beginning.eq_ignore_ascii_case(label).then_some(rest)
    })
}

fn unwrapped(name: &str) -> Option<&str> {
    WRAPS.iter().find_map(|(open, close)| {
        let inner = name.strip_prefix(open)?.strip_suffix(close)?.trim();
        (!inner.is_empty() && !inner.contains('`')).then_some(inner)
    })
}

/// Whether it has folders or an ending.
fn looks_like_path(name: &str) -> bool {
    has_ending(name) || name.contains('/') && !name.ends_with('/')
}

fn has_ending(name: &str) -> bool {
    const LONG_ENDING: usize = 12;
    let last = name.rsplit('/').next().unwrap_or(name);
    let is_ending = |ending: &str| {
        (1..=LONG_ENDING).contains(&ending.len()) && ending.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    last.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending))
}

fn is_name(name: &str, wrapped: bool, announces: bool) -> bool {
    let path = looks_like_path(name);
    let odd = name.len() > LONGEST
        || !name.contains(char::is_alphanumeric)
        || name.contains("://")
        || name.contains(['`', '<', '>', '|', '\t'])
        || name.chars().any(char::is_control)
        || name.starts_with("#!");
    let sentence = name.ends_with(['.', ',', ';', '!', '?']);
    let word = || name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    match (wrapped, path) {
        _ if odd => false,
        (true, _) => path || word(),
        (false, true) => !sentence && !name.contains(char::is_whitespace),
        (false, false) => !announces && word() && !LANGUAGES.contains(&name),
    }
}
