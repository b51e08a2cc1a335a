//! Output of `editd review`.

use std::io::Write;
use std::time::Duration;

use anstyle::Style;

use crate::cli::consent::syntax_errors;
use crate::cli::paint::{
    AUTHOR, ERROR, FAINT, GOOD, HINT, NAME, PLACE, Row, ago, fitted, one_line, visible, widest, width,
};
use crate::cli::{paint, root, stream};
use editd_edit::{Deadline, Excerpt, beginnings};
use editd_protocol::{AppliedFile, Hunk, ProposalResult, ProposalSummary};

use super::file::{CONFLICTED, diff_body};

/// Maximum number of lines of a new or deleted file that are shown.
const WHOLE: usize = 200;
/// Number of context lines before and after a hunk.
const CONTEXT: usize = 3;
/// Time to compare the words of the lines of a hunk.
const COMPARING: Duration = Duration::from_millis(200);
/// The kinds of hunks that change no content.
const PATHS: [&str; 3] = ["link", "folder", "permissions"];
/// Maximum width of a command, in columns.
const COMMAND: usize = 32;

/// Returns the state of a proposal, as people call it.
pub(super) fn state(proposal: &ProposalResult) -> String {
    match (proposal.state.as_str(), &proposal.landed) {
        ("applied", Some(_)) => "kept".to_owned(),
        ("rejected", Some(_)) => "reverted".to_owned(),
        ("partial", Some(_)) => "partly reverted".to_owned(),
        ("partial", None) => "partly applied".to_owned(),
        (state, _) => visible(state),
    }
}

/// Lists the pending proposals and the landed changes.
pub(super) fn list(proposals: &[ProposalSummary], asks: bool) -> std::io::Result<()> {
    let (mut out, width) = (stream::stdout(), width());
    match proposals.len() {
        0 => return stream::note("No proposals are pending. `editd log` lists all changes."),
        // A single proposal is shown without a list.
        1 if asks => return Ok(()),
        1 => {}
        count if proposals.iter().any(|it| it.landed.is_some()) => {
            writeln!(out, "{NAME}{count} changes wait for review:{NAME:#}")?;
        }
        count => writeln!(out, "{NAME}{count} proposals are pending, oldest first:{NAME:#}")?,
    }
    let id = proposals.iter().map(|it| it.id.len()).max().unwrap_or_default();
    let author = widest(proposals.iter().map(|it| it.author.as_str()), AUTHOR);
    for proposal in proposals {
        let mut row = Row::default();
        row.add(PLACE, format!("  {:<id$}", proposal.id));
        row.add(Style::new(), format!("  {}", fitted(&proposal.author, author)));
        row.add(FAINT, format!("  {:>6}  ", ago(&proposal.at)));
        if proposal.landed.is_some() {
            row.add(HINT, "already made  ".to_owned());
        }
        if let Some(label) = proposal.label.as_deref().filter(|label| !label.is_empty()) {
            row.add(Style::new(), format!("{}  ", label_of(label, proposal.landed.is_some())));
        }
        let paths: Vec<_> = proposal.paths.iter().map(|path| short(path)).collect();
        row.add(FAINT, paths.join(", "));
        row.add_counts(proposal.added, proposal.removed);
        row.print(&mut out, width)?;
    }
    Ok(())
}

/// Returns the label of a proposal. Commands are cut, because they may be long.
fn label_of(label: &str, is_command: bool) -> String {
    if is_command { fitted(label, widest([label].into_iter(), COMMAND)) } else { one_line(label) }
}

/// Prints the heading of a proposal: author, label, age and id.
pub(super) fn head(proposal: &ProposalResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    let mut row = Row::default();
    row.add(NAME, visible(&proposal.author));
    if let Some(label) = proposal.label.as_deref().filter(|label| !label.is_empty()) {
        row.add(Style::new(), format!(": {}", label_of(label, proposal.landed.is_some())));
    }
    if proposal.landed.is_some() {
        row.add(HINT, "  already made".to_owned());
    }
    row.add(FAINT, format!("  {} ago  ", ago(&proposal.at)));
    row.add(PLACE, proposal.id.clone());
    writeln!(out)?;
    row.print(&mut out, width())?;
    if let Some(reason) = &proposal.reason {
        writeln!(out, "{FAINT}note: {}{FAINT:#}", visible(reason))?;
    }
    for comment in &proposal.comments {
        writeln!(out, "{FAINT}earlier comment: {}{FAINT:#}", visible(&comment.text))?;
    }
    Ok(())
}

