//! Syntax highlighting of a text, by the queries that come with the grammars.

mod queries;

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoEnumIterator};
use tree_sitter_highlight::{Highlight, HighlightConfiguration, HighlightEvent, Highlighter};

use super::parse::{is_too_deep, with_line_feeds};
use super::{Language, NoSyntax};

/// Maximum size of a text that gets colours, in bytes.
pub const MAX_COLOURED_SIZE: usize = 500_000;

/// A class of words that have one colour. The numbers are those of the review page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Colour {
    /// A comment.
    Comment,
    /// A keyword.
    Keyword,
    /// A type or a module.
    Type,
    /// A function or a macro.
    Function,
    /// A string.
    String,
    /// A number, another literal, or a constant.
    Constant,
    /// A field, a key or an attribute.
    Property,
    /// The name of an element.
    Tag,
    /// A heading.
    Heading,
    /// A mark of Markdown, or an interpolation.
    Mark,
}

/// A range of a text with its colour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColourSpan {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The colour.
    pub colour: Colour,
}

/// Names in the queries, each with its colour. A name also stands for those that continue it after a dot. Names
/// that are not listed have no colour: most words of a program are variables.
const NAMES: [(&str, Colour); 29] = [
    ("comment", Colour::Comment),
    ("keyword", Colour::Keyword),
    ("variable.builtin", Colour::Keyword),
    ("type", Colour::Type),
    ("constructor", Colour::Type),
    ("module", Colour::Type),
    ("namespace", Colour::Type),
    ("function", Colour::Function),
    ("method", Colour::Function),
    ("text.uri", Colour::Function),
    ("text.reference", Colour::Function),
    ("string", Colour::String),
    ("text.literal", Colour::String),
    ("character", Colour::String),
    ("number", Colour::Constant),
    ("float", Colour::Constant),
    ("boolean", Colour::Constant),
    ("constant", Colour::Constant),
    ("escape", Colour::Constant),
    ("string.escape", Colour::Constant),
    ("property", Colour::Property),
    ("attribute", Colour::Property),
    ("label", Colour::Property),
    ("field", Colour::Property),
    ("tag", Colour::Tag),
    ("text.title", Colour::Heading),
    ("markup.heading", Colour::Heading),
    ("punctuation.special", Colour::Mark),
    ("string.special.key", Colour::Property),
];

/// Returns the colours of a text, in order and without overlaps. Ends with [`NoSyntax::TooSlow`] once `stop` is not 0.
pub fn colours(text: &str, language: Language, stop: &AtomicUsize) -> Result<Vec<ColourSpan>, NoSyntax> {
    if text.len() > MAX_COLOURED_SIZE {
        return Err(NoSyntax::TooLarge { size: text.len() });
    }
    if is_too_deep(text, language) {
        return Err(NoSyntax::TooDeep);
    }
    let Some(rules) = rules_of(language) else { return Ok(Vec::new()) };
    let bytes = with_line_feeds(text);
    let mut highlighter = Highlighter::new();
    let events = highlighter
        .highlight(rules, &bytes, Some(stop), |name| embedded(name, text))
        .map_err(|_| NoSyntax::TooSlow)?;
    let (mut spans, mut around): (Vec<ColourSpan>, Vec<Colour>) = (Vec::new(), Vec::new());
    for event in events {
        match event.map_err(|_| NoSyntax::TooSlow)? {
            HighlightEvent::HighlightStart(Highlight(name)) => around.push(NAMES[name].1),
            HighlightEvent::HighlightEnd => {
                around.pop();
            }
            HighlightEvent::Source { start, end } => {
                let Some(&colour) = around.last() else { continue };
                match spans.last_mut() {
                    Some(last) if last.colour == colour && last.range.end == start => last.range.end = end,
                    _ => spans.push(ColourSpan { range: start..end, colour }),
                }
            }
        }
    }
    Ok(spans)
}

type Rules = OnceLock<Option<HighlightConfiguration>>;

/// Returns the rules of a language. They are built when they are first needed, which takes some milliseconds.
fn rules_of(language: Language) -> Option<&'static HighlightConfiguration> {
    static RULES: [Rules; Language::COUNT] = [const { OnceLock::new() }; Language::COUNT];
    let build = || rules(language.grammar(), language.into(), &queries::of(language));
    RULES[language as usize].get_or_init(build).as_ref()
}

