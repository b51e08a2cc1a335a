//! Tests that documents are complete and correct: commands, links, methods, refusals, settings.

use std::path::Path;
use std::process::Command;

use editd_edit::notebook::CellRefusalKind;
use editd_edit::{EditRefusalKind, LineRefusal};
use editd_protocol::{EDITOR_METHODS, METHODS, TOOLS};
use editd_syntax::SymbolRefusal;
use editd_workspace::{EditorRefusal, Limits, ProposalRefusal, RefusalKind, ReviewRefusal, UndoRefusal};
use strum::VariantNames;

use super::layers::MODULES;
use super::{Source, assert_none, read, sources, top};

/// Reads all documents.
fn documents() -> Vec<Source> {
    let mut documents = sources("docs", ".md");
    let others = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "benches/README.md",
        "editors/nvim/README.md",
        "editors/vscode/README.md",
    ];
    documents.extend(others.map(|path| Source { path: path.to_owned(), text: read(path) }));
    documents
}

/// Returns the code of all files in a folder.
fn joined(folder: &str) -> String {
    sources(folder, ".rs").into_iter().map(|source| source.text).collect()
}

/// Returns the text outside of fenced blocks.
fn prose(text: &str) -> String {
    let mut inside = false;
    let is_prose = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        !inside && !is_fence
    };
    text.lines().filter(is_prose).collect::<Vec<_>>().join("\n")
}

/// Returns the lines inside fenced blocks of shell code.
fn shell_lines(text: &str) -> Vec<&str> {
    let (mut lines, mut inside) = (Vec::new(), false);
    for line in text.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(language) => inside = !inside && matches!(language, "sh" | "console"),
            None if inside => lines.push(line),
            None => {}
        }
    }
    lines
}

/// Returns the subcommand of editd that a shell line calls.
fn subcommand(line: &str) -> Option<&str> {
    let words: Vec<_> = line.split_whitespace().collect();
    let cargo_run = words.windows(2).any(|pair| pair == ["cargo", "run"]);
    let is_call =
        |word: &str| if cargo_run { word == "--" } else { word == "editd" || word.ends_with("/editd") };
    let start = words.iter().position(|word| is_call(word))?;
    words.get(start + 1).copied().filter(|word| word.chars().all(|c| c.is_ascii_lowercase()))
}

/// Iterates over the texts between two markers.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| Some(rest.split_once(after)?.0))
}

#[test]
fn commands_in_documents_exist() {
    let help = Command::new(env!("CARGO_BIN_EXE_editd")).arg("--help").output().expect("editd can be run");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let known: Vec<_> = help
        .lines()
        .filter(|line| line.starts_with("  "))
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    let (mut wrong, mut calls) = (Vec::new(), 0);
    for document in documents() {
        for line in shell_lines(&document.text) {
            if let Some(called) = subcommand(line) {
                calls += 1;
                if !known.contains(&called) {
                    wrong.push(format!("{}: {line}", document.path));
                }
            }
            let scripts =
                line.split_whitespace().filter(|word| word.trim_start_matches("./").starts_with("scripts/"));
            let missing = scripts.filter(|script| !top().join(script).is_file());
            wrong.extend(missing.map(|script| format!("{}: {script}", document.path)));
        }
    }
    assert_none("commands in documents exist", &wrong);
    assert!(calls >= 5, "the documents show how editd is called");
}

#[test]
fn the_readme_has_the_commands_to_run_and_to_test() {
    let readme = read("README.md");
    let lines = shell_lines(&readme);
    assert!(
        lines.iter().any(|line| line.contains("cargo run") && subcommand(line) == Some("edit")),
        "one command builds and edits"
    );
    assert!(lines.contains(&"scripts/test"), "one command runs all tests");
    assert!(read(".ci/run").contains("scripts/test"), "CI runs the checks that the README names");
}

#[test]
fn links_lead_to_files() {
    let mut wrong = Vec::new();
    for document in documents() {
        let folder = Path::new(&document.path).parent().expect("a folder");
        for link in between(&prose(&document.text), "](", ")") {
            let file = link.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") && !top().join(folder).join(file).exists() {
                wrong.push(format!("{}: {link}", document.path));
            }
        }
    }
    assert_none("links lead to files", &wrong);
}

#[test]
fn the_protocol_document_names_every_method_and_refusal() {
    let document = read("docs/protocol.md");
    let methods = METHODS.iter().chain(EDITOR_METHODS).map(|&name| name.to_owned());
    let kinds = [
        RefusalKind::VARIANTS,
        EditRefusalKind::VARIANTS,
        LineRefusal::VARIANTS,
        SymbolRefusal::VARIANTS,
        CellRefusalKind::VARIANTS,
        EditorRefusal::VARIANTS,
        ProposalRefusal::VARIANTS,
        ReviewRefusal::VARIANTS,
        UndoRefusal::VARIANTS,
    ];
    // Kinds with refusals of their own have no name on the wire.
    let is_name = |name: &&&str| !["edit", "cells", "editor", "undo", "proposal", "review"].contains(*name);
    let kinds: Vec<_> = kinds.concat().iter().filter(is_name).map(|name| (*name).to_owned()).collect();
    assert!(kinds.len() >= 30, "{kinds:?}");
    let is_missing = |name: &String| !document.contains(&format!("`{name}`"));
    let missing: Vec<_> = methods.chain(kinds).filter(is_missing).collect();
    assert_none("docs/protocol.md documents every method and refusal", &missing);
}

