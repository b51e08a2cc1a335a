//! References to symbols, as models write them.

use rapidfuzz::distance::indel;

use editd_text::floor_char_boundary;

use super::{Candidate, Outline, Symbol, SymbolRefusal};

/// Maximum number of candidates in a refusal.
const MAX_LISTED: usize = 8;
/// Minimum similarity of a candidate for an unknown name.
const SIMILAR: f64 = 0.4;
/// Maximum number of bytes of a name that are compared.
const COMPARED: usize = 100;

/// A reference to a symbol.
///
/// | Form | Symbol |
/// | --- | --- |
/// | `Class.method`, `Class::method`, `Class#method` | The symbol with this path. Its last names are enough if they are unique, but a symbol whose whole path it is takes precedence |
/// | `method@12` | The innermost one that contains line 12, of all whose path ends with the name |
/// | `method/2` | The second one of them in the file |
///
/// A name that contains such characters itself is found first. Parentheses after a name are ignored, and so
/// are the marks of a heading (`## Usage`) or of an id (`#main`).
///
/// ```
/// use editd_edit::Deadline;
/// use editd_syntax::{Language, SymbolPath, outline};
///
/// let text = "class A:\n    def run(self): ...\n\nclass B:\n    def run(self): ...\n";
/// let outline = outline(text, Language::Python, Deadline::NONE)?;
/// let line = |path: &str| outline.resolve(&SymbolPath::parse(path)).map(|symbol| symbol.lines.start).ok();
/// assert_eq!(line("B::run"), Some(5));
/// assert_eq!(line("run"), None);
/// assert_eq!((line("run/2"), line("run@2"), line("A.run()")), (Some(5), Some(2), Some(2)));
/// # Ok::<(), editd_syntax::NoSyntax>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolPath {
    text: String,
}

/// Selects one of several symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selector {
    Line(usize),
    Ordinal(usize),
}

impl SymbolPath {
    /// Parses a reference. Every text is one: names can contain any character.
    pub fn parse(text: &str) -> Self {
        Self { text: text.trim().to_owned() }
    }

    /// Returns the last part of the name, which a file with the symbol contains.
    pub fn last_name(&self) -> &str {
        let name = self.readings().into_iter().map(|(name, _)| name).min_by_key(|name| name.len());
        name.and_then(|name| name.rsplit(['.', ':', '#']).find(|part| !part.is_empty())).unwrap_or_default()
    }

    /// Returns the ways to read the reference, most literal first.
    fn readings(&self) -> Vec<(&str, Option<Selector>)> {
        let mut readings = vec![(self.text.as_str(), None)];
        let selected = self.text.rsplit_once(['@', '/']).and_then(|(name, number)| {
            let number: usize = number.trim_start_matches(['L', 'l']).parse().ok()?;
            let is_line = self.text[name.len()..].starts_with('@');
            Some((
                name.trim_end(),
                Some(if is_line { Selector::Line(number) } else { Selector::Ordinal(number) }),
            ))
        });
        readings.extend(selected);
        for (name, selector) in readings.clone() {
            let bare = name.trim_start_matches('#').trim_start();
            let bare = bare.strip_suffix("()").unwrap_or(bare);
            if bare != name && !bare.is_empty() {
                readings.push((bare, selector));
            }
        }
        readings
    }
}

impl Outline {
    /// Returns the symbol that a reference means.
    pub fn resolve(&self, path: &SymbolPath) -> Result<&Symbol, SymbolRefusal> {
        let paths: Vec<Vec<&str>> = self.symbols.iter().map(|symbol| self.segments(symbol)).collect();
        for (name, selector) in path.readings() {
            let found = self.named(name, &paths, selector);
            if found.is_empty() {
                continue;
            }
            let selected = selector.map_or_else(|| found.clone(), |selector| selected(&found, selector));
            return match selected[..] {
                [symbol] => Ok(symbol),
                // The selector excludes all of them: they are what can be selected.
                [] => Err(self.ambiguous(&found)),
                _ => Err(self.ambiguous(&selected)),
            };
        }
        Err(SymbolRefusal::Unknown { candidates: self.similar(path, &paths), total: self.symbols.len() })
    }

    /// Returns the declarations of the symbol that a reference means, in the order of the text. Overloads declare one
    /// symbol, and so do a prototype and its definition: they have the same path and kind in the same block.
    pub fn declarations(&self, path: &SymbolPath) -> Result<Vec<&Symbol>, SymbolRefusal> {
        let ambiguous = match self.resolve(path) {
            Ok(symbol) => return Ok(vec![symbol]),
            Err(refusal) => refusal,
        };
        let found = self.matching(path);
        let is_one = |pair: &[&Symbol]| {
            let (one, other) = (pair[0], pair[1]);
            one.parent == other.parent
                && one.block == other.block
                && one.kind == other.kind
                && one.name == other.name
                && one.qualifiers == other.qualifiers
        };
        if found.len() > 1 && found.windows(2).all(is_one) { Ok(found) } else { Err(ambiguous) }
    }

