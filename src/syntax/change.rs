//! Edits of symbols.

mod body;
mod delete;
mod indent;
mod insert;
mod lead;
mod replace;

use serde::{Deserialize, Serialize};

use super::grammar::{Grammar, NameStyle, grammar};
use super::lines::{BOM, Lines};
use super::symbol::Separator;
use super::{BadText, Outline, Rename, Renamed, Symbol, SymbolPath, SymbolRefusal};
use editd_edit::{LineRange, MovedSymbol, MovedText, Splice, StringLines};
use editd_text::{LineEnding, indent_style, line_end};
pub use insert::{NewPlace, Position};

/// An edit of the symbol with this name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolEdit {
    /// Reference to the symbol, see [`SymbolPath`].
    pub symbol: String,
    /// Operation.
    pub op: SymbolOp,
    /// New text; ignored by `Delete`.
    pub new: String,
    /// `Rename` also changes whole words in comments and strings.
    pub comments: bool,
    /// `Rename` is one of several files.
    pub elsewhere: bool,
}

/// An operation on a symbol.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::Display,
    strum::EnumString,
    strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum SymbolOp {
    /// Replaces the whole declaration.
    Replace,
    /// Replaces the body: the text inside its braces, after its colon, or the value.
    Body,
    /// Inserts text before the symbol.
    Before,
    /// Inserts text after the symbol.
    After,
    /// Deletes the symbol.
    Delete,
    /// Replaces the name in the declaration and in its uses in the text.
    Rename,
    /// Replaces the name in the declaration, and nowhere else.
    RenameHere,
}

/// The change that an edit of a symbol makes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SymbolChange {
    /// Changes of the text, sorted and disjoint; empty if nothing changes.
    pub splices: Vec<Splice>,
    /// Lines that the author of the edit must have read.
    pub lines: Vec<LineRange>,
    /// Warnings for the author.
    pub warnings: Vec<String>,
    /// The old name, if the edit changes the name in the declaration only.
    pub renamed: Option<String>,
    /// A rename whose places are still to be found, by [`rename`](super::rename()).
    pub wanted: Option<Rename>,
    /// A rename whose places were found.
    pub uses: Option<Renamed>,
}

impl SymbolEdit {
    /// Creates an edit.
    pub fn new(symbol: impl Into<String>, op: SymbolOp, new: impl Into<String>) -> Self {
        Self { symbol: symbol.into(), op, new: new.into(), comments: false, elsewhere: false }
    }
}

impl SymbolChange {
    /// Completes a rename with its places.
    #[must_use]
    pub fn with_uses(self, uses: Renamed) -> Self {
        Self { splices: uses.splices.clone(), wanted: None, uses: Some(uses), ..self }
    }
}

/// Computes the change that an edit makes to `text`, whose outline is given.
///
/// * **Indentation.** If the first line of the new text is indented differently from the symbol, all lines are
///   shifted by the difference, provided that all of them have at least the indentation of the first. If only
///   the first line lacks the indentation, only that line is indented. Tabs and spaces follow the symbol, or
///   else the file. Lines of multi-line strings are shifted as well, because the new text is not parsed.
/// * **Line endings** follow the file, and so does the presence of a line ending at its end.
/// * **`Replace`** replaces the whole declaration. Attributes and comments above it, and a comment behind it,
///   are kept unless the new text has its own: losing `#[test]` silently is worse than keeping it, and a
///   warning tells what was kept. `,` and the `;` of a C type are kept as well.
/// * **`Before` and `After`** insert whole lines, with as many blank lines between as separate the symbol from
///   its neighbor on that side. A list gets the commas that it needs.
/// * **`Delete`** also removes the blank lines that separated the symbol from one neighbor: of the two runs
///   around it, the shorter one, or the only one if the symbol is the first or the last in its block.
/// * **`Rename`** has no splices yet: [`SymbolChange::wanted`] is for [`rename`](super::rename()), which needs a tree.
/// * If there is other code in the lines of a symbol, only the bytes of the symbol change.
///
/// A symbol with a syntax error inside is refused, because its end is uncertain. `Before` and `After` are
/// possible nevertheless; errors elsewhere do not matter.
///
/// ```
/// use editd_edit::{Deadline, Plan};
/// use editd_syntax::{Language, SymbolEdit, SymbolOp, edit_symbol, outline};
///
/// let text = "class A:\n    # Runs.\n    @cache\n    def run(self):\n        return 1\n";
/// let outline = outline(text, Language::Python, Deadline::NONE)?;
/// let edit = SymbolEdit::new("A.run", SymbolOp::Replace, "def run(self, times):\n    return times\n");
/// let change = edit_symbol(text, &outline, &edit).unwrap();
/// let after = Plan::new(text.len(), change.splices)?.apply(text);
/// assert_eq!(after, "class A:\n    # Runs.\n    @cache\n    def run(self, times):\n        return times\n");
/// assert_eq!(change.warnings, ["kept the attributes above the declaration: @cache"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn edit_symbol(text: &str, outline: &Outline, edit: &SymbolEdit) -> Result<SymbolChange, SymbolRefusal> {
    debug_assert_eq!(text.len(), outline.text_len, "the outline is of this text");
    let symbol = symbol_to_edit(outline, edit)?;
    let inserts = matches!(edit.op, SymbolOp::Before | SymbolOp::After);
    if let (Some(line), false) = (symbol.broken, inserts) {
        return Err(SymbolRefusal::Broken { line });
    }
    let site = Site::new(text, outline, symbol);
    let mut change = match edit.op {
        SymbolOp::Replace => replace::replace(&site, &edit.new)?,
        SymbolOp::Body => body::replace_body(&site, &edit.new)?,
        SymbolOp::Before => insert::insert(&site, &edit.new, Position::Before)?,
        SymbolOp::After => insert::insert(&site, &edit.new, Position::After)?,
        SymbolOp::Delete => delete::delete(&site),
        SymbolOp::Rename => wanted(&site, edit)?,
        SymbolOp::RenameHere => rename(&site, &edit.new)?,
    };
    change.splices.sort_by_key(|splice| splice.range.start);
    change.splices.retain(|splice| text.get(splice.range.clone()) != Some(splice.text.as_str()));
    change.lines = lines_to_read(&site, edit.op);
    // The comma of the item before, if the last item of a list is deleted.
    let outside = change.splices.iter().filter(|splice| splice.range.end <= symbol.range.start);
    let lines =
        outside.map(|splice| site.lines.range(&splice.range)).filter(|lines| lines.end < symbol.lines.start);
    let lines: Vec<LineRange> = lines.filter(|_| edit.op == SymbolOp::Delete).collect();
    change.lines.splice(0..0, lines);
    Ok(change)
}

