//! An entry of `edits`: text to replace, lines to replace, a symbol, or lines to move.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use editd_edit::{
    Count, Edit, LineEdit, LineOrigin, LinePlace, LineRange, PatternError, PatternKind, Reshape, TextScope,
    parse_range,
};

use editd_syntax::{NewPlace, Position, SymbolEdit, SymbolOp};

use super::SymbolOpParam;
use super::decode::{Invalid, optional_list_or_json};

/// Maximum number of levels by which lines are indented.
const MAX_LEVELS: u32 = 20;

/// Maximum number of columns of a level.
const MAX_COLUMNS: u8 = 16;

/// An edit of a file in one of five forms: `oldText` with `newText`, perhaps within `lines` or a `symbol`; `lines`,
/// `after` or `before` with `newText` or `delete`; `symbol` with `op`; `indent`, `indentFrom` or `wrap`, with `lines` or
/// a `symbol`; `move` or `copy` with `to`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EditEntry {
    /// The file; default: that of the change.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Replaces all places of `oldText` in all files whose path matches this glob, in the folder `path` or all roots. With
    /// `op: "rename"`, renames the uses of the symbol of `path` in these files, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Text of the file to replace.
    #[serde(alias = "old_text", alias = "oldString", alias = "old_string")]
    #[serde(alias = "oldStr", alias = "old_str", skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// New text.
    #[serde(alias = "new_text", alias = "newString", alias = "new_string")]
    #[serde(alias = "newStr", alias = "new_str", skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
    /// Matches `oldText` only as whole words.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub word: bool,
    /// Reads `oldText` as a regular expression, to whose groups `newText` may refer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub regex: bool,
    /// Replaces every exact occurrence of `oldText`.
    #[serde(alias = "replace_all", skip_serializing_if = "std::ops::Not::not")]
    pub replace_all: bool,
    /// Replaces all occurrences of `oldText`, or renames in all files; there must be exactly this many places.
    #[serde(alias = "expected_replacements", alias = "expect", skip_serializing_if = "Option::is_none")]
    pub expected_replacements: Option<u32>,
    /// Lines to replace, such as `12-15`, in the version that was shown; with `oldText`, the lines in which it is
    /// searched for.
    #[serde(deserialize_with = "number_or_text", skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Line after which `newText` is inserted; 0 is the start of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// Line before which `newText` is inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// Deletes `lines`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
    /// Text of the first line, as a check; whitespace is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Text of the last line, as a check; whitespace is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Symbol to edit, such as `Class.method`; with `oldText`, the symbol in which it is searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Operation on the symbol; default `replace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<SymbolOpParam>,
    /// With `op: "rename"`: also renames whole words in comments and strings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub comments: bool,
    /// Number of levels by which `lines` or the `symbol` are indented; to the left if negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indent: Option<i32>,
    /// Number of columns of a level, of which `indentTo` are made.
    #[serde(alias = "indent_from", skip_serializing_if = "Option::is_none")]
    pub indent_from: Option<u8>,
    /// Number of columns of a level after the change.
    #[serde(alias = "indent_to", skip_serializing_if = "Option::is_none")]
    pub indent_to: Option<u8>,
    /// New lines around `lines` or the body of the `symbol`, which become one level deeper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrap: Option<Around>,
    /// Lines or symbols to move.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub moved: Option<PartsOf>,
    /// Lines or symbols to copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<PartsOf>,
    /// Place for what is moved or copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<PlaceIn>,
    /// Adapts the indentation of lines to their new place. That of symbols always is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reindent: bool,
}

/// New lines around others, which get the indentation of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    default,
    deny_unknown_fields,
    expecting = "an object with `before` and `after`, such as {\"before\": \"try:\", \"after\": \"finally:\\n    done()\"}"
)]
#[schemars(description = "")]
pub struct Around {
    /// Lines before them, such as `try:`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Lines after them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Lines or symbols of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    default,
    deny_unknown_fields,
    expecting = "an object such as {\"symbol\": \"Class.method\"}"
)]
#[schemars(description = "")]
pub struct PartsOf {
    /// Default: this file.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Such as `12-15`.
    #[serde(deserialize_with = "number_or_text", skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// With its comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Several, in the order that they get.
    #[serde(deserialize_with = "optional_list_or_json", skip_serializing_if = "Option::is_none")]
    pub symbols: Option<Vec<String>>,
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    default,
    deny_unknown_fields,
    expecting = "an object such as {\"afterSymbol\": \"main\"}"
)]
#[schemars(description = "")]
pub struct PlaceIn {
    /// Default: this file.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line above the place; 0 is the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// Or: the line below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// Or: the symbol above.
    #[serde(alias = "after_symbol", skip_serializing_if = "Option::is_none")]
    pub after_symbol: Option<String>,
    /// Or: the symbol below.
    #[serde(alias = "before_symbol", skip_serializing_if = "Option::is_none")]
    pub before_symbol: Option<String>,
    /// First lines of `path`, a new file; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create: Option<String>,
}

