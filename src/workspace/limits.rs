/// Declares [`Limits`]: its fields, which are the keys of the table in the configuration, each with its smallest
/// allowed value and its default.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $type:ty, from $least:literal = $default:expr;)*) => {
        /// Limits on what the daemon accepts from one client, for one file or in total. Each has a name and a
        /// reason; the `[limits]` section of the configuration changes those that are fields.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Limits {
            /// Returns all limits with their names in the configuration.
            pub fn by_name(&self) -> [(&'static str, u64); [$(stringify!($name)),*].len()] {
                [$((stringify!($name), self.$name as u64),)*]
            }

            /// Sets a limit by its name. The error says why the name or the value is invalid.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
                match name {
                    $(stringify!($name) if !($least..).contains(&value) => {
                        return Err(format!("`limits.{name}` must be greater than 0"));
                    }
                    stringify!($name) => self.$name = value as $type,)*
                    _ => {
                        let known = self.by_name().map(|(name, _)| format!("`{name}`")).join(", ");
                        return Err(format!("unknown limit `{name}`, expected one of {known}"));
                    }
                }
                Ok(())
            }
        }
    };
}

limits! {
    /// Maximum size of a file that is read or written, in bytes. Reading, hashing and diffing are linear,
    /// and a model that wants more than this in one piece is mistaken.
    file_size: u64, from 1 = 64 << 20;
    /// Maximum text in memory over all files, in bytes. Beyond it, the least recently used texts move to the
    /// state folder.
    memory: u64, from 0 = 256 << 20;
    /// Maximum size of the bases stored in the state folder, in bytes.
    kept_bases: u64, from 0 = 256 << 20;
    /// Maximum size of the history in the state folder, in bytes. Beyond it, the author who holds most loses the oldest
    /// contents, then the oldest entries.
    history_bytes: u64, from 0 = 256 << 20;
    /// Maximum size of the contents in the snapshot of a root, compressed, in bytes. Beyond it, files have no content
    /// to go back to. All roots together have four times as much.
    snapshot_bytes: u64, from 0 = 1 << 30;
    /// Maximum size of a file whose content is kept in a snapshot, in bytes.
    snapshot_file_size: u64, from 1 = 16 << 20;
    /// Maximum number of files and folders in the snapshot of a root. A root with more has none.
    snapshot_files: usize, from 0 = 300_000;
    /// Maximum number of simultaneous connections, over both sockets. One in sixteen is kept for editors.
    connections: usize, from 1 = 2048;
    /// Maximum number of simultaneous connections of one process.
    connections_per_process: usize, from 1 = 1024;
    /// Maximum size of a message body, in bytes. The escaped text of a file must fit.
    message_size: usize, from 1 = 128 << 20;
    /// Maximum time between the first and the last byte of a message, in milliseconds. Local messages arrive
    /// almost instantly, and an incomplete one holds memory.
    message_ms: u64, from 1 = 30_000;
    /// Maximum size of unanswered messages over all connections, in bytes. Beyond it, connections with large
    /// messages are not read. A quarter of a mebibyte per connection does not count, so small messages never
    /// wait.
    message_memory: usize, from 0 = 256 << 20;
    /// Maximum number of concurrent requests of one connection; further ones are queued.
    requests_in_flight: usize, from 1 = 64;
    /// Maximum output that a client has not read yet, in bytes. Beyond it, the client is disconnected.
    unsent_output: usize, from 1 = 32 << 20;
    /// Maximum size of the files that all requests together process at a time, in bytes. Beyond it, requests
    /// on large files wait up to `deadline_ms` and then fail with `busy`. Each byte takes about three bytes
    /// of memory during processing.
    work_memory: u64, from 0 = 256 << 20;
    /// Maximum number of changes in one call.
    changes: usize, from 1 = 1000;
    /// Maximum number of edits in one call, over all its changes.
    edits: usize, from 1 = 100_000;
    /// Maximum number of stored proposals per author. Beyond it, the oldest closed ones are dropped; without
    /// any, new ones fail with `busy`.
    proposals: usize, from 1 = 1000;
    /// Maximum bytes of new text and diffs in all open proposals together.
    proposal_bytes: u64, from 0 = 256 << 20;
    /// Maximum time for matching, diffing and merging of one request, in milliseconds.
    deadline_ms: u64, from 1 = 10_000;
}

