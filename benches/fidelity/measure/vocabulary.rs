//! Vocabulary of generated texts.

use super::rng::Rng;

const NOUNS: &[&str] = &[
    "account", "address", "article", "batch", "block", "branch", "buffer", "cache", "channel", "chunk",
    "client", "column", "config", "counter", "cursor", "device", "document", "driver", "entry", "event",
    "export", "field", "filter", "folder", "gateway", "group", "handle", "header", "image", "import",
    "index", "invoice", "job", "key", "label", "ledger", "level", "limit", "listener", "lock", "message",
    "metric", "module", "node", "order", "owner", "packet", "page", "parser", "payment", "plugin", "policy",
    "profile", "project", "queue", "record", "region", "report", "request", "result", "role", "route",
    "sample", "schema", "segment", "server", "session", "setting", "shard", "signal", "socket", "source",
    "stage", "stream", "table", "target", "task", "tenant", "ticket", "token", "topic", "upload", "user",
    "vector", "vendor", "version", "volume", "voucher", "window", "worker", "zone",
];
const VERBS: &[&str] = &[
    "accept", "append", "archive", "build", "check", "claim", "clean", "close", "collect", "commit", "copy",
    "create", "decode", "delete", "deliver", "detach", "drain", "encode", "enqueue", "expand", "fetch",
    "find", "flush", "format", "freeze", "grant", "insert", "inspect", "join", "load", "lookup", "measure",
    "merge", "migrate", "notify", "open", "parse", "pause", "prepare", "publish", "purge", "read", "rebuild",
    "refresh", "register", "reject", "release", "render", "replay", "resolve", "resume", "rotate", "sample",
    "schedule", "select", "settle", "sort", "split", "store", "submit", "sweep", "trim", "unlock", "update",
    "validate", "verify", "write",
];
const FILLERS: &[&str] =
    &["the", "every", "no", "each", "a stale", "the next", "the current", "an empty", "one", "the old"];
const ENDS: &[&str] = &[
    "before the deadline",
    "after a restart",
    "in the background",
    "if it’s still there",
    "when asked to",
    "for the caller",
    "with care",
    "as often as needed",
    "at most once",
    "while others wait",
    "— or not at all",
    "…",
    "in Zürich and Köln",
    "without a copy",
    "in ½ the time",
    "behind the proxy",
    "and never again 🎉",
];

pub(crate) fn noun(rng: &mut Rng) -> String {
    let noun = *rng.pick(NOUNS);
    if rng.percent(40) { format!("{noun}_{}", rng.pick(NOUNS)) } else { noun.to_owned() }
}

pub(crate) fn verb(rng: &mut Rng) -> String {
    (*rng.pick(VERBS)).to_owned()
}

/// Returns a number that is typical in programs.
pub(crate) fn number(rng: &mut Rng) -> String {
    let round =
        [10, 16, 20, 25, 30, 42, 50, 60, 64, 80, 100, 120, 128, 250, 256, 300, 404, 500, 512, 1000, 1024];
    if rng.percent(60) { rng.pick(&round).to_string() } else { (2 + rng.below(9000)).to_string() }
}

/// Returns a short sentence.
pub(crate) fn sentence(rng: &mut Rng) -> String {
    let (verb, filler, end) = (verb(rng), *rng.pick(FILLERS), *rng.pick(ENDS));
    format!("{verb} {filler} {} {end}", noun(rng).replace('_', " "))
}

/// Converts `snake_case` to `PascalCase`.
pub(crate) fn pascal(snake: &str) -> String {
    snake.split('_').map(capital).collect()
}

pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
