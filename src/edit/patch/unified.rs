//! Parses unified diffs: the output of `diff -u` and `git diff`, and the variants that models print.

mod hunk;
mod path;
mod stamp;

use super::body::{self, ParsedHunk};
use super::source::{Source, fence};
use super::{FilePatch, PatchChange, PatchError, PatchFormat, PatchHunk, leftover};
use hunk::DiffHunk;
use path::Names;

const HUNK: &str = "a hunk: `@@ -1,3 +1,4 @@`, then lines that begin with ` `, `-` or `+`";
const FILES: &str = "`--- path` and `+++ path` before the first hunk";

/// Returns `true` if a line can only belong to this format.
pub(super) fn begins(source: &Source<'_>, index: usize) -> bool {
    let line = source.line(index);
    line.starts_with("diff --git ") || names_two(source, index) || body::hunk_header(line).is_some()
}

pub(super) fn parse(source: &Source<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let mut parser = Parser { source, at: 0, fence: None };
    let (mut files, mut reached) = (Vec::new(), 0);
    while let Some(line) = source.get(parser.at) {
        let at = parser.at;
        if line.starts_with("diff --git ") || names_two(source, at) {
            leftover::check(source, reached..at, !files.is_empty(), PatchFormat::UnifiedDiff)?;
            files.push(parser.section()?);
            reached = parser.at;
            continue;
        }
        let begins_hunk =
            |line: &str| line.strip_prefix("@@").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        if begins_hunk(line) || line.starts_with("--- ") && begins_hunk(source.line(at + 1)) {
            return Err(PatchError::at(at, FILES));
        }
        parser.fence = match (parser.fence, fence(line)) {
            (None, Some((sign, length, _))) => Some((sign, length)),
            (Some(_), Some((_, _, ""))) => None,
            (open, _) => open,
        };
        parser.at += 1;
    }
    if files.is_empty() {
        return Err(PatchError::at(0, FILES));
    }
    leftover::check(source, reached..source.len(), true, PatchFormat::UnifiedDiff)?;
    Ok(files)
}

/// Returns `true` if a line and the next one name the old and the new file.
fn names_two(source: &Source<'_>, index: usize) -> bool {
    source.line(index).starts_with("--- ") && source.line(index + 1).starts_with("+++ ")
}

/// The character of a Markdown fence, and its length.
type Fence = (char, usize);

struct Parser<'a> {
    source: &'a Source<'a>,
    at: usize,
    /// Markdown fence around the patch.
    fence: Option<Fence>,
}

/// Extended headers that git prints for a file.
#[derive(Default)]
struct Headers {
    created: bool,
    executable: bool,
    deleted: bool,
    from: Option<String>,
    to: Option<String>,
}

