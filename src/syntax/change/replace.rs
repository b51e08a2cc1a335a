//! Replaces a whole declaration.

use super::super::lines::indentation;
use super::super::symbol::{Separator, SymbolKind};
use super::super::{BadText, Language, SymbolRefusal};
use super::indent::{New, content, placed};
use super::lead::{ends_with_comment, lead};
use super::{Site, SymbolChange};
use editd_edit::Splice;

/// Words whose loss changes who can use a declaration.
const VISIBILITY: [&str; 2] = ["export ", "pub "];

pub(super) fn replace(site: &Site<'_>, new: &str) -> Result<SymbolChange, SymbolRefusal> {
    let parts = &site.symbol.parts;
    if !parts.whole_lines {
        return replace_inline(site, new);
    }
    let placed = placed(site, new, site.indentation(), New::Declaration)?;
    let mut lines = placed.lines;
    let lead = lead(lines.iter().map(String::as_str), site.grammar);
    let mut change = SymbolChange::default();
    if placed.is_uneven {
        change.warnings.push(UNEVEN.to_owned());
    }
    let end = end_of(site, &mut lines);
    let keeps_attributes = parts.head < parts.bare && !lead.has_attributes;
    let keeps_comments = parts.comments.is_some() && !lead.has_comments;
    let line_start = |at: usize| site.lines.start(site.lines.of(at));
    warn(site, &mut change, keeps_attributes, &lines[lead.comments.min(lines.len() - 1)..]);
    let start = match (keeps_attributes, keeps_comments) {
        (false, false) => site.symbol.range.start,
        (false, true) => line_start(parts.head),
        (true, _) => {
            let comments = lines.drain(..lead.comments.min(lines.len() - 1)).collect::<Vec<_>>();
            if !comments.is_empty() {
                let range = site.symbol.range.start..line_start(parts.head);
                let text = site.joined(&comments) + site.ending;
                change.splices.push(Splice { range, text });
            }
            let blanks = indentation(&lines[0]).len();
            lines[0].drain(..blanks);
            parts.bare
        }
    };
    change.splices.push(Splice { range: start..end, text: site.joined(&lines) });
    Ok(change)
}

/// Warning about lines that were not shifted.
pub(super) const UNEVEN: &str =
    "the indentation of the new text was kept, because some lines are indented less than the first one";

/// Completes the punctuation of the last line. Returns the end of the replaced bytes.
fn end_of(site: &Site<'_>, lines: &mut [String]) -> usize {
    let parts = &site.symbol.parts;
    let Some(last) = lines.last_mut() else { return parts.end };
    if let Some(trailing) = parts.trailing.as_ref().filter(|_| ends_with_comment(last, site.grammar)) {
        return trailing.end;
    }
    punctuate(site, last);
    parts.end
}

/// Removes a comma that the list already has, and adds the semicolon that a type of C needs.
fn punctuate(site: &Site<'_>, last: &mut String) {
    let symbol = site.symbol;
    if let Separator::Comma { .. } = symbol.separator {
        let bare = last.trim_end().trim_end_matches(',').len();
        last.truncate(bare);
        return;
    }
    let is_c = match site.outline.language {
        Language::C => true,
        #[cfg(feature = "all-grammars")]
        Language::Cpp => true,
        _ => false,
    };
    let is_type = matches!(symbol.kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Class);
    let had = site.text[..symbol.parts.end].ends_with(';');
    if is_c && is_type && had && last.trim_end().ends_with('}') {
        last.truncate(last.trim_end().len());
        last.push(';');
    }
}

/// Replaces a declaration that shares its lines with other code.
fn replace_inline(site: &Site<'_>, new: &str) -> Result<SymbolChange, SymbolRefusal> {
    let parts = &site.symbol.parts;
    let mut lines: Vec<String> = content(new).into_iter().map(str::to_owned).collect();
    let lead = lead(lines.iter().map(String::as_str), site.grammar);
    let Some(first) = lines.first_mut() else {
        return Err(SymbolRefusal::BadText { reason: BadText::Blank });
    };
    *first = first.trim_start().to_owned();
    let mut change = SymbolChange::default();
    let keeps_attributes = parts.head < parts.bare && !lead.has_attributes;
    warn(site, &mut change, keeps_attributes, &lines);
    if let Some(last) = lines.last_mut() {
        punctuate(site, last);
    }
    let start = if keeps_attributes { parts.bare } else { parts.head };
    change.splices.push(Splice { range: start..parts.end, text: site.joined(&lines) });
    Ok(change)
}

/// Warns about attributes that stay and about a visibility that goes.
fn warn(site: &Site<'_>, change: &mut SymbolChange, keeps_attributes: bool, declaration: &[String]) {
    let parts = &site.symbol.parts;
    if keeps_attributes {
        let kept = super::super::grammar::words(&site.text[parts.head..parts.bare]);
        change.warnings.push(format!("kept the attributes above the declaration: {kept}"));
    }
    let old = &site.text[parts.bare..parts.end.max(parts.bare)];
    let has = |word: &str| declaration.iter().any(|line| line.trim_start().starts_with(word.trim_end()));
    for word in VISIBILITY {
        if old.starts_with(word) && !has(word) {
            change.warnings.push(format!(
                "the new declaration does not begin with `{}`, the old one did",
                word.trim_end()
            ));
        }
    }
}
