//! Names that are changed with their uses.
//!
//! A use is certain if the code around it can mean nothing else: a call of a name that nothing else declares, an argument
//! of a call. Files with any other use are left out.

use editd_syntax::Language;
use serde_json::json;

use super::super::plain::words;
use super::super::rng::Rng;
use super::scan::{Class, Scanned};
use super::texts::{self, CODE, Text};
use super::{Case, fresh, joined};

/// Macros of Rust whose arguments are code, by the documentation.
const KNOWN_MACROS: [&str; 8] =
    ["println", "eprintln", "print", "eprint", "format", "assert", "assert_eq", "vec"];
/// Macros of Rust that may be similar to them.
const DOUBTFUL_MACROS: [&str; 20] = [
    "write",
    "writeln",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "matches",
    "dbg",
    "concat",
    "thread_local",
    "format_args",
    "try",
    "assert_matches",
    "stringify",
    "cfg",
    "include_str",
];
/// Names that mean something to the language.
const SPECIAL: [&str; 8] = ["main", "init", "new", "default", "drop", "constructor", "_", "setup"];

/// A place with the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// It means the symbol.
    Meant,
    /// `{ name }` of an object.
    Short,
    /// `export { name }`.
    Exported,
    Left,
}

/// Code around a place.
struct Place<'s> {
    code: &'s [u8],
    at: usize,
    end: usize,
}

impl<'s> Place<'s> {
    fn new(scanned: &'s Scanned, at: usize, size: usize) -> Self {
        Self { code: scanned.code.as_bytes(), at, end: at + size }
    }

    /// Returns the last byte before the place that is no whitespace.
    fn before(&self) -> u8 {
        self.code[..self.at].iter().rev().copied().find(|byte| !byte.is_ascii_whitespace()).unwrap_or(b'\n')
    }

    fn after(&self) -> u8 {
        self.code[self.end..].iter().copied().find(|byte| !byte.is_ascii_whitespace()).unwrap_or(b'\n')
    }

    /// Returns the word before the place, if only whitespace is between.
    fn word_before(&self) -> &str {
        word_before(self.code, self.at)
    }

    fn is_called(&self) -> bool {
        self.code.get(self.end) == Some(&b'(')
    }

    /// Returns the offset of the innermost open bracket around the place.
    fn bracket(&self) -> Option<usize> {
        let mut depth = 0;
        (0..self.at).rev().find(|at| {
            match self.code[*at] {
                b')' | b']' | b'}' => depth += 1,
                b'(' | b'[' | b'{' if depth == 0 => return true,
                b'(' | b'[' | b'{' => depth -= 1,
                _ => {}
            }
            false
        })
    }
}

fn word_before(code: &[u8], at: usize) -> &str {
    let end = code[..at].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = code[..end].iter().rposition(|byte| !is_part(byte)).map_or(0, |last| last + 1);
    std::str::from_utf8(&code[start..end]).unwrap_or_default()
}

/// Returns the offset behind the bracket that closes the one at `open`.
fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the uses of a name in the code, if all are certain.
fn uses(
    text: &Text,
    scanned: &Scanned,
    name: &str,
    whole: &str,
    owner: Option<&str>,
) -> Option<Vec<(usize, Use)>> {
    let mut found = Vec::new();
    let mut declarations = 0;
    for (at, _) in words(whole).into_iter().filter(|(_, word)| *word == name) {
        let class = scanned.classes[at];
        if class == Class::Mixed {
            return None;
        }
        // A word that an escape begins is read in two ways.
        if whole[..at].ends_with('\\') {
            return None;
        }
        if class != Class::Code {
            found.push((at, Use::Left));
            continue;
        }
        let place = Place::new(scanned, at, name.len());
        let line = &text.lines[scanned.line_of(at)];
        let is_declared = declares(text.language, &place, line, owner.is_some())?;
        declarations += usize::from(is_declared);
        let one = if is_declared { Use::Meant } else { used(text.language, scanned, &place, line, owner)? };
        found.push((at, one));
    }
    let prototypes = text.language == Language::C;
    (declarations == 1 || prototypes && declarations > 0).then_some(found)
}

