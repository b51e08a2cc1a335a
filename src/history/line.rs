use std::io;

use serde::{Deserialize, Serialize};

use super::record::EntryRecord;

/// Start of every line; a checksum of the rest follows.
const BEFORE_SUM: &[u8] = b"{\"sum\":\"";
const AFTER_SUM: &[u8] = b"\",";
/// Length of a checksum, in hexadecimal digits.
const SUM: usize = 16;

/// A line of a segment. `E` is the part of an entry to parse.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line<E = EntryRecord> {
    /// A transaction that is about to happen.
    Entry(E),
    /// A transaction that has happened, to all of its files or to the given ones.
    Landed {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<Vec<usize>>,
    },
    /// A transaction that has not happened.
    Failed { id: String },
}

impl<E: Serialize> Line<E> {
    /// Serializes the line with its newline: a JSON object with the checksum as its first member.
    pub(super) fn print(&self) -> io::Result<Vec<u8>> {
        let mut line = [BEFORE_SUM, &[b'0'; SUM], AFTER_SUM].concat();
        let start = line.len();
        serde_json::to_writer(&mut line, self)?;
        // Drop the opening brace: the object is already open.
        line.remove(start);
        let sum = checksum(&line[start..]);
        line[BEFORE_SUM.len()..BEFORE_SUM.len() + SUM].copy_from_slice(&sum);
        line.push(b'\n');
        Ok(line)
    }
}

impl<E: for<'de> Deserialize<'de>> Line<E> {
    /// Parses a line, with or without its newline. Returns `None` if it is damaged.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let (sum, rest) = line.strip_prefix(BEFORE_SUM)?.split_at_checked(SUM)?;
        let rest = rest.strip_prefix(AFTER_SUM)?;
        if sum != checksum(rest) {
            return None;
        }
        serde_json::from_slice(&[b"{", rest].concat()).ok()
    }
}

fn checksum(rest: &[u8]) -> [u8; SUM] {
    let mut sum = [0; SUM];
    let hex = blake3::hash(rest).to_hex();
    sum.copy_from_slice(&hex.as_bytes()[..SUM]);
    sum
}
