//! Encodings that texts declare for themselves: in a comment (PEP 263), an XML declaration, a `meta` element of HTML,
//! or an `@charset` rule of CSS.

use super::{Encoding, Format};

/// Number of characters at the start of a text that may contain a declaration.
const WINDOW: usize = 1024;

/// Labels of ISO 8859-1, without `-` and `_`. On the web they stand for windows-1252, elsewhere they do not.
const LATIN1: [&str; 5] = ["latin1", "iso88591", "l1", "cp819", "ibm819"];

/// Returns `true` if a text declares the encoding that was guessed for it, and `added` encodes to the same bytes
/// under both. Then the guess is no longer one.
///
/// ```
/// use editd_text::{Encoding, Format, declares};
///
/// let encoding = Encoding::from_label("windows-1252").unwrap();
/// let format = Format { encoding, bom: false, guessed: true };
/// assert!(declares("# -*- coding: latin-1 -*-\nx = 'é'\n", format, "ï"));
/// assert!(!declares("# -*- coding: latin-1 -*-\nx = 'é'\n", format, "€"));
/// assert!(declares("<meta charset=iso-8859-1>", format, "€"));
/// assert!(!declares("# coding: koi8-r\n", format, "ï"));
/// ```
pub fn declares(text: &str, format: Format, added: &str) -> bool {
    let end = text.char_indices().nth(WINDOW).map_or(text.len(), |(at, _)| at);
    let start = &text[..end];
    let of_web = in_css(start).or_else(|| in_html(start));
    let Some((label, is_web)) = of_web
        .map(|label| (label, true))
        .or_else(|| Some((in_xml(start).or_else(|| in_comment(start))?, false)))
    else {
        return false;
    };
    let bare: String =
        label.chars().filter(|sign| !matches!(sign, '-' | '_')).collect::<String>().to_lowercase();
    let labels = [label.to_owned(), label.replace('_', "-"), bare.clone()];
    let declared = labels.iter().find_map(|label| Encoding::from_label(label));
    if declared != Some(format.encoding) {
        return false;
    }
    if is_web {
        return true;
    }
    if LATIN1.contains(&bare.as_str()) {
        return added.chars().all(|sign| sign.is_ascii() || ('\u{a0}'..='\u{ff}').contains(&sign));
    }
    // Other labels may stand for a smaller encoding than on the web, such as `gb2312`.
    let name = format.encoding.name().replace('-', "");
    bare == name || name.strip_prefix("windows").is_some_and(|number| bare.strip_prefix("cp") == Some(number))
}

/// Returns the label in a comment in the first two lines: `coding:` or `coding=`, and the label.
fn in_comment(text: &str) -> Option<&str> {
    let lines =
        text.lines().take(2).take_while(|line| line.trim().is_empty() || line.trim().starts_with('#'));
    lines.filter_map(|line| line.split_once("coding")).find_map(|(_, rest)| {
        let rest = rest.strip_prefix([':', '='])?.trim_start();
        label(rest)
    })
}

fn in_xml(text: &str) -> Option<&str> {
    let declaration = text.strip_prefix("<?xml")?.split_once("?>")?.0;
    let (_, rest) = declaration.split_once("encoding")?;
    label(rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']))
}

fn in_html(text: &str) -> Option<&str> {
    // ASCII letters keep their length.
    let lower = text.to_ascii_lowercase();
    lower.match_indices("<meta").find_map(|(at, _)| {
        let tag = &lower[at..at + lower[at..].find('>')?];
        let charset = at + tag.find("charset")? + "charset".len();
        let value = text[charset..].trim_start().strip_prefix('=')?.trim_start();
        label(value.trim_start_matches(['"', '\'']))
    })
}

fn in_css(text: &str) -> Option<&str> {
    label(text.strip_prefix("@charset \"")?)
}

/// Returns the label at the start of a text.
fn label(text: &str) -> Option<&str> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.' | ':');
    let end = text.find(|sign| !is_part(sign)).unwrap_or(text.len());
    Some(&text[..end]).filter(|label| !label.is_empty())
}
