//! The tree of a snapshot on disk: lines that set or remove the state of a name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::history::PathRecord;
use crate::{MTime, open_private_file, read_private_file};

use super::tree::{Content, Difference, FileState, Node, Stamp, Tree};

/// Size in bytes below which the log is never written again from scratch.
const SMALL: u64 = 1 << 20;

/// The log of a tree.
#[derive(Debug)]
pub(super) struct TreeLog {
    path: PathBuf,
    file: File,
    /// Size of the log after it was written from scratch.
    base: u64,
    size: u64,
    /// The time of the last walk.
    walked: Option<MTime>,
}

/// A line of the log.
#[derive(Default, Serialize, Deserialize)]
struct Line {
    /// The path from the root. Absent in a line with a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    p: Option<PathRecord>,
    /// The state of the name; absent if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n: Option<NodeRecord>,
    /// The time of the walk that the lines before are from, in seconds and nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    t: Option<(i64, u32)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum NodeRecord {
    File(StampRecord, String),
    Link(StampRecord, PathRecord),
    /// A folder of an earlier version, without its inode number.
    Folder(u32),
    Dir(u32, u64),
    Hidden(),
}

/// Inode, size, two times in seconds and nanoseconds, mode, and `true` if the stamp proves nothing.
type StampRecord = (u64, u64, (i64, u32), (i64, u32), u32, bool);

impl TreeLog {
    /// Opens the log and reads the tree. Reading ends at the first line that is damaged.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Tree)> {
        let bytes = match read_private_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let (mut tree, mut size, mut walked) = (Tree::default(), 0, None);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(whole) = line.strip_suffix(b"\n") else { break };
            let Ok(Line { p, n, t }) = serde_json::from_slice(whole) else { break };
            let node = match n.map(NodeRecord::read) {
                Some(None) => break,
                node => node.flatten(),
            };
            if let Some(path) = p {
                tree.set(&path.read(), node);
            }
            walked = t.map(|(seconds, nanos)| MTime { seconds, nanos }).or(walked);
            size += line.len() as u64;
        }
        let file = open_private_file(path, OpenOptions::new().append(true).create(true))?;
        file.set_len(size)?;
        Ok((Self { path: path.to_owned(), file, base: size, size, walked }, tree))
    }

    /// Returns the time at which the last walk has begun.
    pub(super) fn walked(&self) -> Option<MTime> {
        self.walked
    }

    /// Records changed names, and the time of the walk that found them, if it was one. `tree` is the tree after the
    /// changes.
    pub(super) fn record(
        &mut self,
        changed: &[Difference],
        tree: &Tree,
        walked: Option<MTime>,
    ) -> io::Result<()> {
        let mut lines = Vec::new();
        for Difference { path, after, .. } in changed {
            print(path, after.as_ref(), &mut lines)?;
        }
        if let Some(time) = walked {
            self.walked = walked;
            print_time(time, &mut lines)?;
        }
        if self.size + lines.len() as u64 > SMALL.max(2 * self.base) {
            return self.rewrite(tree);
        }
        if let Err(error) = self.file.write_all(&lines) {
            // A part of a line would end the log for the next start.
            self.file.set_len(self.size)?;
            return Err(error);
        }
        self.size += lines.len() as u64;
        Ok(())
    }

    /// Writes the log of the first walk, which began at a time.
    pub(super) fn begin(&mut self, tree: &Tree, walked: MTime) -> io::Result<()> {
        self.walked = Some(walked);
        self.rewrite(tree)
    }

    /// Writes the log from scratch.
    fn rewrite(&mut self, tree: &Tree) -> io::Result<()> {
        let part = self.path.with_extension("part");
        let file = open_private_file(&part, OpenOptions::new().write(true).create(true).truncate(false))?;
        file.set_len(0)?;
        // A tree can be large, so the lines are not collected.
        let (mut out, mut line, mut size) = (BufWriter::new(file), Vec::new(), 0);
        for (path, node) in tree.nodes() {
            line.clear();
            print(&path, Some(node), &mut line)?;
            out.write_all(&line)?;
            size += line.len() as u64;
        }
        if let Some(time) = self.walked {
            line.clear();
            print_time(time, &mut line)?;
            out.write_all(&line)?;
            size += line.len() as u64;
        }
        out.flush()?;
        fs::rename(&part, &self.path)?;
        self.file = open_private_file(&self.path, OpenOptions::new().append(true))?;
        (self.base, self.size) = (size, size);
        Ok(())
    }
}

fn print(path: &Path, node: Option<&Node>, lines: &mut Vec<u8>) -> io::Result<()> {
    let path = Some(PathRecord::new(path));
    print_line(&Line { p: path, n: node.map(NodeRecord::new), ..Line::default() }, lines)
}

fn print_time(MTime { seconds, nanos }: MTime, lines: &mut Vec<u8>) -> io::Result<()> {
    print_line(&Line { t: Some((seconds, nanos)), ..Line::default() }, lines)
}

fn print_line(line: &Line, lines: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer(&mut *lines, line)?;
    lines.push(b'\n');
    Ok(())
}

impl NodeRecord {
    fn new(node: &Node) -> Self {
        match node {
            Node::File(FileState { stamp, content }) => {
                let content = match content {
                    Content::Stored(hash) => hash.to_string(),
                    Content::Omitted(omission) => omission.to_string(),
                };
                Self::File(stamp_record(stamp), content)
            }
            Node::Link { target, stamp } => Self::Link(stamp_record(stamp), PathRecord::new(target)),
            Node::Folder { mode, ino } => Self::Dir(*mode, *ino),
            Node::Hidden => Self::Hidden(),
        }
    }

    fn read(self) -> Option<Node> {
        Some(match self {
            Self::File(stamp, content) => {
                let hash = content.parse().map(Content::Stored).ok();
                let content = hash.or_else(|| content.parse().map(Content::Omitted).ok())?;
                Node::File(FileState { stamp: stamp_of(stamp), content })
            }
            Self::Link(stamp, target) => Node::Link { target: target.read(), stamp: stamp_of(stamp) },
            Self::Folder(mode) => Node::Folder { mode, ino: 0 },
            Self::Dir(mode, ino) => Node::Folder { mode, ino },
            Self::Hidden() => Node::Hidden,
        })
    }
}

fn stamp_record(stamp: &Stamp) -> StampRecord {
    let time = |time: MTime| (time.seconds, time.nanos);
    (stamp.ino, stamp.size, time(stamp.mtime), time(stamp.ctime), stamp.mode, stamp.racy)
}

fn stamp_of((ino, size, mtime, ctime, mode, racy): StampRecord) -> Stamp {
    let time = |(seconds, nanos)| MTime { seconds, nanos };
    Stamp { ino, size, mtime: time(mtime), ctime: time(ctime), mode, racy }
}