    /// Returns all symbols that a reference may mean, in the order of the text.
    pub fn matching(&self, path: &SymbolPath) -> Vec<&Symbol> {
        let paths: Vec<Vec<&str>> = self.symbols.iter().map(|symbol| self.segments(symbol)).collect();
        for (name, selector) in path.readings() {
            let found = self.named(name, &paths, selector);
            if !found.is_empty() {
                return selector.map_or_else(|| found.clone(), |selector| selected(&found, selector));
            }
        }
        Vec::new()
    }

    /// Returns the symbols with a name: those with this whole path, or else those whose path ends with it. With
    /// a line, both: a constructor can have the name of the class around it.
    fn named(&self, name: &str, paths: &[Vec<&str>], selector: Option<Selector>) -> Vec<&Symbol> {
        let by_line = matches!(selector, Some(Selector::Line(_)));
        let wanted = normalized(name);
        let mut whole = Vec::new();
        let mut ending = Vec::new();
        for (symbol, path) in self.symbols.iter().zip(paths) {
            let last = path.last().copied().unwrap_or_default();
            if last != name && !wanted.ends_with(&normalized(last)) {
                continue;
            }
            let full = normalized(&path.join("."));
            let is_ending = |start: usize| {
                path[start..].join(".") == name || normalized(&path[start..].join(".")) == wanted
            };
            if full == wanted || path.join(".") == name || by_line && (1..path.len()).any(is_ending) {
                whole.push(symbol);
            } else if (1..path.len()).any(is_ending) {
                ending.push(symbol);
            }
        }
        if whole.is_empty() { ending } else { whole }
    }

    fn ambiguous(&self, found: &[&Symbol]) -> SymbolRefusal {
        let candidates: Vec<_> = found.iter().take(MAX_LISTED).map(|symbol| self.candidate(symbol)).collect();
        SymbolRefusal::Ambiguous { more: found.len() - candidates.len(), candidates }
    }

    fn candidate(&self, symbol: &Symbol) -> Candidate {
        Candidate { path: self.path(symbol), kind: symbol.kind, lines: symbol.lines }
    }

    /// Returns the symbols whose names are most similar to a reference.
    fn similar(&self, path: &SymbolPath, paths: &[Vec<&str>]) -> Vec<Candidate> {
        let readings = path.readings();
        let name = readings.iter().min_by_key(|(name, _)| name.len()).map_or("", |(name, _)| name);
        let wanted = normalized(name).to_lowercase();
        let last = wanted.rsplit('.').next().unwrap_or_default();
        let mut scored: Vec<(f64, &Symbol)> = Vec::new();
        for (symbol, path) in self.symbols.iter().zip(paths) {
            let own = similarity(last, &symbol.name.to_lowercase());
            let full = similarity(&wanted, &path.join(".").to_lowercase());
            let score = own.max(full);
            if score >= SIMILAR {
                scored.push((score + full / 100.0, symbol));
            }
        }
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        scored.truncate(MAX_LISTED);
        scored.into_iter().map(|(_, symbol)| self.candidate(symbol)).collect()
    }
}

/// Returns the symbols that a selector leaves.
fn selected<'a>(found: &[&'a Symbol], selector: Selector) -> Vec<&'a Symbol> {
    match selector {
        Selector::Ordinal(number) => {
            number.checked_sub(1).and_then(|at| found.get(at)).into_iter().copied().collect()
        }
        Selector::Line(line) => {
            let contains = |symbol: &&&Symbol| symbol.lines.start <= line && line <= symbol.lines.end;
            let size = |symbol: &&Symbol| symbol.range.len();
            let smallest = found.iter().filter(contains).map(size).min();
            found.iter().filter(contains).filter(|symbol| Some(size(symbol)) == smallest).copied().collect()
        }
    }
}

/// Returns a name with dots as the only separators.
fn normalized(name: &str) -> String {
    name.replace("::", ".").replace(['#', ':'], ".")
}

fn similarity(one: &str, other: &str) -> f64 {
    let beginning = |text: &str| text[..floor_char_boundary(text, COMPARED)].to_owned();
    indel::normalized_similarity(beginning(one).chars(), beginning(other).chars())
}

#[cfg(test)]
mod tests;
