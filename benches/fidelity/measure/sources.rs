//! Files to edit: generated from templates and vocabulary, or parts of the project.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::plain::indent;
use super::rng::Rng;
use super::stored;
use super::vocabulary::{capital, noun, number, pascal, sentence, verb};

/// Grouping of lines in a language.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grouping {
    Braces,
    Indents,
    Neither,
}

pub(crate) struct Language {
    pub(crate) name: &'static str,
    templates: &'static str,
    /// Indentation units, most common first.
    units: &'static [&'static str],
    /// Start and end of a comment.
    pub(crate) comment: (&'static str, &'static str),
    pub(crate) grouping: Grouping,
}

macro_rules! language {
    ($name:literal, $units:expr, $comment:expr, $grouping:ident) => {
        Language {
            name: $name,
            templates: include_str!(concat!("templates/", $name, ".txt")),
            units: &$units,
            comment: $comment,
            grouping: Grouping::$grouping,
        }
    };
}

pub(crate) static LANGUAGES: [Language; 12] = [
    language!("rust", ["    ", "    ", "\t"], ("// ", ""), Braces),
    language!("python", ["    ", "    ", "  ", "\t"], ("# ", ""), Indents),
    language!("typescript", ["  ", "  ", "    ", "\t"], ("// ", ""), Braces),
    language!("go", ["\t"], ("// ", ""), Braces),
    language!("c", ["\t", "    "], ("/* ", " */"), Braces),
    language!("java", ["    ", "  ", "\t"], ("// ", ""), Braces),
    language!("yaml", ["  "], ("# ", ""), Neither),
    language!("markdown", ["  ", "    "], ("<!-- ", " -->"), Neither),
    language!("sql", ["    ", "  ", "\t"], ("-- ", ""), Neither),
    language!("html", ["  ", "    ", "\t"], ("<!-- ", " -->"), Neither),
    language!("make", ["\t"], ("# ", ""), Neither),
    language!("toml", ["  "], ("# ", ""), Neither),
];

#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) ending: &'static str,
}

/// Lines generated from one template.
#[derive(Clone)]
pub(crate) struct Block {
    pub(crate) template: usize,
    pub(crate) lines: Range<usize>,
}

#[derive(Clone)]
pub(crate) struct File {
    pub(crate) language: &'static Language,
    pub(crate) unit: &'static str,
    pub(crate) bom: bool,
    pub(crate) lines: Vec<Line>,
    pub(crate) blocks: Vec<Block>,
}

impl File {
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(if self.bom { "\u{FEFF}" } else { "" });
        text.extend(self.lines.iter().flat_map(|line| [line.text.as_str(), line.ending]));
        text
    }

    /// Returns the line ending of new lines among these, or `None` if the lines have different endings.
    pub(crate) fn ending_of(&self, lines: Range<usize>) -> Option<&'static str> {
        let mut endings = self.lines[lines.clone()].iter().map(|line| line.ending).filter(|e| !e.is_empty());
        let before = || self.lines[..lines.start].last().map(|line| line.ending);
        let first = endings.next().or_else(before).unwrap_or("\n");
        endings.all(|ending| ending == first).then_some(first)
    }

    pub(crate) fn set_ending(&mut self, ending: &'static str) {
        for line in self.lines.iter_mut().filter(|line| !line.ending.is_empty()) {
            line.ending = ending;
        }
    }

    /// Returns two blocks of equal length that were generated from one template.
    pub(crate) fn twins(&self, rng: &mut Rng, least: usize) -> Option<(Range<usize>, Range<usize>)> {
        let mut pairs = Vec::new();
        for (at, one) in self.blocks.iter().enumerate() {
            for other in &self.blocks[at + 1..] {
                let alike = one.template == other.template && one.lines.len() == other.lines.len();
                if alike && one.lines.len() >= least && one.template != STATEMENTS {
                    pairs.push((one.lines.clone(), other.lines.clone()));
                }
            }
        }
        let (one, other) = rng.any(&pairs)?.clone();
        Some(if rng.percent(50) { (one, other) } else { (other, one) })
    }

    /// Returns a statement of the language that is not in the file yet, without indentation.
    pub(crate) fn statement(&self, rng: &mut Rng) -> String {
        let template = *rng.pick(&templates(self.language)[STATEMENTS]);
        super::plain::folded(fill(rng, template.trim()).trim())
    }
}

/// Section of a template file with single lines that fit anywhere.
const STATEMENTS: usize = 0;