/// An edit as it was requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedForm {
    /// Text is replaced, in the whole file or in a part of it.
    Text(Edit, Option<TextScope>),
    /// Text is replaced in all files whose path matches a glob.
    Everywhere {
        /// The replacement of all places in a file.
        edit: Edit,
        /// The glob.
        glob: String,
        /// Number of places in all files together.
        expect: Option<u32>,
    },
    /// Lines are replaced or inserted.
    Lines(LineEdit),
    /// A symbol is edited.
    Symbol(SymbolEdit),
    /// A symbol is renamed, also in all files whose path matches a glob.
    Renamed {
        /// The rename.
        edit: SymbolEdit,
        /// The glob.
        glob: String,
        /// Number of places in all files together.
        expect: Option<u32>,
    },
    /// Lines are indented or wrapped: in a part of the file, or in all of it.
    Reshape(Reshape, Option<TextScope>),
    /// Lines or symbols are moved or copied.
    Move(MoveRequest),
}

/// The forms of an edit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Lines,
    Symbol,
    Reshape,
    Move,
}

/// Parts of a file to move or copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveRequest {
    /// `false` to copy them.
    pub removes: bool,
    /// File of the parts; `None` for the edited file.
    pub from: Option<String>,
    /// Lines, or symbols in the order that they get.
    pub parts: Vec<TextScope>,
    /// File to which they are moved; `None` for the edited file.
    pub to: Option<String>,
    /// Place in that file.
    pub place: NewPlace,
    /// `true` to adapt the indentation of lines.
    pub reindent: bool,
}

impl EditEntry {
    /// Validates the entry.
    pub fn read(mut self) -> Result<RequestedForm, Invalid> {
        let form = self.form()?;
        match (self.glob.take(), form) {
            (None, _) => {}
            (Some(glob), Form::Symbol) => return self.read_renamed(glob),
            (Some(glob), _) => return self.read_everywhere(glob),
        }
        match form {
            Form::Text => self.read_text().map(|(edit, scope)| RequestedForm::Text(edit, scope)),
            Form::Lines => self.read_lines().map(RequestedForm::Lines),
            Form::Symbol => self.read_symbol().map(RequestedForm::Symbol),
            Form::Reshape => self.read_reshape().map(|(how, scope)| RequestedForm::Reshape(how, scope)),
            Form::Move => self.read_move().map(RequestedForm::Move),
        }
    }

