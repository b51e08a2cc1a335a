//! Entries of data, styles and prose: keys, tables, rules, sections.

use std::ops::Range;

use editd_syntax::Language;
use serde_json::json;

use super::super::plain::indent;
use super::super::rng::Rng;
use super::certain::{after_move, departures, is_clean};
use super::texts::{self, Text};
use super::{Case, Tree, joined};

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) whole: Range<usize>,
}

/// A file that consists of entries with equally many blank lines between them.
pub(super) struct Entries {
    pub(super) text: &'static Text,
    pub(super) all: Vec<Entry>,
    pub(super) gap: usize,
}

/// Draws a file whose top level is a list of entries, as far as its layout shows.
pub(super) fn entries(rng: &mut Rng, languages: &[Language]) -> Option<Entries> {
    let text = texts::text(rng, languages)?;
    let heads = heads(text)?;
    let mut all = Vec::new();
    for (number, (line, name)) in heads.iter().enumerate() {
        let end = heads.get(number + 1).map_or(text.lines.len(), |(next, _)| *next);
        let end = *line + text.lines[*line..end].iter().rposition(|line| !line.trim().is_empty())? + 1;
        all.push(Entry { name: name.clone(), whole: *line..end });
    }
    let gaps: Vec<usize> = all.windows(2).map(|two| two[1].whole.start - two[0].whole.end).collect();
    let gap = *gaps.first()?;
    let is_unique =
        |entry: &Entry| all.iter().filter(|other| other.name.eq_ignore_ascii_case(&entry.name)).count() == 1;
    let first = all[0].whole.start;
    let before = text.lines[..first].iter().rev().take_while(|line| line.trim().is_empty()).count();
    let is_certain = all.len() > 2
        && gaps.iter().all(|other| *other == gap)
        && all.iter().all(is_unique)
        && (first == 0 || before == gap)
        && all.last()?.whole.end == text.lines.len()
        && is_clean(&text.lines);
    is_certain.then_some(Entries { text, all, gap })
}

/// Returns the first lines of all entries with their names, or `None` if anything else is at the top level.
fn heads(text: &Text) -> Option<Vec<(usize, String)>> {
    let plain = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_- ".contains(c))
            && !name.starts_with(' ')
    };
    let lines = text.strs();
    let mut found: Vec<(usize, String)> = Vec::new();
    match text.language {
        Language::Css => {
            let mut at = 0;
            while at < lines.len() {
                let line = lines[at];
                if line.trim().is_empty() {
                    at += 1;
                    continue;
                }
                let name = line.strip_suffix(" {")?;
                let simple = name.trim_start_matches(['.', '#']);
                let end = at + lines[at..].iter().position(|line| *line == "}")?;
                let is_flat = lines[at + 1..end].iter().all(|line| {
                    line.is_empty() || line.starts_with([' ', '\t']) && !line.contains(['{', '}'])
                });
                if !plain(simple) || simple.contains(' ') || !is_flat || end == at + 1 {
                    return None;
                }
                found.push((at, name.to_owned()));
                at = end + 1;
            }
        }
        Language::Toml => {
            for (at, line) in lines.iter().enumerate() {
                if line.contains("\"\"\"")
                    || line.contains("'''")
                    || line.starts_with('#')
                    || line.starts_with("[[")
                {
                    return None;
                }
                if let Some(name) = line.strip_prefix('[') {
                    let name = name.strip_suffix(']')?;
                    if !plain(name) || name.contains(' ') {
                        return None;
                    }
                    found.push((at, name.to_owned()));
                }
            }
        }
        Language::Yaml => {
            for (at, line) in lines.iter().enumerate() {
                let trimmed = line.trim();
                if trimmed.starts_with('#')
                    || trimmed.ends_with(['|', '>', '-', '+'])
                    || trimmed.contains(['&', '\t', '"', '\'']) && trimmed.contains(": &")
                {
                    return None;
                }
                let is_inner = line.is_empty() || line.starts_with([' ', '-']) && !line.starts_with("---");
                if is_inner {
                    continue;
                }
                let (name, rest) = line.split_once(':')?;
                if !plain(name) || name.contains(' ') || !(rest.is_empty() || rest.starts_with(' ')) {
                    return None;
                }
                found.push((at, name.to_owned()));
            }
            found.first().filter(|(at, _)| *at == 0)?;
        }
        Language::Markdown => {
            // Sections of the second level, without any other above them but the title.
            for (at, line) in lines.iter().enumerate() {
                let is_odd = line.starts_with("```")
                    || line.starts_with("~~~")
                    || line.starts_with("===")
                    || line.starts_with("---")
                    || line.contains('<');
                if is_odd || line.starts_with("# ") && at > 0 {
                    return None;
                }
                if let Some(name) = line.strip_prefix("## ") {
                    if !plain(name) || name.ends_with(' ') {
                        return None;
                    }
                    found.push((at, name.to_owned()));
                }
            }
        }
        _ => return None,
    }
    Some(found)
}

