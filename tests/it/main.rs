//! The daemon from outside: over its sockets and from its command line, each test on a machine of its own. The machines
//! are Linux: many tests mount file systems, trace system calls or read `/proc`.

#![cfg(target_os = "linux")]

mod docs;
mod fidelity;
mod fuzz;
mod house;
mod support;

mod runs {
    mod attribution;
    mod borders;
    mod command;
    mod enforced;
    mod first_walk;
    mod interrupted;
    mod kinds;
    mod random;
    mod room;
    mod schedules;
    mod slow_walk;
    mod surroundings;
    mod visibility;
}
mod remote {
    mod containers;
    mod ssh;
}
mod ide {
    mod claude;
    mod closed;
    mod files;
    mod gemini;
    mod hostile;
    mod made;
    mod open_files;
    mod server;
    mod setting;
}
mod session {
    mod audience;
    mod lifecycle;
    mod names;
    mod parameters;
    mod permissions;
    mod roles;
    mod roots;
    mod shares;
}
mod read {
    mod encodings;
    mod fields;
    mod images;
    mod large;
    mod notebooks;
    mod partial_reads;
    mod refusals;
    mod several;
}
mod search {
    mod concurrency;
    mod entries;
    mod ignored;
    mod limits;
    mod lines;
    mod protected;
    mod scene;
    mod shown;
    mod unsaved;
}
mod symbols {
    mod command_line;
    mod edits;
    mod kept_trees;
    mod moves;
    mod moves_of_real_files;
    mod reads;
    mod renames;
    mod renames_by_servers;
    mod renames_of_files;
    pub(crate) mod renames_of_real_files;
    mod syntax_errors;
    mod tools;
}
mod lines {
    mod command_line;
    mod edits;
    mod moves;
    mod patches;
    mod reshape;
    mod reshape_of_real_files;
    mod tools;
    mod versions;
}
mod change {
    mod apply;
    mod apply_again;
    mod display;
    mod files;
    mod globs;
    mod hints;
    pub(crate) mod modes;
    mod ownership;
    mod proposals;
    mod propose;
    mod request_id;
    mod sets;
    mod several_files;
    mod write;
}
mod freshness {
    mod disk;
    mod identity;
    mod ledger;
    mod markers;
    mod offer;
    mod rebase;
    mod retry;
    mod stale;
}
mod matching {
    mod counts;
    mod documented;
    mod patterns;
    mod placeholders;
    mod refusals;
    #[cfg(target_os = "linux")]
    mod repetitive;
    mod scopes;
    mod sequential;
    mod several;
    mod single_edit;
}
mod patch {
    mod bases;
    mod files;
    mod formats;
    mod malformed;
    mod matching;
}
mod syntax {
    mod errors;
    mod failures;
    mod files;
    mod limits;
    mod oracle;
    mod samples;
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
    mod deeper_roots;
    mod escapes;
    mod metadata;
    mod mounts;
    mod policy;
    mod protected;
    mod races;
    mod repositories;
    mod reviewed;
    mod spelling;
    mod tags;
}
mod undo {
    mod already_reverted;
    mod bytes;
    mod changed_since;
    mod changes;
    mod editor;
    mod refusals;
    mod restart;
    mod storage;
}
mod review {
    mod concurrent;
    mod decide;
    mod executables;
    mod file_texts;
    mod files;
    mod hostile;
    mod landed;
    mod landed_limits;
    mod landed_random;
    mod landed_texts;
    mod paths;
    mod policy;
    mod rebase;
    mod reopen;
    mod replace;
    mod restart;
    mod reviewers;
    mod rounds;
    pub(crate) mod scene;
    mod typing;
    mod undo;
    mod wait;
}
mod gate {
    mod claude;
    mod connect;
    mod edits;
    mod links;
    mod parallel;
    mod programs;
    mod review;
    mod server;
    mod tool;
    mod unknown;
}
mod history {
    mod blame;
    mod log;
}
mod agents {
    mod changes;
    mod concurrent;
    mod history;
    mod linearizability;
    mod notifications;
}
mod editors {
    mod apply;
    mod contested;
    mod marks;
    mod open_documents;
    mod refused;
    mod request_limit;
    mod saved_halves;
    mod sets;
    mod stress;
    mod sync;
}
mod faults {
    mod commit;
    mod file_systems;
    mod panics;
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
    mod deadlines;
    mod floods;
    mod framing;
    mod greedy_clients;
    mod limits;
    pub(crate) mod parsers;
}
mod web {
    mod access;
    mod calls;
    mod limits;
    mod scene;
}
mod daemon {
    mod autostart;
    mod config;
    mod environment;
    mod folders;
    mod foreign_files;
    mod instance;
    mod lost_sockets;
    mod moved_root;
    mod other_users;
    mod resources;
    mod shutdown;
    mod socket_activation;
    mod status;
}
mod lsp {
    mod bridge;
    mod diagnostics;
    mod helix;
    mod hostile;
    mod neovim_without_plugin;
    mod newest;
    mod review;
    mod several;
}
mod mcp {
    mod cancel;
    mod changes;
    mod costs;
    mod lifecycle;
    mod messages;
    mod questions;
    mod reading;
    mod refusals;
    mod review;
    mod revisions;
    mod roots;
    mod shown_text;
    mod sizes;
    mod tool_texts;
}
mod nvim {
    mod buffers;
    mod display;
    mod edits;
    mod files;
    mod install;
    mod landed;
    mod lifecycle;
    mod newest;
    mod options;
    mod reconnect;
    mod renames;
    mod review;
    mod scene;
    mod selection;
    mod several_proposals;
    mod text;
    mod turns;
    mod user_text;
}
mod cli {
    mod apply;
    mod commands;
    mod decisions;
    mod demo;
    mod edit;
    mod empty_results;
    mod errors;
    mod folders;
    mod help;
    mod history;
    mod hostile;
    mod landed;
    mod log;
    mod man_pages;
    mod non_utf8_names;
    mod outcomes;
    mod patterns;
    mod pipes;
    mod review;
    mod search;
    mod terminal;
    mod write;
}