    /// Returns the form of the edit. Refuses members that belong to another form.
    fn form(&self) -> Result<Form, Invalid> {
        let reshape = match (&self.wrap, self.indent_from, self.indent_to) {
            (Some(_), ..) => "wrap",
            (None, Some(_), _) => "indentFrom",
            (None, None, Some(_)) => "indentTo",
            (None, None, None) => "indent",
        };
        let forms = [
            (Form::Text, "oldText", self.old_text.is_some()),
            (Form::Reshape, reshape, self.indent.is_some() || reshape != "indent"),
            (Form::Lines, "lines", self.lines.is_some() || self.after.is_some() || self.before.is_some()),
            (Form::Symbol, "symbol", self.symbol.is_some()),
            (Form::Move, "move", self.moved.is_some() || self.copy.is_some()),
        ];
        let mut present = forms.into_iter().filter(|(.., is_present)| *is_present);
        let Some((form, first, _)) = present.next() else {
            let problem =
                "it is missing, and so are `lines`, `after` or `before`, `symbol`, and `move` or `copy`";
            return Err(Invalid::new("oldText", problem));
        };
        // Lines or a symbol beside a text are the place of the text, and beside a change of shape what it changes.
        let has_place = matches!(form, Form::Text | Form::Reshape);
        let is_place = |other: Form| match other {
            Form::Symbol => has_place,
            Form::Lines => has_place && self.lines.is_some(),
            Form::Text | Form::Reshape | Form::Move => false,
        };
        let mut places = 0;
        for (other, name, _) in present {
            places += 1;
            let is_misplaced = !is_place(other) || self.after.is_some() || self.before.is_some();
            if places > 1 {
                return Err(Invalid::new("lines", "it cannot be combined with `symbol`"));
            }
            if is_misplaced {
                let name =
                    if other == Form::Lines && self.lines.is_none() { "after` or `before" } else { name };
                return Err(Invalid::new(first, format!("it cannot be combined with `{name}`")));
            }
        }
        let members = [
            ("newText", self.new_text.is_some(), &[Form::Text, Form::Lines, Form::Symbol][..]),
            ("glob", self.glob.is_some(), &[Form::Text, Form::Symbol]),
            ("word", self.word, &[Form::Text]),
            ("regex", self.regex, &[Form::Text]),
            ("replaceAll", self.replace_all, &[Form::Text]),
            ("expectedReplacements", self.expected_replacements.is_some(), &[Form::Text, Form::Symbol]),
            ("delete", self.delete, &[Form::Lines]),
            ("first", self.first.is_some(), &[Form::Lines]),
            ("last", self.last.is_some(), &[Form::Lines]),
            ("op", self.op.is_some(), &[Form::Symbol]),
            ("comments", self.comments, &[Form::Symbol]),
            ("indent", self.indent.is_some(), &[Form::Reshape]),
            ("indentFrom", self.indent_from.is_some(), &[Form::Reshape]),
            ("indentTo", self.indent_to.is_some(), &[Form::Reshape]),
            ("wrap", self.wrap.is_some(), &[Form::Reshape]),
            ("to", self.to.is_some(), &[Form::Move]),
            ("reindent", self.reindent, &[Form::Move]),
        ];
        let misplaced =
            |(_, is_present, forms): &(&str, bool, &[Form])| *is_present && !forms.contains(&form);
        match members.into_iter().find(misplaced) {
            Some((name, _, [Form::Text])) => Err(Invalid::new(name, "it needs `oldText`")),
            Some((name, _, [Form::Text, Form::Symbol])) => {
                Err(Invalid::new(name, "it needs `oldText`, or a `symbol` with `op: \"rename\"`"))
            }
            Some((name, ..)) => Err(Invalid::new(name, format!("it cannot be combined with `{first}`"))),
            None => Ok(form),
        }
    }

    fn read_symbol(self) -> Result<SymbolEdit, Invalid> {
        let op = SymbolOp::from(self.op.unwrap_or_default());
        if self.comments && op != SymbolOp::Rename {
            return Err(Invalid::new("comments", "it is allowed only with `op: \"rename\"`"));
        }
        if self.expected_replacements.is_some() {
            return Err(Invalid::new("expect", "with a `symbol` it needs `glob`"));
        }
        let new = match (op, self.new_text) {
            (SymbolOp::Delete, None) => String::new(),
            (SymbolOp::Delete, Some(_)) => {
                return Err(Invalid::new("newText", "it cannot be combined with `op: \"delete\"`"));
            }
            (_, Some(new)) => new,
            (_, None) => return Err(Invalid::new("newText", "it is missing")),
        };
        Ok(SymbolEdit {
            comments: self.comments,
            ..SymbolEdit::new(self.symbol.unwrap_or_default(), op, new)
        })
    }

    /// Returns a rename in all files that match a glob.
    fn read_renamed(mut self, glob: String) -> Result<RequestedForm, Invalid> {
        if self.op != Some(SymbolOpParam::Rename) {
            return Err(Invalid::new("glob", "with a `symbol` it needs `op: \"rename\"`"));
        }
        let expect = self.expected_replacements.take();
        if expect == Some(0) {
            return Err(Invalid::new("expect", "must be at least 1"));
        }
        let edit = SymbolEdit { elsewhere: true, ..self.read_symbol()? };
        Ok(RequestedForm::Renamed { edit, glob, expect })
    }

    /// Returns an edit of all files that match a glob.
    fn read_everywhere(self, glob: String) -> Result<RequestedForm, Invalid> {
        let expect = self.expected_replacements;
        match self.read_text()? {
            (Edit { count: Count::One, .. }, _) => {
                Err(Invalid::new("glob", "it needs `replaceAll` or `expect`"))
            }
            (_, Some(TextScope::Lines(_))) => Err(Invalid::new("lines", "it cannot be combined with `glob`")),
            (_, Some(TextScope::Symbol(_))) => {
                Err(Invalid::new("symbol", "it cannot be combined with `glob`"))
            }
            (edit, None) => {
                // The number is that of all files together.
                let edit = Edit { count: Count::All, ..edit };
                Ok(RequestedForm::Everywhere { edit, glob, expect })
            }
        }
    }

