use std::fmt::Write as _;

use crate::mcp::answer::Answer;
use crate::mcp::readable::in_one_line;
use crate::mcp::served::advice;
use crate::mcp::size::{LIST, keep_fitting};
use editd_protocol::{
    Entries, EntryKind, FileCount, Find, FindParams, FoundEntry, FoundLine, FoundSymbol, List, ListParams,
    Search, SearchParams, SearchResult, json_len,
};
use editd_workspace::limits::ENTRIES_MOST;

use super::arguments::schema;
use super::read::write_symbol;
use super::{AnswerOptions, Request, Tool};

/// Size of a line without its text, in bytes.
const NUMBER: usize = 10;

pub(super) static TOOLS: [Tool; 3] = [
    Tool {
        name: "search",
        title: "Search in files",
        description: "Search the text of files by regular expression, line by line, unsaved editor text included. Skips \
            ignored files (.gitignore), binary files and version-control data. At most `limit` matches and 32,000 \
            bytes, by path; lines are cut at 2,000 characters. The last line says if there are more: narrow it by \
            `path` or `glob`. The printed lines may be changed, at `path#tag`, without a read.",
        instead: &[("find", "To find files by name use `find`.")],
        changes: false,
        schema: schema::<SearchParams>,
        accepted: schema::<SearchParams>,
        request: |params| Request::new::<Search>(params, found_lines),
    },
    Tool {
        name: "find",
        title: "Find files",
        description: "Find files and folders by a glob over their paths, or the declarations of a `symbol`, in all roots or \
            one folder. Includes hidden entries, not ignored ones (.gitignore). At most `limit` and 32,000 bytes, \
            sorted; the last line says if there are more.",
        instead: &[
            ("search", "To search file contents use `search`."),
            ("list", "To see one folder use `list`."),
        ],
        changes: false,
        schema: schema::<FindParams>,
        accepted: schema::<FindParams>,
        request: |params| {
            let answer = if params.contains_key("symbol") { found_symbols } else { found_entries };
            Request::new::<Find>(params, answer)
        },
    },
    Tool {
        name: "list",
        title: "List a folder",
        description: "List one folder, not recursively. Includes hidden entries, not ignored ones (.gitignore); folders end \
            in `/`. At most `limit` and 32,000 bytes, sorted; the last line says if there are more.",
        instead: &[("find", "For nested folders use `find`.")],
        changes: false,
        schema: schema::<ListParams>,
        accepted: schema::<ListParams>,
        request: |mut params| {
            // The omitted entries are counted here, so all entries are needed.
            params.entry("limit").or_insert_with(|| ENTRIES_MOST.into());
            Request::new::<List>(params, found_entries)
        },
    },
];

/// Number of found lines from which an answer states it.
const COUNTED: usize = 5;

fn found_lines(mut result: SearchResult, _: AnswerOptions<'_>) -> Answer {
    if !result.counts.is_empty() {
        return Answer { text: counts_of(result), ..Answer::default() };
    }
    fit(&mut result);
    Answer { text: text_of(&result), ..Answer::default() }
}

/// Formats the number of matches of each file, and of all of them.
fn counts_of(SearchResult { mut counts, truncated, notice, .. }: SearchResult) -> String {
    let (files, matches) = (counts.len(), counts.iter().map(|file| file.count).sum::<u64>());
    let left_out = keep_fitting(&mut counts, LIST, |file| json_len(&file.path) + NUMBER);
    let mut text = String::new();
    for FileCount { path, count, .. } in &counts {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{count} {}", in_one_line(path));
    }
    if left_out > 0 {
        let _ = writeln!(text, "… {left_out} more files");
    }
    let all = if truncated { "at least " } else { "" };
    let (s, es) = (if files == 1 { "" } else { "s" }, if matches == 1 { "" } else { "es" });
    let _ = writeln!(text, "\n{all}{matches} match{es} in {files} file{s}");
    if let Some(notice) = notice {
        let _ = writeln!(text, "{notice}");
    }
    text
}