/// Returns the symbol that an edit means. A rename of one declaration of a symbol renames the others, too.
fn symbol_to_edit<'o>(outline: &'o Outline, edit: &SymbolEdit) -> Result<&'o Symbol, SymbolRefusal> {
    let path = SymbolPath::parse(&edit.symbol);
    if edit.op == SymbolOp::Rename
        && let [.., last] = outline.declarations(&path)?[..]
    {
        return Ok(last);
    }
    outline.resolve(&path)
}

/// Computes the change that inserts texts of other places beside the symbol that `path` names, in their order. They get
/// the indentation of the symbol, the blank lines that separate it from its neighbors, and in a list the commas.
///
/// ```
/// use editd_edit::{Deadline, Plan};
/// use editd_syntax::{Language, Position, SymbolPath, insert_beside, moved_text, outline};
///
/// let text = "def f(x):\n    return x\n\n\nclass A:\n    def g(self):\n        return 1\n";
/// let outline = outline(text, Language::Python, Deadline::NONE)?;
/// let moved = moved_text(text, &outline, &SymbolPath::parse("f"), &[]).unwrap();
/// let change = insert_beside(text, &outline, &SymbolPath::parse("A.g"), Position::After, &[moved]).unwrap();
/// let after = Plan::new(text.len(), change.splices)?.apply(text);
/// assert!(after.ends_with("        return 1\n\n    def f(x):\n        return x\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn insert_beside(
    text: &str,
    outline: &Outline,
    path: &SymbolPath,
    position: Position,
    moved: &[MovedText],
) -> Result<SymbolChange, SymbolRefusal> {
    debug_assert_eq!(text.len(), outline.text_len, "the outline is of this text");
    let site = Site::new(text, outline, outline.resolve(path)?);
    let op = match position {
        Position::Before => SymbolOp::Before,
        Position::After => SymbolOp::After,
    };
    let change = insert::insert_moved(&site, moved, position)?;
    Ok(SymbolChange { lines: lines_to_read(&site, op), ..change })
}