/// Prints the heading of a hunk: the file, the line ranges and the hunk's number.
pub(super) fn heading(
    out: &mut impl Write,
    (file, is_landed): (&AppliedFile, bool),
    hunk: &Hunk,
    (number, of): (usize, usize),
) -> std::io::Result<()> {
    writeln!(out)?;
    let mut row = Row::default();
    row.add(NAME, short(&file.entry.path));
    let what = match hunk.kind.as_deref() {
        Some("create") if file.entry.mode.is_some() => "  new executable file".to_owned(),
        Some("create") => "  new file".to_owned(),
        Some("delete") if is_landed => "  was deleted".to_owned(),
        Some("delete") => "  is deleted".to_owned(),
        Some("rename") => {
            let to = file.entry.new_path.as_deref().map(short).unwrap_or_default();
            format!("  is renamed to {to}")
        }
        Some("binary") => "  binary file".to_owned(),
        Some("whole") => "  changed lines".to_owned(),
        Some(kind) if PATHS.contains(&kind) => format!("  {kind}"),
        Some(_) if is_landed => "  has another encoding".to_owned(),
        Some(_) => "  gets another encoding".to_owned(),
        None => String::new(),
    };
    row.add(Style::new(), what);
    if hunk.kind.is_none() {
        let span = |start: usize, lines: usize| match lines {
            1 => start.to_string(),
            lines => format!("{start},{lines}"),
        };
        let old = span(hunk.old_start, hunk.old_lines);
        row.add(PLACE, format!("  @@ -{old} +{} @@", span(hunk.new_start, hunk.new_lines)));
    }
    row.add(FAINT, format!("  {number} of {of}"));
    row.print(out, width())?;
    if hunk.state == CONFLICTED {
        let (event, keys) = if is_landed {
            ("made", "t restores the earlier lines, y keeps these")
        } else {
            ("proposed", "t takes the author's side, n the current text")
        };
        writeln!(out, "{HINT}Changed since it was {event}:{HINT:#} {keys}.")?;
    }
    if number == 1 {
        for warning in &file.entry.warnings {
            writeln!(out, "{FAINT}note: {}{FAINT:#}", visible(warning))?;
        }
        syntax_errors(out, &file.entry.syntax, "")?;
    }
    Ok(())
}

/// Prints a hunk with its context lines.
pub(super) fn hunk(out: &mut impl Write, file: &AppliedFile, hunk: &Hunk) -> std::io::Result<()> {
    if let (Some(before), Some(after)) = (&hunk.before, &hunk.after) {
        paint::diff_body(out, &format!("-{}\n+{}\n", visible(before), visible(after)))?;
    }
    let (Some(old), Some(new)) = (&hunk.old_text, &hunk.new_text) else { return whole(out, file, hunk) };
    let (before, after) = context_of(&file.entry.diff, hunk);
    let excerpt = Excerpt::of(old, new, Deadline::after(COMPARING));
    let sides =
        [(' ', beginnings(&before)), ('-', excerpt.old), ('+', excerpt.new), (' ', beginnings(&after))];
    for (sign, lines) in sides {
        lines.iter().try_for_each(|line| paint::diff_line(out, sign, line))?;
    }
    Ok(())
}

/// Prints the text of a file that is created or deleted.
fn whole(out: &mut impl Write, file: &AppliedFile, hunk: &Hunk) -> std::io::Result<()> {
    if !matches!(hunk.kind.as_deref(), Some("create" | "delete")) {
        return Ok(());
    }
    let diff = &file.entry.diff;
    let body: Vec<&str> = diff_body(diff).collect();
    let shown: String = body.iter().take(WHOLE).copied().collect();
    paint::diff_body(out, &shown)?;
    match body.len().saturating_sub(WHOLE) {
        0 => Ok(()),
        more => writeln!(out, "{FAINT}… {more} more lines{FAINT:#}"),
    }
}

/// Returns the lines before and after a hunk, taken from the diff of the file.
fn context_of(diff: &str, hunk: &Hunk) -> (String, String) {
    // The first old line of the hunk and the line after its last. An insertion lies between two lines.
    let first = hunk.old_start + usize::from(hunk.old_lines == 0);
    let after_last = first + hunk.old_lines;
    let (mut before, mut after, mut number) = (String::new(), String::new(), 0);
    for line in diff.split_inclusive('\n') {
        if let Some(head) = line.strip_prefix("@@ -") {
            let start: usize =
                head.split([',', ' ']).next().and_then(|start| start.parse().ok()).unwrap_or_default();
            // If a hunk has no old lines, its header names the line before it.
            number = start + usize::from(head.split(' ').next().is_some_and(|it| it.ends_with(",0")));
            continue;
        }
        if number == 0 || !line.starts_with([' ', '-']) {
            continue;
        }
        if (first.saturating_sub(CONTEXT)..first).contains(&number) {
            before.push_str(&line[1..]);
        } else if (after_last..after_last + CONTEXT).contains(&number) {
            after.push_str(&line[1..]);
        }
        number += 1;
    }
    (before, after)
}

/// Returns the state of a file of a closed proposal, as people call it: that of its hunks if they were decided alike,
/// else that of the proposal.
fn file_state(file: &AppliedFile, (said, is_landed): (&str, bool)) -> String {
    let (accepted, reverted) = if is_landed { ("kept", "reverted") } else { ("applied", "rejected") };
    let all = |states: &[&str]| file.entry.hunks.iter().all(|hunk| states.contains(&hunk.state.as_str()));
    if all(&["accepted", "edited"]) {
        accepted.to_owned()
    } else if all(&["rejected"]) {
        reverted.to_owned()
    } else {
        said.to_owned()
    }
}