    fn read_text(self) -> Result<(Edit, Option<TextScope>), Invalid> {
        if self.glob.is_some() {
            return Err(Invalid::new(
                "glob",
                "it is allowed only in the short form, with `edits` or `oldText`",
            ));
        }
        let count = match (self.expected_replacements, self.replace_all) {
            (Some(0), _) => return Err(Invalid::new("expect", "must be at least 1")),
            (Some(expected), _) => Count::Exactly(expected),
            (None, true) => Count::All,
            (None, false) => Count::One,
        };
        let new = self.new_text.ok_or_else(|| Invalid::new("newText", "it is missing"))?;
        let old = self.old_text.unwrap_or_default();
        let kind = PatternKind { word: self.word, regex: self.regex };
        if kind.is_pattern() {
            kind.check(&old, &new).map_err(|error| match error {
                PatternError::Old(problem) => Invalid::new("oldText", problem),
                PatternError::New(problem) => Invalid::new("newText", problem),
            })?;
        }
        Ok((Edit { count, kind, ..Edit::new(old, new) }, scope(self.lines, self.symbol)?))
    }

    fn read_reshape(self) -> Result<(Reshape, Option<TextScope>), Invalid> {
        let scope = scope(self.lines, self.symbol)?;
        let columns = |name: &'static str, columns: Option<u8>| match columns {
            Some(columns @ 1..=MAX_COLUMNS) => Ok(usize::from(columns)),
            Some(_) => Err(Invalid::new(name, format!("it must be from 1 to {MAX_COLUMNS}"))),
            None => Err(Invalid::new(name, "it is missing")),
        };
        let how = match (self.indent, self.wrap, self.indent_from.or(self.indent_to)) {
            (Some(levels), None, None) if levels != 0 && levels.unsigned_abs() <= MAX_LEVELS => {
                Reshape::Indent(levels)
            }
            (Some(_), None, None) => {
                let problem = format!("it must be from 1 to {MAX_LEVELS}, or from -1 to -{MAX_LEVELS}");
                return Err(Invalid::new("indent", problem));
            }
            (None, Some(Around { before, after }), None) => {
                let [before, after] = [before, after].map(Option::unwrap_or_default);
                if before.trim().is_empty() && after.trim().is_empty() {
                    return Err(Invalid::new("wrap", "`before` and `after` are blank"));
                }
                Reshape::Wrap { before, after }
            }
            (None, None, _) => {
                let (from, to) =
                    (columns("indentFrom", self.indent_from)?, columns("indentTo", self.indent_to)?);
                if from == to {
                    return Err(Invalid::new("indentTo", "it is equal to `indentFrom`"));
                }
                return Ok((Reshape::Width { from, to }, scope));
            }
            (None, Some(_), Some(_)) => {
                return Err(Invalid::new("wrap", "it cannot be combined with `indentFrom` and `indentTo`"));
            }
            (Some(_), wrap, _) => {
                let other = if wrap.is_some() { "wrap" } else { "indentFrom` and `indentTo" };
                return Err(Invalid::new("indent", format!("it cannot be combined with `{other}`")));
            }
        };
        let missing = || Invalid::new("lines", "it is missing, and so is `symbol`");
        Ok((how, Some(scope.ok_or_else(missing)?)))
    }

    fn read_lines(self) -> Result<LineEdit, Invalid> {
        let place = match (&self.lines, self.after, self.before) {
            (Some(lines), None, None) => LinePlace::Lines(range("lines", lines)?),
            (None, after, before) => place(after, before)?,
            _ => return Err(Invalid::new("lines", "it cannot be combined with `after` or `before`")),
        };
        let new = match (self.delete, self.new_text) {
            (true, None) if self.lines.is_some() => None,
            (true, None) => return Err(Invalid::new("delete", "it is allowed only with `lines`")),
            (true, Some(_)) => return Err(Invalid::new("delete", "it cannot be combined with `newText`")),
            (false, Some(new)) => Some(new),
            (false, None) => return Err(Invalid::new("newText", "it is missing, and so is `delete`")),
        };
        Ok(LineEdit { place, new, first: self.first, last: self.last, origin: LineOrigin::Written })
    }

    fn read_move(self) -> Result<MoveRequest, Invalid> {
        let (name, removes, source) = match (self.moved, self.copy) {
            (Some(_), Some(_)) => return Err(Invalid::new("copy", "it cannot be combined with `move`")),
            (Some(source), None) => ("move", true, source),
            (None, source) => ("copy", false, source.unwrap_or_default()),
        };
        let PartsOf { path: from, .. } = &source;
        let from = from.clone();
        let parts = parts(source).map_err(|invalid| invalid.within(name))?;
        let to = self.to.ok_or_else(|| Invalid::new("to", "it is missing"))?;
        let path = to.path.clone();
        let place = new_place(to).map_err(|invalid| invalid.within("to"))?;
        Ok(MoveRequest { removes, from, parts, to: path, place, reindent: self.reindent })
    }
}

