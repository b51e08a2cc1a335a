//! Recognizes file names in the lines around a block, as models write them.

/// Maximum size of a line that can be a name, in bytes. No system has longer paths.
const LONGEST: usize = 4096;

/// Delimiters around a name, as pairs of opening and closing.
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

/// Markers before a name on its line, followed by a space.
const LEADERS: [&str; 12] = ["#", "##", "###", "####", "#####", "######", "//", "--", "-", "*", ";;", "%"];

/// Labels before a name.
const LABELS: [&str; 5] = ["file:", "filename:", "file name:", "file path:", "path:"];

/// Names of files that are recognized in prose although they have no extension.
const FILES_WITHOUT_EXTENSION: [&str; 12] = [
    "Brewfile",
    "CHANGELOG",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "Procfile",
    "README",
    "Rakefile",
    "Vagrantfile",
];

/// Abbreviations that look like names with an extension.
const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "and/or", "n/a", "w/o", "I/O"];

/// Words that, alone on a line, are languages rather than files.
const LANGUAGES: &str = "bash c cpp css diff go html java javascript js json markdown php plaintext python ruby rust sh \
    sql text toml typescript xml yaml";

/// Returns the name in a line that contains nothing else but decoration: `### path`, `**path**:`, `// path`,
/// `File: path`.
pub(super) fn whole_line(line: &str) -> Option<&str> {
    let mut name = Some(line.trim()).filter(|line| line.len() <= LONGEST)?;
    let (mut wrapped, mut has_colon) = (false, false);
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
            has_colon = true;
        }
        if let Some(inner) = unwrapped(name) {
            // A comment is no evidence that its content is a name.
            wrapped |= !name.starts_with(['/', '<']);
            name = inner;
        }
        if name == before {
            break;
        }
    }
    is_name(name, wrapped, has_colon).then_some(name)
}

/// Returns the path in a line of prose, if the line mentions exactly one.
pub(super) fn mentioned(line: &str) -> Option<&str> {
    let quoted: Vec<_> = line.split('`').skip(1).step_by(2).filter(|name| looks_like_path(name)).collect();
    if let [name] = quoted[..] {
        return is_name(name, true, false).then_some(name);
    }
    let words = line
        .split_whitespace()
        .map(|word| word.trim_matches(['.', ',', ':', ';', '!', '?', '"', '\'', '(', ')']));
    let paths: Vec<_> = words.filter(|word| word.contains('/') && has_extension(word)).collect();
    match paths[..] {
        [name] if quoted.is_empty() => is_name(name, false, false).then_some(name),
        _ => None,
    }
}

/// Returns `true` if a line that is not a name may still name a file other than `known`.
pub(super) fn may_name_other(line: &str, known: &str) -> bool {
    let last = known.rsplit('/').next().unwrap_or(known);
    let is_known = |word: &str| word == known || word == last || known.ends_with(&format!("/{word}"));
    let is_edge = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/' | '.');
    let words = line
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '=' | '(' | ')' | '<' | '>'));
    words.map(|word| word.trim_matches(is_edge).trim_end_matches('.')).any(|word| {
        let is_path = looks_like_path(word) && !ABBREVIATIONS.contains(&word) && !word.contains("//");
        (is_path || FILES_WITHOUT_EXTENSION.contains(&word)) && !is_known(word)
    })
}

/// Returns the path in the info string of a fence: `python src/a.py`, `python:src/a.py`,
/// `python title="a.py"`.
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

/// Returns `true` if a name contains a folder or has an extension.
fn looks_like_path(name: &str) -> bool {
    has_extension(name) || name.contains('/') && !name.ends_with('/')
}

fn has_extension(name: &str) -> bool {
    const LONGEST_EXTENSION: usize = 12;
    let last = name.rsplit('/').next().unwrap_or(name);
    let is_extension = |extension: &str| {
        (1..=LONGEST_EXTENSION).contains(&extension.len())
            && extension.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    last.rsplit_once('.').is_some_and(|(_, extension)| is_extension(extension))
}

fn is_name(name: &str, wrapped: bool, has_colon: bool) -> bool {
    let path = looks_like_path(name);
    let is_impossible = name.len() > LONGEST
        || !name.contains(char::is_alphanumeric)
        || name.contains("://")
        || name.contains(['`', '<', '>', '|', '\t'])
        || name.chars().any(char::is_control)
        || name.starts_with("#!");
    let sentence = name.ends_with(['.', ',', ';', '!', '?']);
    let word = || name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    match (wrapped, path) {
        _ if is_impossible => false,
        (true, _) => path || word(),
        (false, true) => !sentence && !name.contains(char::is_whitespace),
        (false, false) => !has_colon && word() && LANGUAGES.split(' ').all(|language| language != name),
    }
}