#[test]
fn every_tool_is_documented() {
    for document in ["docs/agents.md", "docs/protocol.md"] {
        let text = read(document);
        let is_missing = |name: &&str| !text.contains(&format!("`{name}`"));
        let missing: Vec<_> = TOOLS.into_iter().filter(is_missing).map(str::to_owned).collect();
        assert_none(&format!("{document} documents every tool"), &missing);
    }
}

/// Returns the quoted names in the code of a plugin that begin with `editd/`.
fn named_in<'a>(code: &'a str, quote: &'a str) -> impl Iterator<Item = &'a str> {
    code.split(quote).filter(|text| text.starts_with("editd/") && !text.contains(char::is_whitespace))
}

#[test]
fn plugins_use_existing_messages() {
    let known = joined("src/protocol");
    let folders = [
        ("editors/nvim/lua", ".lua", "'"),
        ("editors/vscode/src", ".ts", "'"),
        ("editors/page/src", ".ts", "'"),
    ];
    let mut named = Vec::new();
    for (folder, ending, quote) in folders {
        for source in sources(folder, ending) {
            let messages = named_in(&source.text, quote);
            named.extend(messages.map(|name| (source.path.clone(), name.to_owned())));
        }
    }
    assert!(named.len() > 20, "{named:?}");
    let is_unknown = |(_, name): &&(String, String)| !known.contains(&format!("\"{name}\""));
    let wrong: Vec<_> =
        named.iter().filter(is_unknown).map(|(path, name)| format!("{path}: {name}")).collect();
    assert_none("messages of plugins are defined in src/protocol", &wrong);
}

/// Returns the keys of a configuration table, parsed from the code.
fn keys_of(table: &str) -> Vec<String> {
    let code = read("src/daemon/config.rs") + &read("src/daemon/config/policy.rs");
    let body = code.split_once(&format!("struct {table} {{")).expect("a table of the configuration").1;
    let fields = body.split("\n}").next().unwrap_or_default().lines();
    let names = fields.filter_map(|line| Some(line.trim().trim_start_matches("pub ").split_once(": ")?.0));
    names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_')).map(str::to_owned).collect()
}

/// Returns the keys of the configuration and of its table of limits.
fn settings() -> Vec<String> {
    // The path of the file, and the error in it.
    let keys = keys_of("Config").into_iter().filter(|key| !["file", "error"].contains(&&**key));
    let keys: Vec<_> = keys.chain(Limits::default().by_name().map(|(name, _)| name.to_owned())).collect();
    assert!(keys.len() >= 24, "{keys:?}");
    keys
}

#[test]
fn the_configuration_document_names_every_key() {
    let document = read("docs/configuration.md");
    let keys = settings().into_iter().chain(keys_of("RuleTable"));
    let missing: Vec<_> = keys.filter(|key| !document.contains(&format!("`{key}`"))).collect();
    assert_none("docs/configuration.md documents every key", &missing);
}

#[test]
fn the_doctor_prints_every_setting() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_editd"));
    doctor.args(["doctor", "--output", "json", "--state-dir"]).arg(folder.path().join("state"));
    let report = doctor.env("EDITD_CONFIG", folder.path().join("none")).output().expect("editd can be run");
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    let has =
        |key: &String| report.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|it| it == key);
    let missing: Vec<_> = settings().into_iter().filter(|key| !has(key)).collect();
    assert_none("`editd doctor` prints every key", &missing);
}

#[test]
fn the_protocol_document_names_every_path_rule() {
    let (document, code) = (read("docs/protocol.md"), read("src/workspace/rules/families.rs"));
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let names = between(&code, "family(", "\",").map(|name| name.trim().trim_start_matches('"'));
    let rules: Vec<_> = names.filter(is_name).map(str::to_owned).collect();
    assert!(rules.len() >= 10, "{rules:?}");
    let missing: Vec<_> = rules.into_iter().filter(|name| !document.contains(&format!("`{name}`"))).collect();
    assert_none("docs/protocol.md documents every path rule", &missing);
}

#[test]
fn every_direct_dependency_is_documented() {
    let (document, manifest) = (read("docs/dependencies.md"), read("Cargo.toml"));
    let sections = ["[workspace.dependencies]\n", "[dev-dependencies]\n"]
        .map(|start| between(&manifest, start, "\n[").next());
    let lines = sections.into_iter().flatten().flat_map(str::lines).filter(|line| !line.starts_with('#'));
    let names = lines.filter_map(|line| Some(line.split_once(" = ")?.0));
    let names = names.filter(|name| !name.starts_with("editd-") && !name.contains('.'));
    let missing: Vec<_> = names.filter(|name| !document.contains(&format!("`{name}`"))).collect();
    assert_none(
        "docs/dependencies.md has the reason for each dependency",
        &missing.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
    );
}

#[test]
fn every_layer_has_an_example() {
    let crates =
        ["text", "edit", "syntax", "workspace", "disk", "protocol"].map(|name| format!("src/{name}/lib.rs"));
    let modules = MODULES.iter().flat_map(|(of_crate, modules)| {
        modules.iter().map(move |module| format!("src/{of_crate}/{module}.rs"))
    });
    let has_example = |path: &String| {
        read(path).lines().any(|line| {
            let doc = line.strip_prefix("//! ").or_else(|| line.strip_prefix("/// "));
            doc.is_some_and(|doc| doc.starts_with("```"))
        })
    };
    let missing: Vec<_> = crates.into_iter().chain(modules).filter(|path| !has_example(path)).collect();
    assert_none("every layer has an example", &missing);
}