impl Parser<'_> {
    /// Parses one file: names, then hunks.
    fn section(&mut self) -> Result<FilePatch, PatchError> {
        let first = self.at;
        let mut names = Names::default();
        let mut headers = Headers::default();
        if let Some(both) = self.source.line(first).strip_prefix("diff --git ") {
            names.set_git(both);
            self.at += 1;
            headers = self.headers()?;
        }
        if names_two(self.source, self.at) {
            names.old = Some(path::parse_header(self.source.line(self.at), self.at)?.0);
            let (new, is_missing) = path::parse_header(self.source.line(self.at + 1), self.at + 1)?;
            (names.new, names.new_is_missing) = (Some(new), is_missing);
            self.at += 2;
        }
        let mut parsed = Vec::new();
        while self.source.line(self.at).starts_with("@@") {
            parsed.push(self.hunk(&names, &headers)?);
        }
        let line = first + 1;
        if let (Some(from), Some(to)) = (headers.from, headers.to) {
            return Ok(FilePatch {
                path: from,
                tag: None,
                line,
                change: body::change(parsed, Some(to), false)?,
            });
        }
        let created = headers.created || names.is_new();
        let deleted =
            headers.deleted || names.is_deleted() || names.new_is_missing && leaves_nothing(&parsed);
        let Some(path) = names.path().filter(|_| !(created && deleted)) else {
            return Err(PatchError::at(first, "the path of a file in `--- path` or `+++ path`"));
        };
        let change = if created {
            PatchChange::Create { content: content(parsed)?, executable: headers.executable }
        } else if deleted {
            PatchChange::Delete { hunks: body::hunks(parsed)? }
        } else if parsed.is_empty() {
            return Err(PatchError::at(self.at.min(self.source.last()), HUNK));
        } else {
            body::change(parsed, None, true)?
        };
        Ok(FilePatch { path, tag: None, line, change })
    }

    fn headers(&mut self) -> Result<Headers, PatchError> {
        const NEW: &str =
            "`new file mode 100644` or `100755`, because symbolic links and submodules cannot be created";
        const MODES: &str = "text changes only, because the modes of existing files cannot be changed";
        const COPIES: &str = "a new file with all its lines, because copies are not supported";
        const BINARY: &str = "text changes only, because binary files cannot be patched";
        const REFUSED: [(&str, &str); 6] = [
            ("old mode ", MODES),
            ("new mode ", MODES),
            ("copy from ", COPIES),
            ("copy to ", COPIES),
            ("GIT binary patch", BINARY),
            ("Binary files ", BINARY),
        ];
        const IGNORED: [&str; 3] = ["similarity index ", "dissimilarity index ", "index "];
        let mut headers = Headers::default();
        while let Some(line) = self.source.get(self.at).map(str::trim_end) {
            let value = |name: &str| line.strip_prefix(name).map(str::trim);
            if let Some((_, expected)) = REFUSED.iter().find(|(name, _)| line.starts_with(name)) {
                return Err(PatchError::at(self.at, *expected));
            } else if let Some(mode) = value("new file mode ") {
                (headers.created, headers.executable) = (true, mode == "100755");
                if mode != "100644" && !headers.executable {
                    return Err(PatchError::at(self.at, NEW));
                }
            } else if let Some(from) = value("rename from ") {
                headers.from = Some(path::parse_name(from, self.at)?);
            } else if let Some(to) = value("rename to ") {
                headers.to = Some(path::parse_name(to, self.at)?);
            } else if line.starts_with("deleted file mode ") {
                headers.deleted = true;
            } else if !IGNORED.iter().any(|name| line.starts_with(name)) {
                break;
            }
            self.at += 1;
        }
        if headers.from.is_some() != headers.to.is_some() {
            return Err(PatchError::at(self.at.min(self.source.last()), "`rename from` and `rename to`"));
        }
        Ok(headers)
    }

    fn hunk(&mut self, names: &Names, headers: &Headers) -> Result<ParsedHunk, PatchError> {
        let hunk = DiffHunk::new(self.source, self.at, self.fence)?;
        if names.is_new() || headers.created {
            hunk.all_are(body::Mark::Added, "a line of the new file, which begins with `+`")?;
        } else if names.is_deleted() || headers.deleted {
            hunk.all_are(body::Mark::Removed, "a line of the deleted file, which begins with `-`")?;
        }
        leftover::check(self.source, hunk.text_end..hunk.end, true, PatchFormat::UnifiedDiff)?;
        self.at = hunk.end;
        hunk.into_hunk()
    }
}

/// Returns `true` if hunks leave no line of their file.
fn leaves_nothing(parsed: &[ParsedHunk]) -> bool {
    let is_removal = |hunk: &ParsedHunk| matches!(hunk, ParsedHunk::Hunk(hunk) if hunk.edit.new.is_empty());
    !parsed.is_empty() && parsed.iter().all(is_removal)
}

/// Returns the content of a new file.
fn content(parsed: Vec<ParsedHunk>) -> Result<String, PatchError> {
    let mut content = String::new();
    for hunk in parsed {
        match hunk {
            ParsedHunk::Fill { content: more, .. } => content.push_str(&more),
            ParsedHunk::Hunk(PatchHunk { line, .. }) => {
                return Err(PatchError { line, expected: "only added lines in a new file".to_owned() });
            }
        }
    }
    Ok(content)
}
