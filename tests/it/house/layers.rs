//! The layers of `src`, and what each may name.

use super::{Source, nothing_of, read, sources};

/// From the bottom up: a layer may use itself and those before it.
const LAYERS: [&str; 15] = [
    "text",
    "edit",
    "patch",
    "notebook",
    "workspace",
    "image",
    "disk",
    "search",
    "history",
    "config",
    "protocol",
    "daemon",
    "transport",
    "mcp",
    "cli",
];

/// Layers that compute and do nothing else.
const PURE: [&str; 5] = ["text", "edit", "patch", "notebook", "workspace"];

/// What a pure layer does not name: runtimes, formats, files, networks, clocks.
const IMPURE: [&str; 16] = [
    "tokio",
    "serde",
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

/// Deadlines are there to end work that takes too long, so one file of a pure layer looks at the clock.
const MAY_LOOK_AT_THE_CLOCK: &str = "src/edit/deadline.rs";

/// Lines of a file beyond which it is two files.
const LONGEST_FILE: usize = 400;

impl Source {
    /// The top module that it belongs to; `lib` and `main` belong to none.
    fn layer(&self) -> Option<&str> {
        let name = self.path.strip_prefix("src/")?.split(['/', '.']).next()?;
        LAYERS.contains(&name).then_some(name)
    }

    /// Its lines of code with their numbers, comments left out.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

/// The top modules that code names behind `crate::`, alone or in braces.
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

/// The first word of each item in a list in braces, whatever braces lie inside.
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

/// Whether code names a thing: the letters alone are not enough.
fn names(line: &str, thing: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(thing)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + thing.len()..].starts_with(is_part))
}

#[test]
fn imports_go_upward_only() {
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
    nothing_of(&format!("a layer uses itself and those before it in {}", LAYERS.join(" < ")), &wrong);
}

#[test]
fn pure_layers_do_nothing_but_compute() {
    let mut wrong = Vec::new();
    for source in sources("src", ".rs") {
        if !source.layer().is_some_and(|layer| PURE.contains(&layer)) {
            continue;
        }
        for (number, line) in source.code() {
            for impure in IMPURE.iter().filter(|impure| names(line, impure)) {
                if *impure != "Instant::now" || source.path != MAY_LOOK_AT_THE_CLOCK {
                    wrong.push(format!("{}:{number} names {impure}", source.path));
                }
            }
        }
    }
    nothing_of(&format!("{} do nothing but compute", PURE.join(", ")), &wrong);
}

#[test]
fn frameworks_are_named_in_one_layer_only() {
    for (framework, layer) in [("tower_lsp", "transport"), ("rmcp", "mcp")] {
        let mut wrong = Vec::new();
        for source in sources("src", ".rs") {
            let outside = source.layer() != Some(layer);
            let named = source.code().filter(|(_, line)| names(line, framework));
            wrong.extend(named.filter(|_| outside).map(|(number, _)| format!("{}:{number}", source.path)));
        }
        nothing_of(&format!("only src/{layer} names {framework}"), &wrong);
    }
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
fn no_file_is_too_long_to_read() {
    let folders = [
        ("src", ".rs"),
        ("tests/it", ".rs"),
        ("benches", ".rs"),
        ("editors/nvim/lua", ".lua"),
        ("editors/vscode/src", ".ts"),
    ];
    let length = |source: &Source| source.text.lines().count();
    let files = folders.iter().flat_map(|(folder, ending)| sources(folder, ending));
    let long = files.filter(|source| length(source) > LONGEST_FILE);
    let wrong: Vec<_> = long.map(|source| format!("{}: {} lines", source.path, length(&source))).collect();
    nothing_of(&format!("a file of code has at most {LONGEST_FILE} lines"), &wrong);
}

#[test]
fn the_rules_can_be_broken() {
    let code = "use crate::{\n    disk::{Disk, Root},\n    text::Text,\n};\nlet x = crate::cli::main();";
    assert_eq!(named_modules(code), ["disk", "text", "cli"]);
    assert!(names("use tokio::sync", "tokio") && names("    Instant::now()", "Instant::now"));
    assert!(!names("tokio_util::x", "tokio") && !names("my_serde", "serde"));
}
