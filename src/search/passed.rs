use std::sync::atomic::{AtomicU64, Ordering};

/// What was passed over on the way, counted.
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
    /// Files and folders that the rules about what is ignored leave out.
    ignored, count_ignored;
    /// Files and folders that could not be read.
    unreadable, count_unreadable;
    /// Files that may not be told of.
    protected, count_protected;
    /// Files that hold no text.
    binary, count_binary;
    /// Files with a line too long to be searched, which end there.
    endless, count_endless;
    /// Files of which two editors show different unsaved texts.
    contested, count_contested;
    /// Files that an editor may show another text of, which is not known.
    unknown, count_unknown;
    /// Folders whose files belong to version control.
    repositories, count_repository;
    /// Files that were looked into.
    searched, count_searched;
}
