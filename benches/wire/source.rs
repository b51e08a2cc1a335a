//! Edits of files in many languages, with default settings and without the check for syntax errors.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, outcome};
use crate::corpus::{KB, code, numbered};
use crate::machine::{Machine, settle};
use crate::table::{Samples, mebibytes, millis, verdict};

/// Languages by the ends of file names.
const LANGUAGES: [(&str, &[&str]); 15] = [
    ("Bash", &["sh", "bash"]),
    ("C", &["c"]),
    ("CSS", &["css"]),
    ("Go", &["go"]),
    ("HTML", &["html"]),
    ("Java", &["java"]),
    ("JavaScript", &["js", "mjs"]),
    ("JSON", &["json"]),
    ("Lua", &["lua"]),
    ("Markdown", &["md"]),
    ("Python", &["py"]),
    ("Rust", &["rs"]),
    ("TOML", &["toml"]),
    ("TypeScript", &["ts"]),
    ("YAML", &["yaml", "yml"]),
];
/// Wanted size of a file; of the files of a language, the nearest one is used.
const WANTED: u64 = 150_000;
/// Minimum and maximum size of a file.
const SIZES: std::ops::Range<u64> = 4_000..400_000;
/// Number of places in a file that are edited in turns.
const PLACES: usize = 8;
/// Number of edits of a file.
const EDITS: usize = 120;
/// Number of edits before the measured ones.
const WARM_UP: usize = 2 * PLACES;
/// Maximum time with default settings, in that without the check.
const TARGET: f64 = 1.3;

/// One line changed in real files. Ends the bench with an error if the check costs more than a third.
pub(crate) fn files() {
    println!("\none line changed in real source, with and without the check for syntax errors");
    println!("{:<12} {:>7} {:>9} {:>9} {:>6}  file", "", "KB", "default", "off", "times");
    let machines = [Machine::start(), Machine::configured("syntax = \"off\"\n")];
    let mut clients = machines.each_ref().map(Machine::client);
    let found = sources();
    let mut worst: f64 = 0.0;
    for (name, endings) in LANGUAGES {
        let file = format!("{name}.{}", endings[0]);
        let chosen = nearest(&found, endings).into_iter().find_map(|(path, text)| {
            let places = places(&text)?;
            let text = with_first_digits(text, &places);
            for (machine, client) in machines.iter().zip(&mut clients) {
                machine.put(&file, &text);
                client.call("editd/read", &json!({ "path": file, "limit": 2000 }));
            }
            stays_right(&mut clients, &file, &places).then_some((path, text, places))
        });
        let Some((path, text, places)) = chosen else {
            println!("{name:<12} no file on this machine");
            continue;
        };
        let [mut checked, mut plain] = [Samples::default(), Samples::default()];
        for round in 0..EDITS + WARM_UP {
            if round == WARM_UP {
                [checked, plain] = [Samples::default(), Samples::default()];
            }
            let change = changed(&places[round % places.len()], round / places.len());
            edit(&mut clients[0], &file, &change, &mut checked);
            settle(text.len());
            edit(&mut clients[1], &file, &change, &mut plain);
            settle(text.len());
        }
        let ratio = checked.median_ratio(&plain);
        let [checked, plain] = [checked, plain].map(|samples| millis(samples.median()));
        let size = text.len() / 1000;
        println!("{name:<12} {size:>7} {checked:>9.3} {plain:>9.3} {ratio:>6.2}  {}", path.display());
        worst = worst.max(ratio);
    }
    verdict("worst file: times an edit without the check", worst, "x", TARGET, true);
    assert!(worst <= 4.0 / 3.0, "a default setting costs more than a third of an edit");
}

fn edit(client: &mut Client, file: &str, [old, new]: &[String; 2], samples: &mut Samples) {
    let params = json!({ "path": file, "oldText": old, "newText": new });
    let request = client.request("editd/edit", &params);
    let answer = samples.time(|| client.exchange(&request));
    let result: Value = outcome(&answer).expect("an edit");
    assert_eq!(result["state"], "applied");
}

/// Edits all places twice. Returns `true` if this adds no syntax errors: a digit may be a part of something else.
fn stays_right(clients: &mut [Client; 2], file: &str, places: &[Place]) -> bool {
    let rounds = (0..8).flat_map(|round| places.iter().map(move |place| changed(place, round)));
    let mut is_right = true;
    for [old, new] in rounds {
        for client in &mut *clients {
            let edited = client.call("editd/edit", &json!({ "path": file, "oldText": old, "newText": new }));
            is_right &= edited["files"][0]["syntax"].as_array().is_none_or(Vec::is_empty);
        }
    }
    is_right
}