/// Returns `true` if the place declares the name, or `None` if that is not certain.
fn declares(language: Language, place: &Place<'_>, line: &str, is_member: bool) -> Option<bool> {
    let word = place.word_before();
    Some(match language {
        Language::Rust => word == "fn",
        Language::Python => word == "def",
        Language::Go => word == "func",
        Language::Lua => word == "function",
        Language::Bash => {
            line.trim().starts_with(|c: char| c.is_alphabetic() || c == '_') && line.contains("()")
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx if !is_member => word == "function",
        _ => {
            if !place.is_called() {
                return Some(false);
            }
            let end = closing(place.code, place.end)?;
            let next =
                place.code[end..].iter().copied().find(|byte| !byte.is_ascii_whitespace()).unwrap_or(b'\n');
            let rest = std::str::from_utf8(&place.code[end..]).ok()?.trim_start();
            let is_type = !matches!(
                word,
                "" | "return" | "new" | "else" | "throw" | "case" | "goto" | "await" | "sizeof"
            );
            if matches!(language, Language::C | Language::Java) {
                let typed = is_type
                    || matches!(place.before(), b'*' | b'>' | b']') && place.code[place.at - 1] != b'>';
                typed && (next == b'{' || next == b';' || rest.starts_with("throws"))
            } else {
                next == b'{' && place.before() != b'.' || rest.starts_with(':')
            }
        }
    })
}

/// Returns what a place means that declares nothing, or `None` if that is not certain.
fn used(
    language: Language,
    scanned: &Scanned,
    place: &Place<'_>,
    line: &str,
    owner: Option<&str>,
) -> Option<Use> {
    let lead = &place.code[..place.at];
    // Three dots spread a value.
    let before = if lead.ends_with(b"...") { b' ' } else { lead.last().copied().unwrap_or(b'\n') };
    if let Some(owner) = owner {
        return used_member(language, scanned, place, owner);
    }
    match language {
        Language::Rust => {
            let text = std::str::from_utf8(place.code).ok()?;
            if let Some(one) = in_macro(text, place) {
                return one;
            }
            if before == b'.' && place.is_called() {
                return Some(Use::Left);
            }
            // The function is visible in an inner module only by an import of all names.
            let is_nested = scanned.code.contains("mod ") && !scanned.code.contains("use super::*");
            (place.is_called() && !matches!(before, b':' | b'\'' | b'#') && !is_nested).then_some(Use::Meant)
        }
        Language::Bash => {
            let lead = line.trim_start();
            let starts = ["", "if ", "! ", "if ! ", "while "].iter().any(|lead_in| {
                lead.strip_prefix(lead_in)
                    .is_some_and(|rest| rest.starts_with(&scanned.code[place.at..place.end]))
            });
            let next = place.code.get(place.end).copied().unwrap_or(b'\n');
            (starts && matches!(next, b' ' | b'\n' | b';')).then_some(Use::Meant)
        }
        _ if before == b'.' || before == b'>' && place.at > 1 && place.code[place.at - 2] == b'-' => {
            // Of what is not a member, no access to a member is renamed. Lua has tables of functions.
            (language != Language::Lua && language != Language::Java).then_some(Use::Left)
        }
        _ if matches!(before, b':' | b'@' | b'$' | b'#') => None,
        Language::C if line.trim_start().starts_with('#') || line.trim_end().ends_with('\\') => None,
        _ if place.is_called() && !matches!(place.word_before(), "new" | "function" | "def" | "class") => {
            Some(Use::Meant)
        }
        Language::Python
        | Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Go
        | Language::Lua => bare(language, place),
        _ => None,
    }
}

/// Returns what a place in a macro or an attribute of Rust means; the outer `None` stands for any other place.
#[expect(clippy::option_option, reason = "a place in a macro may be uncertain")]
fn in_macro(code: &str, place: &Place<'_>) -> Option<Option<Use>> {
    let mut at = place.at;
    let mut found = None;
    while let Some(open) = (Place { code: place.code, at, end: at }).bracket() {
        let lead = code[..open].trim_end();
        if lead.ends_with('#') || lead.ends_with("#!") {
            return Some(Some(Use::Left));
        }
        if let Some(lead) = lead.strip_suffix('!') {
            let name = word_before(lead.as_bytes(), lead.len());
            let inside = &code[open..closing(place.code, open).unwrap_or(code.len())];
            let plain = !inside.contains('|') && !inside.contains("=>");
            found = match name {
                _ if DOUBTFUL_MACROS.contains(&name) => return Some(None),
                _ if KNOWN_MACROS.contains(&name) => Some(
                    (plain && place.is_called() && place.before() != b'.' && place.before() != b':')
                        .then_some(Use::Meant),
                ),
                _ => Some(Some(Use::Left)),
            };
        }
        let words: Vec<&str> =
            lead.rsplit(['\n', ';', '}', '{']).next().unwrap_or_default().split_whitespace().collect();
        if words.first() == Some(&"macro_rules!")
            || words.len() > 1 && words[words.len() - 2] == "macro_rules!"
        {
            return Some(Some(Use::Left));
        }
        at = open;
    }
    found
}

/// Returns what a name without brackets means: an argument of a call, a value in an object, an exported name.
fn bare(language: Language, place: &Place<'_>) -> Option<Use> {
    let (before, after) = (place.before(), place.after());
    let open = place.bracket()?;
    let code = std::str::from_utf8(place.code).ok()?;
    let lead = code[..open].trim_end();
    let end = closing(place.code, open)?;
    let tail = code[end..].trim_start_matches(' ');
    if !matches!(before, b'(' | b',' | b'{' | b'[') || !matches!(after, b')' | b',' | b'}' | b']') {
        return None;
    }
    let is_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    match place.code[open] {
        b'{' if is_script && lead.ends_with("export") => {
            let is_list = !tail.starts_with("from") && !code[open..end].contains(" as ");
            is_list.then_some(Use::Exported)
        }
        b'{' if is_script && lead.ends_with("exports =") => {
            (tail.starts_with([';', '\n']) && before != b'(' && before != b'[').then_some(Use::Short)
        }
        b'(' => {
            let callee = word_before(place.code, open);
            let head = code[..open].rsplit('\n').next().unwrap_or_default();
            let declares = ["def ", "function", "func ", "class ", "catch", "lambda", "for ", "with "]
                .iter()
                .any(|word| head.contains(word));
            let is_call = !callee.is_empty()
                && place.code[open - 1] != b' '
                && !matches!(
                    callee,
                    "if" | "for" | "while" | "switch" | "return" | "in" | "and" | "or" | "not" | "import"
                );
            let no_parameters =
                !tail.starts_with(['{', ':']) && !tail.starts_with("=>") && !tail.starts_with("->");
            // A lambda or an arrow function in the same call may have a parameter of the name.
            let inside = &code[open..end];
            let plain = !inside.contains("lambda")
                && !inside.contains("=>")
                && !inside.contains("function")
                && !inside.contains('=');
            (is_call && no_parameters && !declares && plain).then_some(Use::Meant)
        }
        _ => None,
    }
}

/// Returns what a place means if the symbol is a method.
fn used_member(language: Language, scanned: &Scanned, place: &Place<'_>, owner: &str) -> Option<Use> {
    let object = match language {
        Language::Python | Language::Rust => "self.",
        _ => "this.",
    };
    let code = &scanned.code[..place.at];
    let is_own = code.ends_with(object)
        && place.is_called()
        && !code[..code.len() - object.len()]
            .ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    let static_owner = match language {
        Language::Rust => code.ends_with("Self::") || code.ends_with(&format!(" {owner}::")),
        Language::Java => code.ends_with(&format!(" {owner}.")),
        _ => false,
    };
    let in_macro = language == Language::Rust && in_macro(&scanned.code, place).is_some();
    let alone = language == Language::Java
        && !matches!(place.before(), b'.' | b':')
        && place.is_called()
        && place.word_before() != "new";
    ((is_own || static_owner && place.is_called() || alone) && !in_macro).then_some(Use::Meant)
}

/// Returns the text with another name at these places.
fn with_name(whole: &str, name: &str, new: &str, uses: &[(usize, Use)], everywhere: bool) -> String {
    let (mut text, mut copied) = (String::new(), 0);
    for (at, one) in uses {
        text.push_str(&whole[copied..*at]);
        match one {
            Use::Left if !everywhere => text.push_str(name),
            Use::Meant | Use::Left => text.push_str(new),
            Use::Short => text.extend([name, ": ", new]),
            Use::Exported => text.extend([new, " as ", name]),
        }
        copied = at + name.len();
    }
    text + &whole[copied..]
}

/// A symbol with its certain uses.
pub(super) struct Renamed {
    pub(super) text: &'static Text,
    pub(super) reference: String,
    pub(super) new: String,
    pub(super) result: Vec<String>,
}

pub(super) fn renamed(rng: &mut Rng, of_member: bool, comments: bool) -> Option<Renamed> {
    let languages = if of_member {
        &[Language::Rust, Language::Python, Language::JavaScript, Language::TypeScript, Language::Java][..]
    } else {
        CODE
    };
    let text = texts::text(rng, languages)?;
    let one = rng.any(text.functions())?;
    let is_member = !text.depth(one.head).is_empty();
    let owner = one.owner.as_deref().filter(|_| is_member);
    let is_java = text.language == Language::Java;
    if is_member != (of_member || is_java)
        || one.name.contains('.')
        || SPECIAL.contains(&one.name.as_str())
        || one.name.starts_with("__")
    {
        return None;
    }
    let above = &text.lines[one.whole.start..one.head];
    // These decide what else has the name.
    if above.iter().any(|line| {
        line.contains("@Override")
            || line.contains("@overload")
            || line.contains("setter")
            || line.contains("#[")
    }) || one.owner.as_ref() == Some(&one.name)
    {
        return None;
    }
    let scanned = text.scanned()?;
    let whole = joined(&text.lines);
    let lone = owner.is_none_or(|owner| is_only_type(&scanned.code, owner, text.language));
    if !lone {
        return None;
    }
    let uses = uses(text, scanned, &one.name, &whole, owner)?;
    // Comments and strings are renamed by words, so nothing in code may be left.
    let left = |one: &(usize, Use)| one.1 == Use::Left && scanned.classes[one.0] == Class::Code;
    if comments && (uses.iter().any(left) || !uses.iter().any(|one| one.1 == Use::Left)) {
        return None;
    }
    let new = fresh(rng, &[text.lines.as_slice()]);
    let result = with_name(&whole, &one.name, &new, &uses, comments);
    let reference = match rng.below(3) {
        0 => format!("{}@{}", one.name, one.head + 1),
        _ => one.name.clone(),
    };
    let result: Vec<String> = result.lines().map(str::to_owned).collect();
    text.is_right().then_some(Renamed { text, reference, new, result })
}

/// Returns `true` if the file declares no type beside one, so that no other has a member of the name.
fn is_only_type(code: &str, owner: &str, language: Language) -> bool {
    let declares = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.iter().any(|word| {
            matches!(*word, "class" | "interface" | "trait" | "enum" | "struct" | "union" | "record")
        })
    };
    let types = code.lines().filter(|line| declares(line)).count();
    let heirs = code.contains("extends ")
        || code.contains("implements ")
        || language == Language::Rust && code.contains(" for ");
    let is_derived = language == Language::Python
        && !code.contains(&format!("class {owner}:"))
        && !code.contains(&format!("class {owner}(object)"));
    types == 1 && !heirs && !is_derived
}

fn case(rng: &mut Rng, of_member: bool, comments: bool) -> Option<Case> {
    let renamed = renamed(rng, of_member, comments)?;
    let mut edit = json!({ "symbol": renamed.reference, "op": "rename", "newText": renamed.new });
    if comments {
        edit["comments"] = json!(true);
    }
    let request = json!({ "path": renamed.text.name("one"), "edits": [edit] });
    Case::one(renamed.text, request, &[renamed.result]).map(|case| case.in_any_ending(rng))
}

pub(super) fn function_renamed(rng: &mut Rng) -> Option<Case> {
    case(rng, false, false)
}

pub(super) fn method_renamed(rng: &mut Rng) -> Option<Case> {
    case(rng, true, false)
}

pub(super) fn renamed_in_comments(rng: &mut Rng) -> Option<Case> {
    let of_member = rng.percent(30);
    case(rng, of_member, true)
}
