//! Real files in all languages: samples of the tests, files of the project and of this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use editd_edit::Deadline;
use editd_syntax::{Language, new_errors};

use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::symbols::layout::{Function, functions};
use super::super::symbols::texts::{stored, walk};
use super::joined;
use super::scan::{Scanned, scan};

/// A file with LF line endings, one at its end.
pub(crate) struct Text {
    pub(crate) language: Language,
    pub(crate) ending: &'static str,
    pub(crate) lines: Vec<String>,
    /// Unit of the indentation, if the text leaves no doubt about it.
    pub(crate) unit: Option<String>,
    functions: OnceLock<Vec<Function>>,
    scanned: OnceLock<Option<Scanned>>,
    is_right: OnceLock<bool>,
}

impl Text {
    /// Returns the name of a file with this text.
    pub(crate) fn name(&self, stem: &str) -> String {
        format!("{stem}.{}", self.ending)
    }

    /// Returns the scanned text if it leaves no doubt.
    pub(crate) fn scanned(&self) -> Option<&Scanned> {
        self.scanned.get_or_init(|| scan(&joined(&self.lines), self.language)).as_ref()
    }

    /// Returns the functions that the layout shows if strings are out of the way.
    pub(crate) fn functions(&self) -> &[Function] {
        self.functions.get_or_init(|| {
            let Some(scanned) = self.scanned() else { return Vec::new() };
            let plain = scanned.without_strings(&joined(&self.lines));
            let lines: Vec<&str> = plain.lines().collect();
            let mut found = functions(&lines, self.language);
            // A type with parameters before the name is no part of the layout.
            let is_typed = |line: &str| line.split('(').next().is_some_and(|front| front.contains('<'));
            found.retain(|function| self.language != Language::Java || !is_typed(lines[function.head]));
            found
        })
    }

    /// Returns `true` if the text has no error for its grammar. A rename in another file is refused.
    pub(crate) fn is_right(&self) -> bool {
        let errors = || new_errors("", &joined(&self.lines), self.language, Deadline::NONE);
        *self.is_right.get_or_init(|| errors().is_some_and(|errors| errors.is_empty()))
    }

    pub(crate) fn strs(&self) -> Vec<&str> {
        self.lines.iter().map(String::as_str).collect()
    }

    pub(crate) fn depth(&self, line: usize) -> &str {
        indent(&self.lines[line])
    }

    pub(crate) fn is_blank(&self, line: usize) -> bool {
        self.lines[line].trim().is_empty()
    }
}

/// Endings of the names of files, with their languages.
const ENDINGS: [(&str, Language); 20] = [
    ("rs", Language::Rust),
    ("py", Language::Python),
    ("ts", Language::TypeScript),
    ("tsx", Language::Tsx),
    ("js", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("go", Language::Go),
    ("java", Language::Java),
    ("c", Language::C),
    ("h", Language::C),
    ("lua", Language::Lua),
    ("sh", Language::Bash),
    ("bash", Language::Bash),
    ("css", Language::Css),
    ("html", Language::Html),
    ("json", Language::Json),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("toml", Language::Toml),
    ("md", Language::Markdown),
];

/// Languages of all files; first those with functions that the layout shows.
pub(crate) const ALL: [Language; 16] = [
    Language::Rust,
    Language::Python,
    Language::TypeScript,
    Language::Tsx,
    Language::JavaScript,
    Language::Go,
    Language::Java,
    Language::C,
    Language::Lua,
    Language::Bash,
    Language::Css,
    Language::Html,
    Language::Json,
    Language::Yaml,
    Language::Toml,
    Language::Markdown,
];

/// Languages with functions that the layout shows.
pub(crate) const CODE: &[Language] = ALL.split_at(10).0;

const STORED: [(&str, &str); 34] = stored! {
    "benches/fidelity/measure/corpus/nested.go" "benches/fidelity/measure/corpus/aligned.py"
    "benches/fidelity/measure/corpus/aligned.c" "benches/fidelity/measure/corpus/Continuation.java"
    "benches/fidelity/measure/corpus/guide.md" "benches/fidelity/measure/corpus/ports.yaml"
    "tests/it/syntax/samples/backup.sh" "tests/it/syntax/samples/board.ts" "tests/it/syntax/samples/cache.go"
    "tests/it/syntax/samples/cache.mjs" "tests/it/syntax/samples/compose.yaml" "tests/it/syntax/samples/deploy.sh"
    "tests/it/syntax/samples/editor.json" "tests/it/syntax/samples/guide.md" "tests/it/syntax/samples/ledger.rs"
    "tests/it/syntax/samples/list.c" "tests/it/syntax/samples/manual.md" "tests/it/syntax/samples/module.lua"
    "tests/it/syntax/samples/package.json" "tests/it/syntax/samples/page.html" "tests/it/syntax/samples/panel.tsx"
    "tests/it/syntax/samples/pipeline.yaml" "tests/it/syntax/samples/queue.go" "tests/it/syntax/samples/rental.html"
    "tests/it/syntax/samples/ring.c" "tests/it/syntax/samples/scheduler.lua" "tests/it/syntax/samples/shop.java"
    "tests/it/syntax/samples/site.css" "tests/it/syntax/samples/store.py" "tests/it/syntax/samples/theme.css"
    "tests/it/syntax/samples/tool.toml" "tests/it/syntax/samples/workspace.toml" "docs/examples/agent.ts"
    "docs/examples/agent.py"
};

/// Maximum number of files of an ending from each folder, and their size in bytes and in lines.
const MAX_FILES: usize = 120;
const MAX_BYTES: u64 = 40_000;
const LINES: std::ops::Range<usize> = 8..1_500;

/// Returns a text of one of these languages, of which each is equally likely.
pub(crate) fn text(rng: &mut Rng, languages: &[Language]) -> Option<&'static Text> {
    let texts = texts(rng.shipped);
    let language = *rng.pick(languages);
    rng.any(texts.get(&(language as usize))?)
}

