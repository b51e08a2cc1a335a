use std::io;

use serde::{Deserialize, Serialize};

use super::record::EntryRecord;

/// How every line begins; a checksum of the rest follows.
const BEFORE_SUM: &[u8] = b"{\"sum\":\"";
const BEHIND_SUM: &[u8] = b"\",";
/// Hex digits of a checksum.
const SUM: usize = 16;

/// One line of a segment. `E` is what is read of an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line<E = EntryRecord> {
    /// A transaction is about to happen.
    Entry(E),
    /// It has happened: to all of its files, or to these.
    Landed {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<Vec<usize>>,
    },
    /// It has not.
    Failed { id: String },
}

impl<E: Serialize> Line<E> {
    /// The line with its end: a JSON object with the checksum as its first member.
    pub(super) fn print(&self) -> io::Result<Vec<u8>> {
        let mut line = [BEFORE_SUM, &[b'0'; SUM], BEHIND_SUM].concat();
        let start = line.len();
        serde_json::to_writer(&mut line, self)?;
        // The object goes on where it would begin.
        line.remove(start);
        let sum = checksum(&line[start..]);
        line[BEFORE_SUM.len()..BEFORE_SUM.len() + SUM].copy_from_slice(&sum);
        line.push(b'\n');
        Ok(line)
    }
}

impl<E: for<'de> Deserialize<'de>> Line<E> {
    /// Reads a line, with or without its end; nothing if it is damaged.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let (sum, rest) = line.strip_prefix(BEFORE_SUM)?.split_at_checked(SUM)?;
        let rest = rest.strip_prefix(BEHIND_SUM)?;
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
