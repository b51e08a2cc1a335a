//! The daemon from outside: over its sockets and from its command line, each test on a machine of its own.

mod docs;
mod fidelity;
mod fuzz;
mod house;
mod support;

mod session {
    mod audience;
    mod lifecycle;
    mod parameters;
    mod roles;
    mod roots;
    mod widening;
}
mod read {
    mod encodings;
    mod fields;
    mod images;
    mod large;
    mod notebooks;
    mod pages;
    mod refusals;
}
mod search {
    mod entries;
    mod guarded;
    mod ignored;
    mod limits;
    mod lines;
    mod load;
    mod scene;
    mod unsaved;
}
mod change {
    mod apply;
    mod apply_again;
    mod display;
    mod files;
    mod hints;
    pub(crate) mod modes;
    mod ownership;
    mod proposals;
    mod propose;
    mod request_id;
    mod sets;
    mod write;
}
mod freshness {
    mod disk;
    mod identity;
    mod ledger;
    mod markers;
    mod rebase;
    mod stale;
}
mod matching {
    mod counts;
    mod documented;
    mod placeholders;
    mod places;
    mod refusals;
    mod sequential;
    mod several;
}
mod patch {
    mod bases;
    mod files;
    mod formats;
    mod malformed;
    mod places;
}
mod notebook {
    mod bases;
    mod cells;
    mod parameters;
    mod refusals;
}
mod preservation {
    mod attributes;
    mod bytes;
    mod encodings;
    mod properties;
}
mod paths {
    mod escapes;
    mod hidden;
    mod metadata;
    mod mounts;
    mod policy;
    mod protected;
    mod races;
    mod reviewed;
    mod spelling;
    mod tags;
}
mod undo {
    mod bytes;
    mod changes;
    mod editor;
    mod elsewhere;
    mod kept;
    mod later;
    mod refusals;
    mod restart;
}
mod review {
    mod carry;
    mod concurrent;
    mod decide;
    mod files;
    mod hostile;
    mod modes;
    mod policy;
    mod reopen;
    mod replace;
    mod restart;
    pub(crate) mod scene;
    mod texts;
    mod typing;
    mod undo;
    mod wait;
}
mod past {
    mod blame;
    mod history;
}
mod agents {
    mod changes;
    mod concurrent;
    mod history;
    mod notifications;
    mod order;
}
mod editors {
    mod apply;
    mod contested;
    mod crowded;
    mod refused;
    mod sets;
    mod storm;
    mod sync;
    mod truth;
}
mod faults {
    mod commit;
    mod panics;
    mod places;
    mod saves;
    mod space;
}
mod crash {
    mod errors;
    mod kills;
    mod moments;
    mod power;
    mod scene;
}
mod hostile {
    mod bodies;
    mod cancel;
    mod floods;
    mod framing;
    mod greed;
    mod limits;
}
mod life {
    mod activated;
    mod autostart;
    mod config;
    mod end;
    mod folders;
    mod instance;
    mod moved;
    mod resources;
    mod status;
    mod stolen;
    mod strangers;
}
mod lsp {
    mod bare;
    mod bridge;
    mod diagnostics;
    mod helix;
    mod plain;
}
mod mcp {
    mod cancel;
    mod changes;
    mod costs;
    mod honest;
    mod life;
    mod messages;
    mod reading;
    mod refusals;
    mod review;
    mod revisions;
    mod roots;
    mod sizes;
    mod texts;
}
mod nvim {
    mod buffers;
    mod edits;
    mod install;
    mod life;
    mod options;
    mod review;
    mod scene;
    mod several;
    mod shown;
    mod text;
    mod written;
}
mod cli {
    mod apply;
    mod commands;
    mod complaints;
    mod decisions;
    mod demo;
    mod edit;
    mod folders;
    mod help;
    mod hostile;
    mod names;
    mod nothing;
    mod pages;
    mod past;
    mod pipes;
    mod review;
    mod search;
    mod terminal;
    mod write;
}