const LANGUAGES: [Language; 4] = [Language::Css, Language::Toml, Language::Yaml, Language::Markdown];

fn reference(rng: &mut Rng, entry: &Entry) -> String {
    // A name that contains a dot is tried literally first.
    if rng.percent(50) && !entry.name.contains(['.', '#']) {
        format!("{}@{}", entry.name, entry.whole.start + 1)
    } else {
        entry.name.clone()
    }
}

/// Moves or copies an entry beside another one.
pub(super) fn entry_moved(rng: &mut Rng) -> Option<Case> {
    let entries = entries(rng, &LANGUAGES)?;
    let (one, other) = (rng.below(entries.all.len()), rng.below(entries.all.len()));
    let after = rng.percent(50);
    let stays = one == other || if after { one == other + 1 } else { one + 1 == other };
    if stays {
        return None;
    }
    let (moved, target) = (&entries.all[one], &entries.all[other]);
    let lines = entries.text.lines[moved.whole.clone()].to_vec();
    let blank = vec![String::new(); entries.gap];
    let (at, new) = if after {
        (target.whole.end, [blank, lines].concat())
    } else {
        (target.whole.start, [lines, blank].concat())
    };
    let results = after_move(&entries.text.lines, &[departures(&entries.text.lines, &moved.whole)], at, &new);
    let place = if after { "afterSymbol" } else { "beforeSymbol" };
    let to = json!({ place: reference(rng, target) });
    let request = json!({ "path": entries.text.name("one"), "edits": [{ "move": { "symbol": reference(rng, moved) }, "to": to }] });
    Case::one(entries.text, request, &results).map(|case| case.in_any_ending(rng))
}

/// Copies an entry to the end of another file of the same form, which may be a copy without it.
pub(super) fn entry_copied_to_file(rng: &mut Rng) -> Option<Case> {
    let language = *rng.pick(&LANGUAGES);
    let one = entries(rng, &[language])?;
    let number = rng.below(one.all.len());
    let moved = &one.all[number];
    let (two, gap) = if rng.percent(50) {
        let two = entries(rng, &[language])?;
        let is_taken = two.all.iter().any(|other| other.name.eq_ignore_ascii_case(&moved.name));
        // Levels become those of the target.
        let same_unit = one.text.unit.is_some() && one.text.unit == two.text.unit;
        (!is_taken && same_unit).then(|| (two.text.lines.clone(), two.gap))?
    } else {
        let departure = departures(&one.text.lines, &moved.whole).swap_remove(usize::from(number > 0));
        (after_move(&one.text.lines, &[vec![departure]], one.text.lines.len() + 1, &[]).pop()?, one.gap)
    };
    let new = one.text.lines[moved.whole.clone()].to_vec();
    let result = [two.clone(), vec![String::new(); gap], new].concat();
    let names = [one.text.name("one"), one.text.name("two")];
    let tree = |two: &[String]| {
        Tree::from([(names[0].clone(), joined(&one.text.lines)), (names[1].clone(), joined(two))])
    };
    let part = json!({ "symbol": reference(rng, moved) });
    let request = json!({ "path": names[0], "edits": [{ "copy": part, "to": { "path": names[1] } }] });
    Case::of(tree(&two), request, vec![tree(&result)])
}

/// Draws a JSON file that is one object with a member on each line at the first level.
pub(super) fn json(rng: &mut Rng) -> Option<&'static Text> {
    let text = texts::text(rng, &[Language::Json])?;
    let unit = text.unit.as_deref()?;
    let braces = text.lines.first()? == "{" && text.lines.last()? == "}";
    let is_plain = |line: &String| {
        !line.is_empty() && indent(line).replace(unit, "").is_empty() && !line.contains("//")
            || line.contains("://")
    };
    (braces && text.lines.len() > 4 && text.lines.iter().all(is_plain)).then_some(text)
}

