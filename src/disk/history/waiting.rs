//! Proposals waiting for review, stored so that they survive restarts of the daemon.
//!
//! Each proposal is a file, named by its id, in a dedicated folder. The file is replaced as a whole and
//! flushed before the request that made or changed the proposal is answered, and removed when nothing is left
//! to decide.

mod record;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::{make_private_folder, read_private_file, replace_private_file};
use editd_workspace::{Proposal, Record};

use record::ProposalRecord;

/// Extension of the files.
const ENDING: &str = "json";
/// Extension of a file that contains no readable proposal.
const DAMAGED: &str = "damaged";
/// Maximum number of closed proposals to remember.
const REMEMBERED: usize = 4096;

/// The folder of waiting proposals.
#[derive(Debug)]
pub struct WaitingProposals {
    folder: PathBuf,
    /// State of the folder. The lock is held while writing.
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    /// The newest revision of each waiting proposal.
    waiting: HashMap<String, u32>,
    /// Closed proposals, so that a slower thread does not write one of them again.
    closed: HashSet<String>,
}

impl WaitingProposals {
    /// Opens or creates the folder and reads its proposals. An unreadable file is renamed and left there.
    pub fn open(folder: &Path) -> io::Result<(Self, Vec<Proposal>)> {
        make_private_folder(folder)?;
        let mut proposals = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension() != Some(OsStr::new(ENDING)) {
                continue;
            }
            match read(&path) {
                Ok(proposal) => proposals.push(proposal),
                Err(error) => set_aside(&path, &error),
            }
        }
        let waiting = proposals.iter().map(|it| (it.id.to_string(), it.revision)).collect();
        let written = Written { waiting, ..Written::default() };
        Ok((Self { folder: folder.to_owned(), written: Mutex::new(written) }, proposals))
    }

    /// Returns `true` if no proposal is waiting.
    pub fn is_empty(&self) -> bool {
        self.written.lock().waiting.is_empty()
    }

    /// Records the current state of a waiting proposal, or that it is closed. A write error is logged: the
    /// proposal then does not survive this daemon.
    pub fn write_down(&self, record: &Record) {
        let mut written = self.written.lock();
        let result = match record {
            Record::Waits(proposal) => {
                let id = proposal.id.to_string();
                let known = written.waiting.get(&id).copied().unwrap_or_default();
                // Another thread was faster and wrote a later revision.
                if written.closed.contains(&id) || known >= proposal.revision {
                    return;
                }
                written.waiting.insert(id, proposal.revision);
                self.write(proposal)
            }
            Record::Over(id) => {
                if written.closed.len() > REMEMBERED {
                    written.closed.clear();
                }
                written.waiting.remove(&*id.0);
                written.closed.insert(id.to_string());
                remove(&self.path(&id.0))
            }
        };
        if let Err(error) = result {
            tracing::warn!(%error, "a waiting proposal could not be recorded");
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.{ENDING}"))
    }

    fn write(&self, proposal: &Proposal) -> io::Result<()> {
        let bytes = serde_json::to_vec(&ProposalRecord::new(proposal))?;
        let path = self.path(&proposal.id.0);
        replace_private_file((&path.with_extension("part"), &path), [&*bytes], true).map(drop)
    }
}

fn read(path: &Path) -> io::Result<Proposal> {
    let record: ProposalRecord = serde_json::from_slice(&read_private_file(path)?)?;
    let proposal = record.read().filter(|proposal| path.file_stem() == Some(OsStr::new(&*proposal.id.0)));
    proposal.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "the proposal is inconsistent"))
}

fn set_aside(path: &Path, error: &io::Error) {
    tracing::warn!(%error, path = %path.display(), "a waiting proposal cannot be read; it is set aside");
    if let Err(error) = fs::rename(path, path.with_extension(DAMAGED)) {
        tracing::warn!(%error, path = %path.display(), "the unreadable proposal cannot be renamed");
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