/// Returns the lines or symbols to move or copy.
fn parts(PartsOf { lines, symbol, symbols, .. }: PartsOf) -> Result<Vec<TextScope>, Invalid> {
    match (lines, symbol, symbols) {
        (Some(lines), None, None) => Ok(vec![TextScope::Lines(range("lines", &lines)?)]),
        (None, Some(symbol), None) => Ok(vec![TextScope::Symbol(symbol)]),
        (None, None, Some(symbols)) if symbols.is_empty() => Err(Invalid::new("symbols", "it is empty")),
        (None, None, Some(symbols)) => Ok(symbols.into_iter().map(TextScope::Symbol).collect()),
        (None, None, None) => Err(Invalid::new("lines", "it is missing, and so are `symbol` and `symbols`")),
        (Some(_), ..) => Err(Invalid::new("lines", "it cannot be combined with `symbol` or `symbols`")),
        (None, ..) => Err(Invalid::new("symbol", "it cannot be combined with `symbols`")),
    }
}

/// Returns the place for parts that are moved or copied: without another one, the end of the file.
fn new_place(to: PlaceIn) -> Result<NewPlace, Invalid> {
    let PlaceIn { path, after, before, after_symbol, before_symbol, create } = to;
    let given = [
        ("after", after.is_some()),
        ("before", before.is_some()),
        ("afterSymbol", after_symbol.is_some()),
        ("beforeSymbol", before_symbol.is_some()),
        ("create", create.is_some()),
    ];
    let mut given = given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        return Err(Invalid::new(second, format!("it cannot be combined with `{first}`")));
    }
    let beside = |symbol, position| Ok(NewPlace::Beside { symbol, position });
    match (after_symbol, before_symbol, create) {
        (Some(symbol), ..) => beside(symbol, Position::After),
        (_, Some(symbol), _) => beside(symbol, Position::Before),
        (.., Some(head)) => Ok(NewPlace::NewFile { head }),
        _ if path.is_some() && after.is_none() && before.is_none() => Ok(NewPlace::Lines(LinePlace::End)),
        _ if after.is_none() && before.is_none() => {
            let problem = "it is missing, and so are `before`, `afterSymbol`, `beforeSymbol` and `path`";
            Err(Invalid::new("after", problem))
        }
        _ => Ok(NewPlace::Lines(place(after, before)?)),
    }
}

/// Returns the part of a file that an edit names.
fn scope(lines: Option<String>, symbol: Option<String>) -> Result<Option<TextScope>, Invalid> {
    match (lines, symbol) {
        (Some(lines), _) => Ok(Some(TextScope::Lines(range("lines", &lines)?))),
        (None, Some(symbol)) => Ok(Some(TextScope::Symbol(symbol))),
        (None, None) => Ok(None),
    }
}

fn range(field: &str, text: &str) -> Result<LineRange, Invalid> {
    parse_range(text).map_err(|problem| Invalid::new(field, problem.to_string()))
}

fn place(after: Option<usize>, before: Option<usize>) -> Result<LinePlace, Invalid> {
    match (after, before) {
        (Some(line), None) => Ok(LinePlace::After(line)),
        (None, Some(0)) => Err(Invalid::new("before", "lines are counted from 1")),
        (None, Some(line)) => Ok(LinePlace::Before(line)),
        (Some(_), Some(_)) => Err(Invalid::new("before", "it cannot be combined with `after`")),
        (None, None) => Err(Invalid::new("after", "it is missing, and so is `before`")),
    }
}

/// Deserializes lines, which some models send as a number.
pub(super) fn number_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        _ => Err(serde::de::Error::custom("expected lines such as \"12-15\"")),
    }
}