fn texts(shipped: bool) -> &'static BTreeMap<usize, Vec<Text>> {
    static STORED_TEXTS: OnceLock<BTreeMap<usize, Vec<Text>>> = OnceLock::new();
    static ALL_TEXTS: OnceLock<BTreeMap<usize, Vec<Text>>> = OnceLock::new();
    let own = || STORED.iter().filter_map(|(name, text)| read(Path::new(name), text));
    if shipped {
        ALL_TEXTS.get_or_init(|| by_language(own().chain(found())))
    } else {
        STORED_TEXTS.get_or_init(|| by_language(own()))
    }
}

fn by_language(texts: impl Iterator<Item = Text>) -> BTreeMap<usize, Vec<Text>> {
    let mut sorted: BTreeMap<usize, Vec<Text>> = BTreeMap::new();
    for text in texts {
        sorted.entry(text.language as usize).or_default().push(text);
    }
    sorted
}

fn read(path: &Path, text: &str) -> Option<Text> {
    let found = path.extension()?.to_str()?;
    let (ending, language) = ENDINGS.iter().find(|(ending, _)| *ending == found)?;
    // Control characters and lines of generated files are no subject of a refactoring.
    let is_plain =
        !text.contains(['\r', '\u{FEFF}', '\u{C}', '\u{B}', '\0', '\u{2028}', '\u{2029}', '\u{85}']);
    if !is_plain || !text.ends_with('\n') || text.lines().any(|line| line.len() > 400) {
        return None;
    }
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let strs: Vec<&str> = lines.iter().map(String::as_str).collect();
    let unit = unit(&strs);
    LINES.contains(&lines.len()).then(|| Text {
        language: *language,
        ending,
        lines,
        unit,
        functions: OnceLock::new(),
        scanned: OnceLock::new(),
        is_right: OnceLock::new(),
    })
}

/// Returns the unit of the indentation, if most steps agree.
fn unit(lines: &[&str]) -> Option<String> {
    let filled: Vec<&str> = lines.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    let tabs = filled.iter().filter(|line| line.starts_with('\t')).count();
    let spaces = filled.iter().filter(|line| line.starts_with("  ")).count();
    let mixed = filled.iter().any(|line| indent(line).contains('\t') && indent(line).contains(' '));
    if tabs > 5 && spaces == 0 && !mixed {
        return Some("\t".to_owned());
    }
    if tabs > 0 {
        return None;
    }
    let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
    for two in filled.windows(2) {
        let [one, other] = [indent(two[0]).len(), indent(two[1]).len()];
        if other > one {
            *steps.entry(other - one).or_default() += 1;
        }
    }
    let all: usize = steps.values().sum();
    let (step, count) = steps.into_iter().max_by_key(|(_, count)| *count)?;
    (count >= 3 && count * 10 >= all * 8 && [2, 4].contains(&step)).then(|| " ".repeat(step))
}

/// Returns files of the project and of this machine: of crates that cargo has unpacked, of Python, of npm packages.
fn found() -> impl Iterator<Item = Text> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> =
        ["src", "editors", "tests", "docs", "lua"].map(|name| top.join(name)).to_vec();
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    folders.push(cargo.join("registry/src"));
    folders.push(home.join(".cache/editd-tools"));
    let entries = fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let is_named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("python3") || name == "node_modules"
    };
    folders.extend(entries.filter(is_named));
    folders.push("/usr/share".into());
    folders.into_iter().flat_map(|folder| of_folder(&folder))
}

fn of_folder(folder: &Path) -> Vec<Text> {
    let mut paths = Vec::new();
    walk(folder, MAX_BYTES, &|name| name == "target" || name == ".git", &mut paths);
    paths.sort();
    let mut texts = Vec::new();
    for (ending, _) in ENDINGS {
        let of_ending = |path: &&PathBuf| path.extension().is_some_and(|found| found == ending);
        let paths: Vec<_> = paths.iter().filter(of_ending).collect();
        let step = paths.len().div_ceil(MAX_FILES).max(1);
        let text = |path: &&PathBuf| read(path, &fs::read_to_string(path).ok()?);
        texts.extend(paths.iter().step_by(step).filter_map(text));
    }
    texts
}
