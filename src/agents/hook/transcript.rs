//! The ends of transcripts, which name the model.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Lengths of the parts that are read one after the other, in bytes, until one contains the answer. The first part
/// usually does; a message with a long text of a file fits into the last one.
const PARTS: [u64; 3] = [32 << 10, 256 << 10, 1 << 20];

/// Returns the result of `find` for the last lines of a transcript, or `None` if the transcript cannot be read. `find`
/// receives whole lines, the newest last.
pub(super) fn find_in_end<T>(transcript: &Path, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    // A named pipe would block.
    let length = transcript.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut file = File::open(transcript).ok()?;
    for part in PARTS {
        let lines = last_lines(&mut file, length, part).ok()?;
        if let Some(found) = find(&lines) {
            return Some(found);
        }
        if part >= length {
            return None;
        }
    }
    None
}

/// Returns the lines that begin in the last `part` bytes of a file.
fn last_lines(file: &mut File, length: u64, part: u64) -> io::Result<String> {
    let start = length.saturating_sub(part);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    // The program may be adding to it.
    file.take(part).read_to_end(&mut bytes)?;
    let first = match bytes.iter().position(|&byte| byte == b'\n') {
        _ if start == 0 => 0,
        Some(end) => end + 1,
        None => bytes.len(),
    };
    Ok(String::from_utf8_lossy(&bytes[first..]).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rstest::rstest;

    use super::*;

    fn model(lines: &str) -> Option<String> {
        lines.lines().rev().find_map(|line| Some(line.strip_prefix("model ")?.to_owned()))
    }

    #[rstest]
    #[case::empty("", None)]
    #[case::one_line("model a", Some("a"))]
    #[case::the_last("model a\nmodel b\n", Some("b"))]
    #[case::far_from_the_end(&format!("model a\n{}\n", "x".repeat(500_000)), Some("a"))]
    #[case::in_the_second_part(&format!("model a\n{}\n", "x".repeat(150_000)), Some("a"))]
    #[case::too_far(&format!("model a\n{}\n", "x".repeat(2_000_000)), None)]
    #[case::cut(&format!("{} model a\nmodel b", "x\n".repeat(40_000)), Some("b"))]
    fn the_newest_line_counts(#[case] text: &str, #[case] expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("session.jsonl");
        fs::write(&transcript, text).unwrap();
        assert_eq!(find_in_end(&transcript, model).as_deref(), expected);
    }

    #[test]
    fn a_line_is_not_cut() {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("session.jsonl");
        // The first part begins within the first line, just before its second word.
        let line = format!("{}model b", "x".repeat(10));
        fs::write(&transcript, format!("{line}\n{}", "y".repeat((32 << 10) - 8))).unwrap();
        assert_eq!(find_in_end(&transcript, model), None);
    }

    #[test]
    fn a_folder_has_no_lines() {
        assert_eq!(find_in_end(Path::new("/"), model), None);
    }
}