fn templates(language: &'static Language) -> &'static [Vec<&'static str>] {
    static PARSED: OnceLock<HashMap<&'static str, Vec<Vec<&'static str>>>> = OnceLock::new();
    let parse = |language: &'static Language| -> Vec<Vec<&'static str>> {
        language.templates.split("===\n").map(|section| section.lines().collect()).collect()
    };
    let parsed =
        PARSED.get_or_init(|| LANGUAGES.iter().map(|language| (language.name, parse(language))).collect());
    &parsed[language.name]
}

/// Fills the placeholders of a template with words. Equal placeholders get equal words.
fn fill(rng: &mut Rng, template: &str) -> String {
    let (one, two, act) = (noun(rng), noun(rng), verb(rng));
    let (low, high, said) = (number(rng), number(rng), sentence(rng));
    let marks: [(&str, String); 12] = [
        ("§a", one.clone()),
        ("§b", two.clone()),
        ("§A", pascal(&one)),
        ("§B", pascal(&two)),
        ("§u", one.to_uppercase()),
        ("§w", two.to_uppercase()),
        ("§V", capital(&act)),
        ("§v", act),
        ("§n", low),
        ("§m", high),
        ("§S", capital(&said)),
        ("§s", said),
    ];
    marks.iter().fold(template.to_owned(), |text, (mark, word)| text.replace(mark, word))
}

/// Returns a file of one language, or of any if `None`, in one of its usual styles.
pub(crate) fn file(rng: &mut Rng, language: Option<&'static Language>) -> File {
    if let Some(file) = stored::asked_for(rng, language) {
        return file;
    }
    if language.is_none() && rng.percent(12) && rng.shipped {
        return shipped(rng);
    }
    built(rng, language)
}

/// Generates a file from templates and vocabulary.
pub(crate) fn built(rng: &mut Rng, language: Option<&'static Language>) -> File {
    let language = language.unwrap_or_else(|| rng.pick(&LANGUAGES));
    let unit = *rng.pick(language.units);
    built_in(rng, language, unit)
}

/// Generates a file from templates and vocabulary that is indented with `unit`.
pub(crate) fn built_in(rng: &mut Rng, language: &'static Language, unit: &'static str) -> File {
    let mut file = File { language, unit, bom: false, lines: Vec::new(), blocks: Vec::new() };
    let sections = templates(language);
    for _ in 0..8 + rng.below(22) {
        let template = 1 + rng.below(sections.len() - 1);
        let text = fill(rng, &sections[template].join("\n"));
        push_block(&mut file, template, &text);
    }
    style(rng, &mut file);
    file
}

fn push_block(file: &mut File, template: usize, text: &str) {
    let start = file.lines.len();
    for line in text.lines() {
        let depth = line.len() - line.trim_start_matches('\t').len();
        file.lines.push(Line { text: file.unit.repeat(depth) + &line[depth..], ending: "\n" });
    }
    let blank = file.lines[start..].iter().rev().take_while(|line| line.text.is_empty()).count();
    file.blocks.push(Block { template, lines: start..file.lines.len() - blank });
    if blank == 0 {
        file.lines.push(Line { text: String::new(), ending: "\n" });
    }
}

fn style(rng: &mut Rng, file: &mut File) {
    while file.lines.last().is_some_and(|line| line.text.is_empty()) {
        file.lines.pop();
    }
    if rng.percent(15) {
        file.set_ending("\r\n");
    } else if rng.percent(4) {
        for block in file.blocks.clone() {
            let ending = *rng.pick(&["\n", "\r\n"]);
            file.lines[block.lines].iter_mut().for_each(|line| line.ending = ending);
        }
    }
    if rng.percent(4) {
        let long: Vec<String> = (0..80).map(|_| file.statement(rng)).collect();
        let at = rng.below(file.lines.len());
        let ending = file.lines[at].ending;
        file.lines.insert(at, Line { text: long.join("; "), ending });
        file.blocks.clear();
    }
    file.bom = rng.percent(5);
    if rng.percent(8) {
        trailing_blanks(rng, file, 6);
    }
    if rng.percent(10)
        && let Some(last) = file.lines.last_mut()
    {
        last.ending = "";
    }
}

/// Adds trailing spaces to some lines.
pub(crate) fn trailing_blanks(rng: &mut Rng, file: &mut File, share: usize) {
    for line in &mut file.lines {
        if rng.percent(share) {
            let blanks = *rng.pick(&[" ", "  ", "\t", "    "]);
            line.text.push_str(blanks);
        }
    }
}

/// Returns a part of a file of the repository.
fn shipped(rng: &mut Rng) -> File {
    static TEXTS: OnceLock<Vec<(bool, String)>> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths = vec![top.join("README.md")];
        walk(&top.join("src"), &mut paths);
        walk(&top.join("docs"), &mut paths);
        paths.sort();
        let code = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        paths.iter().filter_map(|path| Some((code(path), fs::read_to_string(path).ok()?))).collect()
    });
    let (code, text) = rng.pick(texts);
    let language = LANGUAGES.iter().find(|one| one.name == if *code { "rust" } else { "markdown" });
    let lines = text.lines().map(|line| Line { text: line.to_owned(), ending: "\n" }).collect();
    let language = language.unwrap_or(&LANGUAGES[0]);
    let mut file = File { language, unit: "    ", bom: false, lines, blocks: Vec::new() };
    if rng.percent(15) {
        file.set_ending("\r\n");
    }
    file
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

/// Converts the indentation of `text` to another unit. Translates whole levels and keeps the remainder.
pub(crate) fn in_unit(text: &str, from: &str, to: &str) -> String {
    let mut rest = indent(text);
    let mut result = String::new();
    while let Some(shorter) = rest.strip_prefix(from) {
        result.push_str(to);
        rest = shorter;
    }
    result + rest + &text[indent(text).len()..]
}