/// Prints the outcome of a review.
pub(super) fn outcome(proposal: &ProposalResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    writeln!(out)?;
    let said = state(proposal);
    match proposal.state.as_str() {
        "applied" if proposal.landed.is_some() => {
            return writeln!(out, "{GOOD}{said}{GOOD:#}  nothing was changed");
        }
        "rejected" if proposal.landed.is_some() => {}
        "applied" | "partial" => {}
        "rejected" => {
            writeln!(out, "{GOOD}rejected{GOOD:#}  nothing was changed")?;
            return reopen_hint(&proposal.id);
        }
        _ => {
            return writeln!(out, "{GOOD}{said}{GOOD:#}  closed by another client in the meantime");
        }
    }
    for file in proposal.files.iter().filter(|file| file.landed.is_some()) {
        let mut row = Row::default();
        row.add(GOOD, file_state(file, (&said, proposal.landed.is_some())));
        let path = file.entry.new_path.as_ref().unwrap_or(&file.entry.path);
        row.add(Style::new(), format!("  {}", short(path)));
        // Lines that the command has added are removed when they are reverted.
        match proposal.landed {
            Some(_) => row.add_counts(file.entry.removed, file.entry.added),
            None => row.add_counts(file.entry.added, file.entry.removed),
        }
        row.print(&mut out, width())?;
    }
    let has_paths = paths_outcome(&mut out, proposal)?;
    if !has_paths && proposal.files.iter().all(|file| file.landed.is_none()) {
        writeln!(out, "{GOOD}{said}{GOOD:#}  the files already had this content")?;
    }
    if proposal.state == "partial" && proposal.landed.is_none() { reopen_hint(&proposal.id) } else { Ok(()) }
}

/// Prints what has become of links, folders and permissions. Returns `true` if one was changed.
fn paths_outcome(out: &mut impl Write, proposal: &ProposalResult) -> std::io::Result<bool> {
    let is_landed = proposal.landed.is_some();
    let (accepted, rejected) = if is_landed { ("kept", "reverted") } else { ("applied", "rejected") };
    let mut has_changed = false;
    for file in &proposal.files {
        let is_path = |hunk: &&Hunk| hunk.kind.as_deref().is_some_and(|kind| PATHS.contains(&kind));
        for hunk in file.entry.hunks.iter().filter(is_path) {
            let is_accepted = hunk.state == "accepted";
            has_changed |= is_accepted != is_landed;
            let mut row = Row::default();
            row.add(GOOD, if is_accepted { accepted } else { rejected }.to_owned());
            let now = if is_accepted { &hunk.after } else { &hunk.before };
            let now = visible(now.as_deref().unwrap_or_default());
            row.add(Style::new(), format!("  {}  {now}", short(&file.entry.path)));
            row.print(out, width())?;
        }
    }
    Ok(has_changed)
}

/// Prints the command that reopens rejected hunks.
pub(super) fn reopen_hint(id: &str) -> std::io::Result<()> {
    let id = visible(id);
    writeln!(stream::stdout(), "{FAINT}`editd review --reopen {id}` reopens the rejected hunks.{FAINT:#}")
}

/// Prints why something must be decided again.
pub(super) fn problem(problem: &str) -> std::io::Result<()> {
    writeln!(stream::stdout(), "{ERROR}not recorded:{ERROR:#} {}", visible(problem))
}

fn short(path: &str) -> String {
    root::relative(path, root::of_here().ok().flatten().as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk_at(old_start: usize, old_lines: usize) -> Hunk {
        Hunk {
            id: "h1".to_owned(),
            kind: None,
            old_start,
            old_lines,
            new_start: old_start,
            new_lines: 1,
            state: "pending".to_owned(),
            old_text: None,
            new_text: None,
            before: None,
            after: None,
        }
    }

    #[test]
    fn the_lines_around_a_hunk_come_from_the_diff() {
        let diff = "--- a/x\n+++ b/x\n@@ -3,8 +3,9 @@\n 3\n 4\n 5\n-6\n+six\n 7\n-8\n 9\n+new\n 10\n";
        let around = |start, lines| context_of(diff, &hunk_at(start, lines));
        assert_eq!(around(6, 1), ("3\n4\n5\n".to_owned(), "7\n8\n9\n".to_owned()));
        assert_eq!(around(8, 1), ("5\n6\n7\n".to_owned(), "9\n10\n".to_owned()));
        assert_eq!(around(9, 0), ("7\n8\n9\n".to_owned(), "10\n".to_owned()));
        let top = "@@ -0,0 +1 @@\n+new\n";
        assert_eq!(context_of(top, &hunk_at(0, 0)).1, "");
    }
}