/// Returns the text of the symbol that a reference means, to move it: the whole declaration, without the comma behind
/// it. `strings` are the lines that begin inside a string, of [`string_lines`](super::string_lines). Refuses a symbol
/// with a syntax error inside, because its end is uncertain.
pub fn moved_text(
    text: &str,
    outline: &Outline,
    path: &SymbolPath,
    strings: &[StringLines],
) -> Result<MovedText, SymbolRefusal> {
    let symbol = outline.resolve(path)?;
    if let Some(line) = symbol.broken {
        return Err(SymbolRefusal::Broken { line });
    }
    let is_item = matches!(symbol.separator, Separator::Comma { .. });
    if !is_item && !symbol.parts.whole_lines {
        return Err(SymbolRefusal::SharedLines { line: symbol.lines.start });
    }
    let lines = Lines::new(text);
    let indentation = if symbol.parts.whole_lines { "" } else { lines.indentation(symbol.range.start) };
    let of_text = |offset: usize| indentation.len() + offset - symbol.range.start;
    let mut moved = [indentation, &text[symbol.range.clone()]].concat();
    if let Separator::Comma { after: Some(comma), .. } = symbol.separator
        && symbol.range.contains(&comma)
    {
        moved.remove(of_text(comma));
    }
    let first = symbol.lines.start;
    let content = strings.iter().filter(|string| !string.is_documentation).map(|string| string.lines);
    let inside = content.filter(|lines| lines.start > first && lines.end <= symbol.lines.end);
    let kept = inside.map(|lines| LineRange { start: lines.start - first + 1, end: lines.end - first + 1 });
    let facts = MovedSymbol {
        style: indent_style(text),
        is_apart: !insert::is_value(symbol.kind) && symbol.lines.start < symbol.lines.end,
        comma: is_item.then(|| of_text(symbol.parts.end)),
    };
    Ok(MovedText { text: moved, kept: kept.collect(), symbol: Some(facts) })
}

/// Computes the changes that delete symbols of a text, one for each. Those of neighbors, between which nothing is left,
/// are in the change of the first of them, because they share the blank lines and commas between.
pub fn delete_symbols(
    text: &str,
    outline: &Outline,
    symbols: &[&str],
) -> Vec<Result<SymbolChange, SymbolRefusal>> {
    let mut changes: Vec<_> = symbols
        .iter()
        .map(|symbol| edit_symbol(text, outline, &SymbolEdit::new(*symbol, SymbolOp::Delete, "")))
        .collect();
    let resolved = symbols
        .iter()
        .enumerate()
        .filter_map(|(index, symbol)| Some((index, outline.resolve(&SymbolPath::parse(symbol)).ok()?)));
    let mut sorted: Vec<(usize, &Symbol)> = resolved.filter(|(index, _)| changes[*index].is_ok()).collect();
    sorted.sort_by_key(|(_, symbol)| (symbol.range.start, symbol.range.end));
    let is_next = |one: &Symbol, next: &Symbol| {
        let between = text.get(one.range.end..next.range.start);
        one.parent == next.parent
            && one.block == next.block
            && between.is_some_and(|between| between.trim().trim_start_matches(',').trim().is_empty())
    };
    for run in sorted.chunk_by(|(_, one), (_, next)| is_next(one, next)).filter(|run| run.len() > 1) {
        let (first, last) = (run[0].1, run[run.len() - 1].1);
        let joined = delete::delete_run(&Site::new(text, outline, first), &Site::new(text, outline, last));
        for (number, (index, _)) in run.iter().enumerate() {
            let Some(Ok(change)) = changes.get_mut(*index) else { continue };
            change.splices = if number == 0 { joined.splices.clone() } else { Vec::new() };
        }
    }
    changes
}

/// Returns the lines that the author of an edit must have read.
fn lines_to_read(site: &Site<'_>, op: SymbolOp) -> Vec<LineRange> {
    let LineRange { start, end } = site.symbol.lines;
    let single = |line: usize| LineRange { start: line, end: line };
    match op {
        SymbolOp::Replace | SymbolOp::Body | SymbolOp::Delete => vec![site.symbol.lines],
        SymbolOp::Before | SymbolOp::After if start == end => vec![single(start)],
        SymbolOp::Before | SymbolOp::After => vec![single(start), single(end)],
        SymbolOp::Rename | SymbolOp::RenameHere => {
            let name = site.symbol.name_range.as_ref().map_or(site.symbol.parts.bare, |range| range.start);
            vec![single(site.lines.of(name) + 1)]
        }
    }
}

/// Returns the rename of a symbol with its uses, which are still to be found.
fn wanted(site: &Site<'_>, edit: &SymbolEdit) -> Result<SymbolChange, SymbolRefusal> {
    let declared = rename(site, &edit.new)?;
    let wanted = declared.splices.into_iter().next().filter(|_| declared.renamed.is_some()).map(|splice| {
        let SymbolEdit { comments, elsewhere, .. } = *edit;
        Rename { name: splice.range, kind: site.symbol.kind, new: splice.text, comments, elsewhere }
    });
    Ok(SymbolChange { wanted, ..SymbolChange::of(Vec::new()) })
}

fn rename(site: &Site<'_>, new: &str) -> Result<SymbolChange, SymbolRefusal> {
    let symbol = site.symbol;
    let Some(range) = symbol.name_range.clone() else {
        return Err(SymbolRefusal::WithoutName { lines: symbol.lines });
    };
    let new = new.trim();
    if new != symbol.name && !is_name(new, site.grammar.names) {
        return Err(SymbolRefusal::BadText {
            reason: if new.is_empty() { BadText::Blank } else { BadText::NotAName },
        });
    }
    let renamed = (new != symbol.name).then(|| site.text[range.clone()].to_owned());
    Ok(SymbolChange { renamed, ..SymbolChange::of(vec![Splice { range, text: new.to_owned() }]) })
}

