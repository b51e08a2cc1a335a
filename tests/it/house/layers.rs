//! Tests of what the crates of `src` cannot enforce: the order of modules in a crate, and code without side effects.

use super::{Source, assert_none, read, sources};

/// Modules of crates, from the bottom up. A module may use itself and those before it. All other files of the crate
/// are below the first one.
pub(super) const MODULES: [(&str, &[&str]); 5] = [
    ("edit", &["patch", "notebook"]),
    ("syntax", &["parsing"]),
    ("disk", &["search", "history", "snapshot"]),
    ("daemon", &["config", "image", "engine", "server", "transport"]),
    ("agents", &["gate", "connect", "hook", "mcp", "web", "ide", "page"]),
];

/// Crates without side effects.
const PURE: [&str; 4] = ["text", "edit", "syntax", "workspace"];

/// The module of a pure crate that starts processes.
const STARTS_PROCESSES: &str = "src/syntax/parsing";

/// Names that pure crates must not use: files, networks, processes, clocks.
const IMPURE: [&str; 10] = [
    "rustix",
    "std::fs",
    "std::io",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "async fn",
];

/// The only file of a pure crate that may read clocks, because deadlines limit the time of computations.
const MAY_READ_THE_CLOCK: &str = "src/edit/deadline.rs";

impl Source {
    /// Returns the numbered lines of code, without comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// Returns the position of the file's module among `modules` of a crate; `None` if it is below them.
    fn module(&self, of_crate: &str, modules: &[&str]) -> Option<usize> {
        let inner = self.path.strip_prefix(&format!("src/{of_crate}/"))?;
        let name = inner.split(['/', '.']).next()?;
        modules.iter().position(|module| *module == name)
    }
}

/// Returns the top-level modules that follow `crate::` in code, single or in braces.
fn named_modules(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => named.extend(heads(list)),
            None => named.push(word(rest)),
        }
    }
    named
}

/// Returns the first word of each item in a braced list. Skips nested braces.
fn heads(list: &str) -> Vec<String> {
    let (mut heads, mut depth, mut at_head) = (Vec::new(), 0, true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_head = true,
            c if at_head && !c.is_whitespace() => {
                heads.push(word(&list[at..]));
                at_head = false;
            }
            _ => {}
        }
    }
    heads
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Returns `true` if the line contains the name as a whole word.
fn names(line: &str, thing: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(thing)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + thing.len()..].starts_with(is_part))
}

#[test]
fn modules_use_only_lower_modules_of_their_crate() {
    let mut wrong = Vec::new();
    for (of_crate, modules) in MODULES {
        let files = sources(&format!("src/{of_crate}"), ".rs");
        assert!(
            modules
                .iter()
                .all(|it| files.iter().any(|file| file.path.ends_with(&format!("/{of_crate}/{it}.rs"))))
        );
        for source in files {
            let own = source.module(of_crate, modules);
            let code: String = source.code().flat_map(|(_, line)| [line, "\n"]).collect();
            for used in named_modules(&code) {
                if modules.iter().position(|module| *module == used) > own {
                    wrong.push(format!("{} uses crate::{used}", source.path));
                }
            }
        }
    }
    assert_none("a module uses itself and the modules before it", &wrong);
}

/// A program that is found through `PATH` could be one of an agent.
#[test]
fn the_daemon_starts_only_its_own_program() {
    let mut wrong = Vec::new();
    for source in sources("src", ".rs") {
        let is_free = source.path.contains("/tests") || source.path.starts_with("src/cli");
        let is_own = |line: &str| source.path.starts_with(STARTS_PROCESSES) && line.contains("program");
        let lines = source.code().filter(|(_, line)| line.contains("Command::new("));
        let found = lines.filter(|(_, line)| !is_free && !is_own(line));
        wrong.extend(found.map(|(number, line)| format!("{}:{number}: {}", source.path, line.trim())));
    }
    assert_none("only the command line starts other programs; use `parsing::this_command`", &wrong);
}

#[test]
fn the_engine_names_no_wire_format() {
    let mut wrong = Vec::new();
    for source in sources("src/daemon/engine", ".rs") {
        let formats = ["lsp_types", "tower_lsp", "editd_protocol"];
        let named = source.code().filter(|(_, line)| formats.iter().any(|format| names(line, format)));
        wrong.extend(named.map(|(number, line)| format!("{}:{number}: {line}", source.path)));
    }
    assert_none("the server converts between the engine and the protocol", &wrong);
}

#[test]
fn pure_crates_have_no_side_effects() {
    let mut wrong = Vec::new();
    let files = PURE.iter().flat_map(|name| sources(&format!("src/{name}"), ".rs"));
    for source in files.filter(|source| !source.path.starts_with(STARTS_PROCESSES)) {
        for (number, line) in source.code() {
            for impure in IMPURE.iter().filter(|impure| names(line, impure)) {
                let is_clock = ["Instant::now", "rustix"].contains(impure);
                if !is_clock || source.path != MAY_READ_THE_CLOCK {
                    wrong.push(format!("{}:{number} names {impure}", source.path));
                }
            }
        }
    }
    assert_none(&format!("{} have no side effects", PURE.join(", ")), &wrong);
}

#[test]
fn violations_are_detected() {
    let code = "use crate::{\n    disk::{Disk, Root},\n    text::Text,\n};\nlet x = crate::cli::main();";
    assert_eq!(named_modules(code), ["disk", "text", "cli"]);
    assert!(names("use tokio::sync", "tokio") && names("    Instant::now()", "Instant::now"));
    assert!(!names("tokio_util::x", "tokio") && !names("my_tokio", "tokio"));
}

#[test]
fn every_test_file_is_compiled() {
    let main = read("tests/it/main.rs");
    let declares = |body: &str, path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        body.contains(&format!("mod {name};")) || body.contains(&format!("mod {name} {{"))
    };
    let mut missing = Vec::new();
    for Source { path, .. } in sources("tests/it", ".rs") {
        let inner = path.strip_prefix("tests/it/").unwrap_or_default();
        let found = match inner.split_once('/') {
            None => inner == "main.rs" || declares(&main, inner),
            Some((folder, file)) => {
                let body = main.split_once(&format!("\nmod {folder} {{")).map_or_else(
                    || {
                        std::fs::read_to_string(super::top().join(format!("tests/it/{folder}.rs")))
                            .unwrap_or_default()
                    },
                    |(_, rest)| rest.split("\n}").next().unwrap_or_default().to_owned(),
                );
                file.contains('/') || declares(&body, file)
            }
        };
        if !found {
            missing.push(path);
        }
    }
    assert_none("every file of tests/it has its `mod` line", &missing);
}
