//! Tests of the layers of `src` and the names that each layer may use.

use super::{Source, assert_none, read, sources};

/// Layers from the bottom up. A layer may use itself and the layers before it.
const LAYERS: [&str; 25] = [
    "text",
    "edit",
    "syntax",
    "parsing",
    "patch",
    "notebook",
    "workspace",
    "image",
    "disk",
    "search",
    "history",
    "snapshot",
    "config",
    "protocol",
    "gate",
    "connect",
    "engine",
    "server",
    "transport",
    "hook",
    "mcp",
    "web",
    "ide",
    "page",
    "cli",
];

/// Layers without side effects.
const PURE: [&str; 6] = ["text", "edit", "syntax", "patch", "notebook", "workspace"];

/// Names that pure layers must not use: runtimes, formats, files, networks, clocks.
const IMPURE: [&str; 15] = [
    "tokio",
    "serde_json",
    "lsp_types",
    "tower_lsp",
    "rustix",
    "notify",
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

/// The only file of a pure layer that may read clocks, because deadlines limit the time of computations.
const MAY_READ_THE_CLOCK: &str = "src/edit/deadline.rs";

impl Source {
    /// Returns the top-level module that contains the file. `lib` and `main` belong to no layer.
    fn layer(&self) -> Option<&str> {
        let name = self.path.strip_prefix("src/")?.split(['/', '.']).next()?;
        LAYERS.contains(&name).then_some(name)
    }

    /// Returns the numbered lines of code, without comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
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
fn layers_import_only_lower_layers() {
    let height = |layer: &str| LAYERS.iter().position(|known| *known == layer);
    let mut wrong = Vec::new();
    for source in sources("src", ".rs") {
        let Some(layer) = source.layer() else { continue };
        let code: String = source.code().flat_map(|(_, line)| [line, "\n"]).collect();
        for used in named_modules(&code) {
            if height(&used).is_none_or(|used| Some(used) > height(layer)) {
                wrong.push(format!("{} uses crate::{used}", source.path));
            }
        }
    }
    assert_none(&format!("a layer uses itself and the layers before it in {}", LAYERS.join(" < ")), &wrong);
}

/// A program that is found through `PATH` could be one of an agent.
#[test]
fn the_daemon_starts_only_its_own_program() {
    let mut wrong = Vec::new();
    for source in sources("src", ".rs") {
        let is_tests = source.path.contains("/tests") || source.layer() == Some("cli");
        let lines = source.code().filter(|(_, line)| line.contains("Command::new("));
        let is_own = |line: &str| source.layer() == Some("parsing") && line.contains("program");
        let found = lines.filter(|(_, line)| !is_tests && !is_own(line));
        wrong.extend(found.map(|(number, line)| format!("{}:{number}: {}", source.path, line.trim())));
    }
    assert_none("only the command line starts other programs; use `parsing::this_command`", &wrong);
}

#[test]
fn the_engine_names_no_wire_format() {
    let mut wrong = Vec::new();
    for source in sources("src", ".rs").into_iter().filter(|source| source.layer() == Some("engine")) {
        let code: String = source.code().flat_map(|(_, line)| [line, "\n"]).collect();
        let outer = ["protocol", "server", "transport", "mcp", "cli"];
        for used in named_modules(&code).iter().filter(|used| outer.contains(&used.as_str())) {
            wrong.push(format!("{} uses crate::{used}", source.path));
        }
        for (number, line) in source.code().filter(|(_, line)| names(line, "lsp_types")) {
            wrong.push(format!("{}:{number}: {line}", source.path));
        }
    }
    assert_none("the server converts between the engine and the protocol", &wrong);
}

#[test]
fn no_two_layers_use_each_other() {
    let mut uses = std::collections::BTreeSet::new();
    for source in sources("src", ".rs") {
        let Some(layer) = source.layer() else { continue };
        let code: String = source.code().flat_map(|(_, line)| [line, "\n"]).collect();
        uses.extend(named_modules(&code).into_iter().map(|used| (layer.to_owned(), used)));
    }
    // A cycle is left when layers that use no other remaining layer are removed again and again.
    let mut rest: Vec<&str> = LAYERS.to_vec();
    while let Some(at) = rest.iter().position(|layer| {
        !rest.iter().any(|other| other != layer && uses.contains(&((*layer).to_owned(), (*other).to_owned())))
    }) {
        rest.remove(at);
    }
    let wrong: Vec<_> = rest.into_iter().map(str::to_owned).collect();
    assert_none("the layers of src use each other in no cycle", &wrong);
}

#[test]
fn pure_layers_have_no_side_effects() {
    let mut wrong = Vec::new();
    for source in sources("src", ".rs") {
        if !source.layer().is_some_and(|layer| PURE.contains(&layer)) {
            continue;
        }
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
fn frameworks_are_used_in_their_layers_only() {
    let frameworks: [(&str, &[&str]); 5] = [
        ("tower_lsp", &["transport"]),
        ("rmcp", &["mcp", "ide"]),
        ("hyper", &["web"]),
        ("hyper_util", &["web"]),
        ("axum", &["web", "ide", "page"]),
    ];
    for (framework, layers) in frameworks {
        let mut wrong = Vec::new();
        for source in sources("src", ".rs") {
            let outside = !source.layer().is_some_and(|layer| layers.contains(&layer));
            let named = source.code().filter(|(_, line)| names(line, framework));
            wrong.extend(named.filter(|_| outside).map(|(number, _)| format!("{}:{number}", source.path)));
        }
        assert_none(&format!("only src/{} uses {framework}", layers.join(" and src/")), &wrong);
    }
}

#[test]
fn grammars_are_used_in_syntax_only() {
    let mut wrong = Vec::new();
    for source in sources("src", ".rs").into_iter().filter(|source| source.layer() != Some("syntax")) {
        let named = source.code().filter(|(_, line)| line.contains("tree_sitter"));
        wrong.extend(named.map(|(number, _)| format!("{}:{number}", source.path)));
    }
    assert_none("only src/syntax uses tree-sitter and its grammars", &wrong);
}

#[test]
fn the_codemap_names_every_layer_in_order() {
    let lib = Source { path: "src/lib.rs".to_owned(), text: read("src/lib.rs") };
    let mut declared: Vec<_> =
        lib.code().filter_map(|(_, line)| line.strip_prefix("pub mod ")).map(word).collect();
    declared.sort();
    let mut known = LAYERS.map(str::to_owned);
    known.sort();
    assert_eq!(declared, known, "the layers of this test are the modules of src/lib.rs");
    let map = lib.text.lines().filter_map(|line| line.strip_prefix("//!"));
    let entries: Vec<_> = map.filter_map(|line| Some(word(line.trim().strip_prefix("* [`")?))).collect();
    assert_eq!(entries, LAYERS, "the codemap in src/lib.rs lists them from the bottom up");
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