/// Returns the rules of a language by its name in another one: the code in a text, or scripts and styles.
fn embedded(name: &str, text: &str) -> Option<&'static HighlightConfiguration> {
    static INLINE: Rules = OnceLock::new();
    if name == queries::MARKDOWN_INLINE {
        let build = || rules(tree_sitter_md::INLINE_LANGUAGE.into(), name, &queries::markdown_inline());
        return INLINE.get_or_init(build).as_ref();
    }
    let name = queries::ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    let language = Language::iter().find(|language| <&str>::from(language) == name)?;
    // The limit of the depth counts lines of the whole text, which is stricter than necessary.
    if is_too_deep(text, language) { None } else { rules_of(language) }
}

/// Builds rules. Returns `None` if a query does not fit its grammar.
fn rules(
    grammar: tree_sitter::Language,
    name: &str,
    queries: &queries::Queries,
) -> Option<HighlightConfiguration> {
    let queries::Queries { colours, embedded, locals } = queries;
    let mut rules = HighlightConfiguration::new(grammar, name, colours, embedded, locals).ok()?;
    rules.configure(&NAMES.map(|(name, _)| name));
    Some(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(text: &str, language: Language) -> Vec<(&str, Colour)> {
        let spans = colours(text, language, &AtomicUsize::new(0)).unwrap();
        spans.into_iter().map(|span| (&text[span.range], span.colour)).collect()
    }

    #[test]
    fn words_have_the_colours_of_their_kinds() {
        let spans = coloured("// a door\nfn open(x: u8) -> &str { \"wide\" }\n", Language::Rust);
        for expected in [
            ("// a door", Colour::Comment),
            ("fn", Colour::Keyword),
            ("open", Colour::Function),
            ("u8", Colour::Type),
            ("\"wide\"", Colour::String),
        ] {
            assert!(spans.contains(&expected), "{expected:?} in {spans:?}");
        }
    }

    #[test]
    fn typescript_has_the_colours_of_javascript() {
        let spans = coloured("const door: Door = open(1); // x\n", Language::TypeScript);
        for expected in [
            ("const", Colour::Keyword),
            ("Door", Colour::Type),
            ("open", Colour::Function),
            ("1", Colour::Constant),
            ("// x", Colour::Comment),
        ] {
            assert!(spans.contains(&expected), "{expected:?} in {spans:?}");
        }
    }

    #[test]
    fn code_in_a_text_has_colours() {
        let spans = coloured("# Door\n\n```rust\nfn open() {}\n```\n", Language::Markdown);
        assert!(spans.contains(&("fn", Colour::Keyword)), "{spans:?}");
        assert!(
            spans.iter().any(|(text, colour)| text.contains("Door") && *colour == Colour::Heading),
            "{spans:?}"
        );
    }

    #[test]
    fn every_grammar_fits_its_queries() {
        for language in Language::iter() {
            assert!(rules_of(language).is_some(), "{language}");
        }
        assert!(embedded(queries::MARKDOWN_INLINE, "").is_some());
    }

    #[test]
    fn spans_are_in_order_and_within_the_text() {
        let text = "x = \"é\u{1f6aa}\" # ü\r\nprint(f'{x}')\r\n";
        let mut end = 0;
        for span in colours(text, Language::Python, &AtomicUsize::new(0)).unwrap() {
            assert!(span.range.start >= end && text.get(span.range.clone()).is_some(), "{span:?}");
            end = span.range.end;
        }
    }

    #[test]
    fn a_text_beyond_a_limit_has_no_colours() {
        let long = "x = 1\n".repeat(MAX_COLOURED_SIZE / 6 + 1);
        let stop = AtomicUsize::new(0);
        assert!(matches!(colours(&long, Language::Python, &stop), Err(NoSyntax::TooLarge { .. })));
        let deep = (0..500).map(|depth| " ".repeat(depth) + "if x:\n").collect::<String>();
        assert_eq!(colours(&deep, Language::Python, &stop), Err(NoSyntax::TooDeep));
        let slow = "fn open() {}\n".repeat(10_000);
        assert_eq!(colours(&slow, Language::Rust, &AtomicUsize::new(1)), Err(NoSyntax::TooSlow));
    }
}