fn is_name(name: &str, style: NameStyle) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '?' | '!' | '~');
    let is_allowed = |c: char| match style {
        NameStyle::Word => is_word(c),
        NameStyle::Dashed => is_word(c) || matches!(c, '-' | '.'),
        NameStyle::Quoted => !matches!(c, '"' | '\'' | '\\') && !c.is_control(),
        NameStyle::Line => !c.is_control(),
    };
    let starts_as_word = style != NameStyle::Word || !name.starts_with(|c: char| c.is_numeric());
    !name.is_empty() && starts_as_word && name.chars().all(is_allowed)
}

/// Returns the lines of the body of the symbol that a reference means. Refuses a body that shares its lines with other
/// code. The string that documents a Python function is not a part of its body here.
///
/// ```
/// use editd_edit::{Deadline, LineRange};
/// use editd_syntax::{Language, SymbolPath, body_lines, outline};
///
/// let text = "fn f() {\n    a();\n    b();\n}\n";
/// let outline = outline(text, Language::Rust, Deadline::NONE)?;
/// let lines = body_lines(text, &outline, &SymbolPath::parse("f"));
/// assert_eq!(lines, Ok(LineRange { start: 2, end: 3 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn body_lines(text: &str, outline: &Outline, path: &SymbolPath) -> Result<LineRange, SymbolRefusal> {
    let symbol = outline.resolve(path)?;
    match symbol.broken {
        Some(line) => Err(SymbolRefusal::Broken { line }),
        None => body::lines(&Site::new(text, outline, symbol)),
    }
}

/// The place of an edit: a symbol in its text.
struct Site<'a> {
    text: &'a str,
    outline: &'a Outline,
    symbol: &'a Symbol,
    grammar: &'static Grammar,
    lines: Lines<'a>,
    /// Line ending of new lines.
    ending: &'static str,
}

impl<'a> Site<'a> {
    fn new(text: &'a str, outline: &'a Outline, symbol: &'a Symbol) -> Self {
        let lines = Lines::new(text);
        let ending = ending(text, &lines, symbol.range.start);
        Self { text, outline, symbol, grammar: grammar(outline.language), lines, ending }
    }

    /// Returns the indentation of the symbol.
    fn indentation(&self) -> &'a str {
        self.lines.indentation(self.symbol.parts.head)
    }

    /// Returns the text of the whole lines of the symbol.
    fn own_lines(&self) -> &'a str {
        let start = self.lines.start(self.lines.of(self.symbol.range.start));
        &self.text[start..self.symbol.range.end.max(start)]
    }

    /// Joins lines with the line ending of the file.
    fn joined(&self, lines: &[String]) -> String {
        lines.join(self.ending)
    }

    /// Returns `true` if the symbol is the first thing in the block around it.
    fn is_first_in_block(&self) -> bool {
        let Some(before) = self.text.get(self.symbol.block.start..self.symbol.range.start) else {
            return true;
        };
        let before = before.trim_start_matches(BOM).trim();
        let is_tag = before.starts_with('<') && before.ends_with('>') && before.matches('<').count() == 1;
        is_tag || matches!(before, "" | "{" | "[" | "(")
    }

    /// Returns `true` if the symbol is the last thing in the block around it.
    fn is_last_in_block(&self) -> bool {
        let Some(after) = self.text.get(self.symbol.range.end..self.symbol.block.end) else { return true };
        let after = after.trim();
        let is_tag = after.starts_with("</") && after.matches('<').count() == 1;
        is_tag || matches!(after, "" | "}" | "]" | ")" | "end")
    }
}

impl SymbolChange {
    fn of(splices: Vec<Splice>) -> Self {
        Self { splices, ..Self::default() }
    }
}

/// Returns the line ending of the line at an offset, or else of the line before it.
fn ending(text: &str, lines: &Lines<'_>, offset: usize) -> &'static str {
    let line = lines.of(offset);
    let of_line = |line: usize| {
        let (content_end, end) = line_end(text, lines.start(line));
        match &text[content_end..end] {
            "\r\n" => LineEnding::Crlf,
            "\r" => LineEnding::Cr,
            "\n" => LineEnding::Lf,
            _ => LineEnding::None,
        }
    };
    let found = [Some(line), line.checked_sub(1), Some(0)].into_iter().flatten().map(of_line);
    let found = found.map(LineEnding::as_str).find(|ending| !ending.is_empty());
    found.unwrap_or("\n")
}

#[cfg(test)]
mod tests;