/// Maximum size of a patch, in bytes. It is parsed before its files are known, and takes up to four times
/// its size during that.
pub const PATCH_BYTES: usize = 16 << 20;
/// Maximum number of regular expressions in one change. Each is compiled when the request is read.
pub const PATTERNS: usize = 64;
/// Maximum number of lines in one reply of `editd/read`.
pub const READ_LINES: usize = 2000;
/// Maximum bytes of text in one reply of `editd/read`.
pub const READ_BYTES: usize = 256 << 10;
/// Maximum bytes of the outputs of one cell in a reply of `editd/read`: enough for the error message of a
/// failed program.
pub const READ_OUTPUT_BYTES: usize = 8 << 10;
/// Maximum bytes of text tracked for one editor's documents. Files of further open documents cannot be
/// changed.
pub const OPEN_BYTES: usize = 512 << 20;
/// Maximum number of documents tracked for one editor. Files of further open documents cannot be changed.
pub const OPEN_DOCUMENTS: usize = 4096;
/// Maximum number of symbols in the outline of a file.
pub const OUTLINE_SYMBOLS: usize = 2_000;
/// Maximum number of contents that a session was given and may still name as a base; the oldest are dropped
/// first.
pub const GIVEN_BASES: usize = 1024;
/// Maximum number of sessions of one author without a connection that can be resumed; the ones left first end first.
pub const RESUMABLE_SESSIONS: usize = 64;
/// Maximum number of such sessions of all authors; beyond it, the author with the most loses its oldest.
pub const RESUMABLE_SESSIONS_OF_ALL: usize = 256;
/// Maximum number of changes by the tools of one session that are checked and not yet made; the oldest are
/// forgotten first.
pub const NATIVE_CHANGES: usize = 256;
/// Maximum number of such changes of all sessions; beyond it, the author and session with the most lose their oldest.
pub const NATIVE_CHANGES_OF_ALL: usize = 1024;
/// Maximum number of sessions whose current turn is remembered; beyond it, the author with the most loses its oldest.
pub const NATIVE_TURNS: usize = 256;
/// Maximum number of announced calls; beyond it, the session with the most loses its oldest. A call arrives right after it was announced,
/// unless the user is asked for permission.
pub const NATIVE_CALLS: usize = 1024;
/// Maximum number of bases retained from ended sessions; the oldest are dropped first.
pub const DEPARTED_BASES: usize = 256;
/// Approximate bytes of rope nodes around one edit that two versions do not share.
pub const UNSHARED_PER_EDIT: u64 = 4 << 10;
/// Time for which the answer to a `requestId` is remembered, in seconds.
pub const REQUEST_ID_SECONDS: u64 = 600;
/// Maximum number of answers remembered for `requestId`s; the oldest are dropped first.
pub const REMEMBERED_ANSWERS: usize = 4096;
/// Maximum bytes of answers remembered for `requestId`s; the oldest are dropped first.
pub const REMEMBERED_BYTES: usize = 16 << 20;
/// Maximum number of refused requests that are kept, so that they can be sent again by an id.
pub const KEPT_REQUESTS: usize = 256;
/// Maximum size of such a request, in bytes. All of them have at most 16 times this size.
pub const KEPT_REQUEST_BYTES: usize = 1 << 20;
/// Maximum size of a stored diff of a closed proposal, in bytes; a longer one is dropped.
pub const KEPT_DIFF: usize = 16 << 10;
/// Maximum number of partly or fully rejected proposals retained with their texts, so that they can be
/// reopened; the oldest is dropped first.
pub const REJECTED_PROPOSALS: usize = 64;
/// Maximum bytes of old and new text of all of them.
pub const REJECTED_BYTES: u64 = 16 << 20;
/// Maximum number of reviews of one author's landed changes that are kept with their texts; the texts of the author's
/// older ones are dropped first.
pub const LANDED_REVIEWS: usize = 64;
/// Maximum bytes of old and new text of all of them.
pub const LANDED_BYTES: u64 = 32 << 20;
/// Maximum bytes of old and new text of the landed changes of all authors; beyond it, the author with the most loses
/// the oldest texts.
pub const LANDED_BYTES_OF_ALL: u64 = 256 << 20;
/// Maximum number of landed changes of one author that wait for review, with or without texts. Further ones have no
/// review until the person has decided about some; the newest review says so.
pub const LANDED_WAITING: usize = 2000;
/// Maximum number of files in one review of a landed change. Larger changes have several.
pub const LANDED_FILES: usize = 500;
/// Maximum number of hunks stored for each file of a closed proposal that was not reviewed, if its diff is not stored.
pub const STORED_HUNKS: usize = 1024;
/// Maximum number of matches stored for each file of a closed proposal.
pub const STORED_MATCHES: usize = 64;
/// Maximum bytes of new text in the transition log; the oldest transitions are dropped first.
pub const LOGGED_BYTES: usize = 16 << 20;
/// Maximum bytes of diffs in one answer of `editd/changes`; further files have no diff.
pub const CHANGES_BYTES: usize = 4 << 20;
/// Maximum number of transitions logged for `editd/changes` and for rebasing plans.
pub const LOGGED_TRANSITIONS: usize = 16_384;
/// Maximum bytes of text of both sides for which `editd/changes` and `stale` contain a diff.
pub const DIFFED_BYTES: usize = 32 << 20;
/// Maximum number of diagnostics stored per file and editor.
pub const DIAGNOSTICS_PER_FILE: usize = 1000;
/// Maximum bytes of diagnostics stored per editor, over all its files.
pub const DIAGNOSTICS_BYTES: usize = 4 << 20;
/// Maximum size of a diagnostic's message, in bytes. Some compilers print whole types in it.
pub const DIAGNOSTIC_MESSAGE_BYTES: usize = 2 << 10;
/// Maximum size of a diagnostic's source name, in bytes.
pub const DIAGNOSTIC_SOURCE_BYTES: usize = 100;
/// Maximum number of diagnostics in one answer of `editd/diagnostics`.
pub const DIAGNOSTICS_LISTED: usize = 5000;
/// Maximum time a change may wait for diagnostics of editors, in milliseconds. Diagnostics of a slower
/// language server can be requested later.
pub const DIAGNOSTICS_WAIT_MS: u64 = 10_000;
/// Default number of matching lines in one answer of `editd/search`.
pub const SEARCH_LINES: usize = 100;
/// Maximum number of matching lines. A client that needs more should send a narrower pattern.
pub const SEARCH_LINES_MOST: usize = 1000;
/// Maximum number of context lines on either side of a match.
pub const SEARCH_CONTEXT_MOST: usize = 20;
/// Default number of paths in one answer of `editd/find`.
pub const FIND_ENTRIES: usize = 1000;
/// Default number of entries in one answer of `editd/list`.
pub const LIST_ENTRIES: usize = 500;
/// Maximum number of paths or entries in one answer of either.
pub const ENTRIES_MOST: usize = 10_000;
/// Maximum bytes of text and paths in one answer of `editd/search`, `editd/find` or `editd/list`.
pub const FOUND_BYTES: usize = 512 << 10;
/// Maximum size of a list in an answer of a tool for models, in bytes of JSON. The rest of the answer is a notice.
pub const TOOL_LIST: usize = 31_500;
/// Maximum number of concurrent searches, each of a different session. Each uses all processors, so more
/// would not be faster. Others wait up to `deadline_ms` and then fail with `busy`.
pub const SEARCHES: usize = 4;
/// Maximum number of concurrent searches of one author, and of one process.
pub const SEARCHES_OF_AUTHOR: u32 = 3;
/// Maximum number of files in one answer of `editd/openFiles`.
pub const OPEN_FILES_LISTED: usize = 100;
/// Maximum time that `editd/openFiles` may wait for a change, in milliseconds.
pub const OPEN_FILES_WAIT_MS: u64 = 60_000;
/// Maximum number of bytes of selected text in an answer of `editd/openFiles`.
pub const SELECTED_BYTES: usize = 16 << 10;