/// A line with a digit, and the lines around it: text before the digit, and after it.
type Place = [String; 2];

/// Returns lines of a text, spread over it, in which a digit can be changed.
fn places(text: &str) -> Option<Vec<Place>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = |wanted: usize| {
        (wanted..lines.len() - 1).find_map(|line| {
            let digit = lines[line].find(|sign: char| sign.is_ascii_digit())?;
            let block = lines[line - 1..=line + 1].concat();
            let at = lines[line - 1].len() + digit;
            let place = [block[..at].to_owned(), block[at + 1..].to_owned()];
            (block.len() < 2_000 && digits(text, &place).count() == 1).then_some(place)
        })
    };
    let mut places: Vec<Place> =
        (0..PLACES).filter_map(|place| at(1 + lines.len() * place / PLACES)).collect();
    places.dedup();
    (places.len() > PLACES / 2).then_some(places)
}

/// Returns the old and the new text of an edit of a place.
fn changed([before, after]: &Place, round: usize) -> [String; 2] {
    let digit = |round: usize| format!("{before}{}{after}", 1 + round % 8);
    [digit(round), digit(round + 1)]
}

/// Returns the offsets of the digits that may be those of a place.
fn digits<'t>(text: &'t str, [before, after]: &'t Place) -> impl Iterator<Item = usize> + 't {
    let ends = text.match_indices(before.as_str()).map(|(at, _)| at + before.len());
    ends.filter(|at| text.get(at + 1..).is_some_and(|rest| rest.starts_with(after.as_str())))
}

/// Returns the text with the digits that the first edits expect.
fn with_first_digits(mut text: String, places: &[Place]) -> String {
    for place in places {
        let at = digits(&text, place).next().expect("the place");
        text.replace_range(at..=at, "1");
    }
    text
}

/// Returns files with source on this machine: of the crates that cargo has unpacked, npm packages, and the system.
fn sources() -> Vec<(PathBuf, u64)> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        project.join("editors"),
        project.join("tests"),
        home.join(".cargo/registry/src"),
        home.join(".cache/editd-tools/editors"),
        "/usr/lib/python3.11".into(),
        "/usr/include".into(),
        "/usr/share".into(),
    ];
    let mut found = Vec::new();
    for folder in folders {
        walk(&folder, &mut found);
    }
    found.sort();
    found
}

fn walk(folder: &Path, into: &mut Vec<(PathBuf, u64)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(found) = std::fs::symlink_metadata(entry.path()) else { continue };
        if found.is_dir() {
            walk(&entry.path(), into);
        } else if found.is_file() && SIZES.contains(&found.len()) {
            into.push((entry.path(), found.len()));
        }
    }
}

/// Returns files of a language with short lines, at most ten, those whose size is nearest to the wanted one first.
fn nearest(found: &[(PathBuf, u64)], endings: &[&str]) -> Vec<(PathBuf, String)> {
    let is_of = |path: &Path| path.extension().is_some_and(|end| endings.iter().any(|one| end == *one));
    let mut of: Vec<_> = found.iter().filter(|(path, _)| is_of(path)).collect();
    of.sort_by_key(|(_, size)| size.abs_diff(WANTED));
    let texts = of.into_iter().filter_map(|(path, _)| {
        let text = std::fs::read_to_string(path).ok()?;
        let is_written = text.lines().all(|line| line.len() < 1_000) && text.lines().count() > 100;
        (is_written && !text.contains('\r')).then(|| (path.clone(), text))
    });
    texts.take(10).collect()
}

/// Memory of the daemon and its parsers after edits of many files.
pub(crate) fn memory_of_trees() {
    const FILES: usize = 100;
    println!("\nresident memory with {FILES} files of 100 KB that were edited");
    let machine = Machine::start();
    let text = code(100 * KB);
    let mut client = machine.client();
    for file in 0..FILES {
        let name = format!("{file}.rs");
        machine.put(&name, &numbered(file, &text));
        client.call("editd/read", &json!({ "path": name, "limit": 10 }));
        let [old, new] = [0, 1].map(|edits| crate::corpus::counter(0, edits));
        client.call("editd/edit", &json!({ "path": name, "oldText": old, "newText": new }));
    }
    machine.await_quiet();
    let [daemon, parsers] = [machine.resident(), machine.resident_of_parsers()].map(mebibytes);
    println!("daemon {daemon:.1} MiB, parsers {parsers:.1} MiB");
    verdict("both", daemon + parsers, " MiB", 80.0, true);
}
