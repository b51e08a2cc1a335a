use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of skipped and searched entries.
#[derive(Debug, Default)]
pub struct Passed {
    ignored: AtomicU64,
    unreadable: AtomicU64,
    protected: AtomicU64,
    binary: AtomicU64,
    endless: AtomicU64,
    contested: AtomicU64,
    unknown: AtomicU64,
    repositories: AtomicU64,
    searched: AtomicU64,
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident, $count:ident;)*) => {
        impl Passed {
            $(
                $(#[$doc])*
                pub fn $name(&self) -> u64 {
                    self.$name.load(Ordering::Relaxed)
                }

                pub(super) fn $count(&self) {
                    self.$name.fetch_add(1, Ordering::Relaxed);
                }
            )*
        }
    };
}

counters! {
    /// Number of files and folders excluded by ignore rules.
    ignored, count_ignored;
    /// Number of files and folders that could not be read.
    unreadable, count_unreadable;
    /// Number of files that the session may not read.
    protected, count_protected;
    /// Number of files that are not text.
    binary, count_binary;
    /// Number of files with a line too long to be searched; their search ended there.
    endless, count_endless;
    /// Number of files with different unsaved texts in two editors.
    contested, count_contested;
    /// Number of files whose text in an editor is not known.
    unknown, count_unknown;
    /// Number of folders whose files belong to version control.
    repositories, count_repository;
    /// Number of searched files.
    searched, count_searched;
}
