/// What the daemon lets one client, one file or everything together take. Every bound has a name here
/// and its reason beside it; `[limits]` of the configuration changes those that are fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest file that is read or written, in bytes. Reading, hashing and diffing are linear, and a
    /// model that wants more than this in one piece is mistaken.
    pub file_size: u64,
    /// Text kept in memory over all files, in bytes; beyond it the least recently used goes to the state
    /// folder.
    pub memory: u64,
    /// Kept bases in the state folder, in bytes.
    pub kept_bases: u64,
    /// History of all changes in the state folder, in bytes; beyond it the oldest goes.
    pub history_bytes: u64,
    /// Connections served at a time, both sockets together.
    pub connections: usize,
    /// Largest message body, in bytes: a file's text, escaped, must fit.
    pub message_size: usize,
    /// How long a message may take to come once its first byte is there, in milliseconds: on one machine
    /// that is no time at all, and what is half there holds memory.
    pub message_ms: u64,
    /// Messages in memory until they are answered, over all connections, in bytes; beyond it, connections
    /// with large messages wait unread. What each connection has of its own (a quarter of a mebibyte) does
    /// not count, so small messages never wait.
    pub message_memory: usize,
    /// Requests of one connection that may be under way; further ones wait in line.
    pub requests_in_flight: usize,
    /// Output that a client has not read yet, in bytes; beyond it the client is disconnected.
    pub unsent_output: usize,
    /// Bytes of files that all requests together work on at a time; beyond it, requests on large files wait
    /// for `deadline_ms` at most, then `busy`. Each byte takes about three while it is worked on.
    pub work_memory: u64,
    /// Changes in one call.
    pub changes: usize,
    /// Edits in one call, over all its changes.
    pub edits: usize,
    /// Proposals kept of one author; beyond it the oldest closed ones are forgotten, then `busy`.
    pub proposals: usize,
    /// Bytes of new text and diffs that all open proposals together may hold.
    pub proposal_bytes: u64,
    /// Matching, diffing and merging for one request may take this long, in milliseconds.
    pub deadline_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_size: 64 << 20,
            memory: 256 << 20,
            kept_bases: 256 << 20,
            history_bytes: 256 << 20,
            connections: 2048,
            message_size: 128 << 20,
            message_ms: 30_000,
            message_memory: 256 << 20,
            requests_in_flight: 64,
            unsent_output: 32 << 20,
            work_memory: 256 << 20,
            changes: 1000,
            edits: 100_000,
            proposals: 1000,
            proposal_bytes: 256 << 20,
            deadline_ms: 10_000,
        }
    }
}