/// A member of an object, without its comma.
struct Member {
    key: String,
    whole: Range<usize>,
    parent: usize,
}

/// Returns the members of all objects that span lines, each with the line that opens its object.
fn members(text: &Text) -> Option<Vec<Member>> {
    let mut found: Vec<Member> = Vec::new();
    for (at, line) in text.lines.iter().enumerate().skip(1) {
        let trimmed = line.trim_end_matches(',').trim();
        let Some(rest) = trimmed.strip_prefix('"') else { continue };
        let Some((key, value)) = rest.split_once("\": ") else { continue };
        let depth = indent(line);
        let opens = value == "{" || value == "[";
        if !opens && value.ends_with(['{', '[', ',']) {
            return None;
        }
        let size = if opens {
            2 + text.lines[at + 1..].iter().position(|line| indent(line).len() <= depth.len())?
        } else {
            1
        };
        let parent = (0..at).rev().find(|line| text.depth(*line).len() < depth.len())?;
        // Sequences are not entered.
        let is_entered = parent == 0 || found.iter().any(|member| member.whole.start == parent);
        if !text.lines[parent].trim_end().ends_with('{') || key.contains('\\') || !is_entered {
            continue;
        }
        found.push(Member { key: key.to_owned(), whole: at..at + size, parent });
    }
    Some(found)
}

/// Returns the lines of a member with or without a comma.
fn with_comma(lines: &[String], comma: bool) -> Vec<String> {
    let mut lines = lines.to_vec();
    if let Some(last) = lines.last_mut() {
        let bare = last.trim_end_matches(',').to_owned();
        *last = if comma { bare + "," } else { bare };
    }
    lines
}

/// Moves a member beside another one of the same object, or of any.
fn member_moved(rng: &mut Rng, of_any: bool) -> Option<Case> {
    let text = json(rng)?;
    let all = members(text)?;
    let (one, target) = (rng.any(&all)?, rng.any(&all)?);
    let same = one.parent == target.parent;
    let apart = one.whole.end <= target.whole.start || target.whole.end <= one.whole.start;
    let siblings = all.iter().filter(|other| other.parent == one.parent).count();
    let plain =
        |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let is_clash = !same && all.iter().any(|other| other.parent == target.parent && other.key == one.key);
    if same == of_any
        || !apart
        || siblings < 2
        || !plain(&one.key)
        || !plain(&target.key)
        || is_clash
        || one.whole.len() > 60
    {
        return None;
    }
    let after = rng.percent(50);
    let stays = if after { target.whole.end == one.whole.start } else { one.whole.end == target.whole.start };
    if stays && same {
        return None;
    }
    // All members are rebuilt with commas: each has one except the last of its object.
    let (own, depth) = (text.depth(one.whole.start), text.depth(target.whole.start));
    let lines: Option<Vec<String>> = text.lines[one.whole.clone()]
        .iter()
        .map(|line| line.strip_prefix(own).map(|rest| format!("{depth}{rest}")))
        .collect();
    let has_comma = |member: &Member| text.lines[member.whole.end - 1].ends_with(',');
    let at = if after { target.whole.end } else { target.whole.start };
    let new = with_comma(&lines?, !after || has_comma(target));
    let mut changed = text.lines.clone();
    let set = |changed: &mut Vec<String>, member: &Member, comma: bool| {
        let line = &mut changed[member.whole.end - 1];
        let bare = line.trim_end_matches(',').to_owned();
        *line = if comma { bare + "," } else { bare };
    };
    if after && !has_comma(target) {
        set(&mut changed, target, true);
    }
    if !has_comma(one) {
        // The member before it becomes the last one.
        let before =
            all.iter().find(|other| other.parent == one.parent && other.whole.end == one.whole.start)?;
        set(&mut changed, before, false);
    }
    let results = after_move(&changed, &[vec![one.whole.clone()]], at, &new);
    let place = if after { "afterSymbol" } else { "beforeSymbol" };
    let to = json!({ place: format!("{}@{}", target.key, target.whole.start + 1) });
    let request = json!({
        "path": text.name("one"),
        "edits": [{ "move": { "symbol": format!("{}@{}", one.key, one.whole.start + 1) }, "to": to }],
    });
    Case::one(text, request, &results)
}

pub(super) fn key_moved(rng: &mut Rng) -> Option<Case> {
    member_moved(rng, false)
}

pub(super) fn key_moved_to_level(rng: &mut Rng) -> Option<Case> {
    member_moved(rng, true)
}