/// Reduces the matches to the maximum size of an answer.
fn fit(result: &mut SearchResult) {
    let mut notices = Vec::new();
    if let Some(first) = result.matches.first_mut()
        && first.size(&first.path) > LIST
    {
        (first.before, first.after) = (Vec::new(), Vec::new());
        notices.push("The lines around the first match are too long for one answer.".to_owned());
    }
    let left_out = keep_fitting(&mut result.matches, LIST, |found| found.size(&found.path));
    if left_out > 0 {
        let more = if result.truncated { "and there are still more" } else { "and that is all" };
        notices.push(format!(
            "One answer has no room for {left_out} more matches, {more}: narrow `pattern`, `path` or `glob`, or ask for less `context`."
        ));
        // The daemon's notice refers to the number of found matches, which is no longer correct.
        result.notice = result.notice.take().filter(|_| !result.truncated);
        result.truncated = true;
    }
    notices.extend(result.notice.take());
    result.notice = (!notices.is_empty()).then(|| notices.join(" "));
}

/// Formats the lines of each file under its path, each line once, as `ripgrep` does.
fn text_of(result: &SearchResult) -> String {
    let (mut text, parted) = (String::new(), result.has_context());
    for (index, (FoundLine { path, tag, .. }, lines)) in result.by_file().into_iter().enumerate() {
        let tag = tag.as_ref().map(|tag| format!("#{tag}")).unwrap_or_default();
        let separator = if index == 0 { "" } else { "\n" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{separator}{}{tag}", in_one_line(path));
        let mut previous = None;
        for (number, (is_match, line)) in lines {
            let is_gap = previous.replace(number).is_some_and(|previous| previous + 1 < number);
            if parted && is_gap {
                text.push_str("--\n");
            }
            let mark = if is_match { ':' } else { '-' };
            let _ = writeln!(text, "{number}{mark} {line}");
        }
    }
    let files = result.by_file().len();
    match result.matches.len() {
        0 => text.push_str("No matches.\n"),
        lines if lines >= COUNTED && !result.truncated => {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{lines} lines in {files} file{}", if files == 1 { "" } else { "s" });
        }
        _ => {}
    }
    let more = (result.truncated && result.notice.is_none()).then_some("There are more matches.");
    if let Some(notice) = result.notice.as_deref().or(more) {
        let _ = writeln!(text, "\n{notice}");
    }
    text
}

fn found_entries(result: Entries, options: AnswerOptions<'_>) -> Answer {
    let Entries { mut entries, truncated, notice, .. } = result;
    let left_out = keep_fitting(&mut entries, LIST, |entry| json_len(&line_of(entry)));
    let no_room = (left_out > 0).then(|| {
        let all = format!(
            "One answer has no room for {left_out} more; use `find` with `path` and a pattern such as `m*`, or list one of its subfolders."
        );
        advice(&all, options.served)
    });
    let more = truncated.then(|| "There are more.".to_owned());
    let mut text: String = entries.iter().map(line_of).collect();
    if entries.is_empty() {
        text.push_str("No entries.\n");
    }
    if let Some(notice) = no_room.or(notice).or(more) {
        text.extend([notice.as_str(), "\n"]);
    }
    Answer { text, ..Answer::default() }
}

/// Formats symbols under the paths of their files.
fn found_symbols(result: Entries, _: AnswerOptions<'_>) -> Answer {
    let Entries { mut symbols, truncated, notice, .. } = result;
    let size = |found: &FoundSymbol| json_len(&found.path) + json_len(&found.symbol.signature) + 2 * NUMBER;
    let left_out = keep_fitting(&mut symbols, LIST, size);
    let (mut text, mut previous) = (String::new(), None);
    for FoundSymbol { path, symbol } in &symbols {
        if previous.replace(path) != Some(path) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", in_one_line(path));
        }
        write_symbol(&mut text, symbol, 1);
    }
    if symbols.is_empty() {
        text.push_str("No declarations.\n");
    }
    let no_room = (left_out > 0).then(|| format!("One answer has no room for {left_out} more."));
    let more = truncated.then(|| "There are more.".to_owned());
    if let Some(notice) = no_room.or(notice).or(more) {
        text.extend([notice.as_str(), "\n"]);
    }
    Answer { text, ..Answer::default() }
}

fn line_of(entry: &FoundEntry) -> String {
    let path = in_one_line(&entry.path);
    if entry.kind == EntryKind::Symlink { path + " (symlink)\n" } else { path + "\n" }
}