impl Limits {
    /// All of them by their names in the configuration.
    pub fn by_name(&self) -> [(&'static str, u64); 16] {
        // Taken apart, so that a limit that is not listed here is noticed.
        let Self {
            file_size,
            memory,
            kept_bases,
            history_bytes,
            connections,
            message_size,
            message_ms,
            message_memory,
            requests_in_flight,
            unsent_output,
            work_memory,
            changes,
            edits,
            proposals,
            proposal_bytes,
            deadline_ms,
        } = *self;
        [
            ("file_size", file_size),
            ("memory", memory),
            ("kept_bases", kept_bases),
            ("history_bytes", history_bytes),
            ("connections", connections as u64),
            ("message_size", message_size as u64),
            ("message_ms", message_ms),
            ("message_memory", message_memory as u64),
            ("requests_in_flight", requests_in_flight as u64),
            ("unsent_output", unsent_output as u64),
            ("work_memory", work_memory),
            ("changes", changes as u64),
            ("edits", edits as u64),
            ("proposals", proposals as u64),
            ("proposal_bytes", proposal_bytes),
            ("deadline_ms", deadline_ms),
        ]
    }
}

/// Bytes of a patch's text. It is read before anything is known of its files, and takes up to four times as
/// much meanwhile.
pub const PATCH_BYTES: usize = 16 << 20;
/// Lines in one reply of `editd/read`.
pub const READ_LINES: usize = 2000;
/// Bytes of text in one reply of `editd/read`.
pub const READ_BYTES: usize = 256 << 10;
/// Bytes of the outputs of one cell in a reply of `editd/read`: enough for what a program says that failed.
pub const READ_OUTPUT_BYTES: usize = 8 << 10;
/// Bytes of the texts of one editor's documents that are kept; files of those beyond are not changed while they
/// are open.
pub const OPEN_BYTES: usize = 512 << 20;
/// Documents of one editor whose texts are kept; files of those beyond are not changed while they are open.
pub const OPEN_DOCUMENTS: usize = 4096;
/// Contents that a session was given and may still name as a base; the oldest go first.
pub const GIVEN_BASES: usize = 1024;
/// Contents that sessions were given which have ended, and that may still be named as a base; the oldest go first.
pub const DEPARTED_BASES: usize = 256;
/// Bytes of a rope's nodes around one edit that two versions do not share, about.
pub const UNSHARED_PER_EDIT: u64 = 4 << 10;
/// How long the answer to a `requestId` is remembered.
pub const REQUEST_ID_SECONDS: u64 = 600;
/// Answers remembered for `requestId`s at a time; the oldest go first.
pub const REMEMBERED_ANSWERS: usize = 4096;
/// Bytes of answers remembered for `requestId`s; the oldest go first.
pub const REMEMBERED_BYTES: usize = 16 << 20;
/// Bytes of a diff that is kept of a closed proposal; a longer one is forgotten.
pub const KEPT_DIFF: usize = 16 << 10;
/// Proposals of which a person rejected something that are kept with their texts, so that it can be brought back;
/// the oldest goes first.
pub const KEPT_REJECTED: usize = 64;
/// Bytes of text, new and old, of all of them.
pub const KEPT_REJECTED_BYTES: u64 = 16 << 20;
/// Matches that are kept of each file of a closed proposal.
pub const KEPT_MATCHES: usize = 64;
/// Bytes of new text in the remembered transitions; the oldest transitions go first.
pub const LOGGED_BYTES: usize = 16 << 20;
/// Bytes of diffs in one answer of `editd/changes`; what comes after has none.
pub const CHANGES_BYTES: usize = 4 << 20;
/// Transitions of documents remembered for `editd/changes` and for carrying plans along.
pub const LOGGED_TRANSITIONS: usize = 16_384;
/// Bytes of text of both sides up to which `editd/changes` and `stale` carry a diff.
pub const DIFFED_BYTES: usize = 32 << 20;
/// Diagnostics of one file that are kept of an editor.
pub const DIAGNOSTICS_PER_FILE: usize = 1000;
/// Bytes of diagnostics that are kept of an editor, over all its files.
pub const DIAGNOSTICS_BYTES: usize = 4 << 20;
/// Bytes of a diagnostic's message; some compilers print whole types in it.
pub const DIAGNOSTIC_MESSAGE_BYTES: usize = 2 << 10;
/// Bytes of the name of who made a diagnostic.
pub const DIAGNOSTIC_SOURCE_BYTES: usize = 100;
/// Diagnostics in one answer of `editd/diagnostics`.
pub const DIAGNOSTICS_LISTED: usize = 5000;
/// How long a change may wait for editors' diagnostics, in milliseconds: a language server that takes longer is
/// asked for them later.
pub const DIAGNOSTICS_WAIT_MS: u64 = 10_000;
/// Matching lines in one answer of `editd/search`, unless told.
pub const SEARCH_LINES: usize = 100;
/// The most of them: who wants more wants another pattern.
pub const SEARCH_LINES_MOST: usize = 1000;
/// Lines before and after each.
pub const SEARCH_CONTEXT_MOST: usize = 20;
/// Paths in one answer of `editd/find`, unless told.
pub const FIND_ENTRIES: usize = 1000;
/// Entries in one answer of `editd/list`, unless told.
pub const LIST_ENTRIES: usize = 500;
/// The most of either.
pub const ENTRIES_MOST: usize = 10_000;
/// Bytes of texts and paths in one answer of `editd/search`, `editd/find` or `editd/list`.
pub const FOUND_BYTES: usize = 512 << 10;
/// Searches that run at a time, each of another session; each takes all processors, so more of them are not
/// faster. Others wait for `deadline_ms` at most, then `busy`.
pub const SEARCHES: usize = 4;
