//! Benchmarks of matching on texts of realistic sizes.

#[path = "../tests/support/examples.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod examples;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use editd_edit::{Count, Deadline, Edit, Index, Labels, Options, Plan, diff_plan, diff_texts, find, rewrite};
use editd_syntax::{Language, new_errors, outline};
use editd_text::{count_lines, eol_style, indent_style};

use examples::Example;

const MEGABYTE: usize = 1 << 20;

/// Generates code-like lines: repeated shapes, different words, four indentation levels.
fn code(size: usize) -> String {
    let mut text = String::with_capacity(size + 200);
    let mut seed = 1_u64;
    while text.len() < size {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (word, depth) = (seed >> 40, (seed >> 33) as usize % 4 * 4);
        let _ = match seed >> 61 {
            0 => writeln!(text, "{:depth$}}}", ""),
            1 => writeln!(text),
            2 => writeln!(text, "{:depth$}if value_{word:x} > {} {{", "", word % 97),
            3 => writeln!(text, "{:depth$}// what happens to {word:x} is explained here at some length", ""),
            4 => writeln!(text, "{:depth$}return Err(Error::new(\"item {word:x} is missing\"));", ""),
            _ => writeln!(text, "{:depth$}let item_{word:x} = self.table.get(&key_{:x});", "", word / 7),
        };
    }
    text
}

/// Returns forty lines from the middle of `text`.
fn block(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines[lines.len() / 2..][..40].concat()
}

/// Returns the block with every eighth line changed, so that it is absent from the text.
fn absent(text: &str) -> String {
    let lines = block(text);
    let reword =
        |(at, line): (usize, &str)| if at % 8 == 3 { line.replace('e', "o") + "x" } else { line.to_owned() };
    lines.split_inclusive('\n').enumerate().map(reword).collect()
}

fn exact(criterion: &mut Criterion) {
    let text = code(MEGABYTE);
    let edit = [Edit::new(block(&text), "new\n")];
    let options = Options::default();
    criterion.bench_function("exact 1 MB", |bench| bench.iter(|| find(black_box(&text), &edit, &options)));
    let dos = text.replace('\n', "\r\n");
    criterion
        .bench_function("exact 1 MB CRLF", |bench| bench.iter(|| find(black_box(&dos), &edit, &options)));
    let tabs = [Edit::new(block(&text).replace("    ", "\t"), "new\n")];
    criterion
        .bench_function("indentation 1 MB", |bench| bench.iter(|| find(black_box(&text), &tabs, &options)));
}

/// Measures a hit in every tier, by its first documented example, and a miss, with an index built for the call
/// and with a cached one.
fn tiers(criterion: &mut Criterion) {
    for megabytes in [1, 10] {
        let code = code(MEGABYTE * megabytes);
        let example = |(name, examples): (&'static str, Vec<Example>)| {
            (name, examples[0].within(&code), examples[0].edit.clone())
        };
        let mut requests: Vec<_> = examples::tiers().into_iter().map(example).collect();
        requests.push(("miss", code.clone(), Edit::new(absent(&code), "new\n")));
        for (name, text, edit) in requests {
            let warm = Options { index: Some(Index::build(&text).into()), ..Options::default() };
            let edit = [edit];
            for (state, options) in [("cold", &Options::default()), ("warm", &warm)] {
                let name = format!("{name} {megabytes} MB {state}");
                criterion
                    .bench_function(&name, |bench| bench.iter(|| find(black_box(&text), &edit, options)));
            }
        }
    }
}

/// Compares many edits in one call with a single edit.
fn batches(criterion: &mut Criterion) {
    let text = code(MEGABYTE);
    let blocks: Vec<String> =
        text.split_inclusive('\n').collect::<Vec<_>>().chunks(20).map(<[&str]>::concat).collect();
    let step = |count: usize| blocks.len() / count;
    for (shape, unit) in [("exact", "    "), ("indentation", "\t")] {
        for count in [1, 50, 1000] {
            let chosen = blocks.iter().step_by(step(count).max(1)).take(count);
            let edits: Vec<_> = chosen
                .map(|block| {
                    let old = block.replace("    ", unit);
                    let new = old.clone() + "new\n";
                    Edit::new(old, new)
                })
                .collect();
            let options = Options::default();
            assert!(find(&text, &edits, &options).is_ok());
            let name = format!("{count} edits {shape} 1 MB");
            criterion.bench_function(&name, |bench| bench.iter(|| find(black_box(&text), &edits, &options)));
        }
    }
}

/// Measures a thousand partial-line edits in one call.
fn short_batch(criterion: &mut Criterion) {
    let text = code(MEGABYTE);
    let parts: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("let ")?.strip_suffix(");")).collect();
    for count in [1, 50, 1000] {
        let chosen = parts.iter().step_by(parts.len() / count).take(count);
        let edits: Vec<_> =
            chosen.map(|part| Edit { count: Count::All, ..Edit::new(*part, part.to_uppercase()) }).collect();
        let options = Options::default();
        let name = format!("{count} short edits 1 MB");
        criterion.bench_function(&name, |bench| bench.iter(|| find(black_box(&text), &edits, &options)));
    }
}

fn refusals(criterion: &mut Criterion) {
    let options = Options::default();
    for megabytes in [1, 10] {
        let text = code(MEGABYTE * megabytes);
        let edit = [Edit::new(absent(&text), "new\n")];
        let name = format!("absent block {megabytes} MB");
        criterion.bench_function(&name, |bench| bench.iter(|| find(black_box(&text), &edit, &options)));
        let line = [Edit::new("let item_none = self.table.got(&key_none);", "new\n")];
        let name = format!("absent line {megabytes} MB");
        criterion.bench_function(&name, |bench| bench.iter(|| find(black_box(&text), &line, &options)));
    }
    let mut signs = code(MEGABYTE);
    signs.push_str("// “quoted” – and a dash\n");
    let edit = [Edit::new(absent(&signs), "new\n")];
    criterion.bench_function("absent block 1 MB not ASCII", |bench| {
        bench.iter(|| find(black_box(&signs), &edit, &options));
    });
    let curly = code(MEGABYTE).replace('"', "“").replace("value", "välue");
    criterion.bench_function("absent block 1 MB many signs", |bench| {
        bench.iter(|| find(black_box(&curly), &edit, &options));
    });
}

/// Generates code with lines of 20 KB.
fn long_lines() -> String {
    let text = code(MEGABYTE).replace('\n', " ");
    let lines = text.as_bytes().chunks(20_000).map(String::from_utf8_lossy);
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

/// Returns six long lines in variants that tiers tolerate, and in one that no tier matches.
fn long_requests(long: &str) -> Vec<(&'static str, String)> {
    let six: String = long.split_inclusive('\n').skip(20).take(6).collect();
    vec![
        ("trailing_blanks", six.replace('\n', "  \n")),
        ("indentation", six.lines().fold(String::new(), |text, line| text + "\t" + line.trim_start() + "\n")),
        ("inner_space", six.replacen(" = ", "  = ", 3)),
        ("drifted_context", six.replacen("explained", "described", 1)),
        ("miss", six.replace("explained", "described")),
    ]
}

/// A naive search for the closest region: compares every window, letter by letter.
fn naive_quadratic(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let (lines, count) = (text.split_inclusive('\n').collect::<Vec<_>>(), wanted.lines().count());
    let windows = lines.windows(count).map(|window| distance(window.concat().as_bytes(), wanted.as_bytes()));
    windows.enumerate().map(|(line, distance)| (distance, line)).min()
}

/// Returns the edit distance.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != wanted);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Compares a miss with the naive search for the closest region.
fn baseline(criterion: &mut Criterion) {
    let text = code(16 << 10);
    let wanted = absent(&text);
    let edit = [Edit::new(wanted.clone(), "new\n")];
    criterion.bench_function("baseline: naive quadratic 16 KB", |bench| {
        bench.iter(|| naive_quadratic(black_box(&text), &wanted));
    });
    criterion.bench_function("baseline: editd 16 KB", |bench| {
        bench.iter(|| find(black_box(&text), &edit, &Options::default()));
    });
}

fn hostile(criterion: &mut Criterion) {
    let options = Options::default();
    let same = "a".repeat(MEGABYTE);
    let rows = ("a".repeat(400) + "\n").repeat(40);
    for (name, old) in [
        ("aaaa found", "a".repeat(4000)),
        ("aaaa absent", "a".repeat(4000) + "b"),
        ("aaaa rows absent", rows),
    ] {
        let edit = [Edit::new(old, "c")];
        criterion.bench_function(name, |bench| bench.iter(|| find(black_box(&same), &edit, &options)));
    }
    let long = long_lines();
    let edit = [Edit::new("let item_none = self.table.got(&key_none);\nnext", "c")];
    criterion
        .bench_function("long lines absent", |bench| bench.iter(|| find(black_box(&long), &edit, &options)));
    for (name, old) in long_requests(&long) {
        let edit = [Edit::new(old, "c\n")];
        let name = format!("long lines {name}");
        criterion.bench_function(&name, |bench| bench.iter(|| find(black_box(&long), &edit, &options)));
    }
    let lines = "a\n".repeat(MEGABYTE / 2);
    let edit = [Edit::new("a\n".repeat(200) + "b\n", "c")];
    criterion.bench_function("equal lines absent", |bench| {
        bench.iter(|| find(black_box(&lines), &edit, &options));
    });
    let edit = [Edit::new(" a\n".repeat(200), "c")];
    criterion.bench_function("equal lines indented", |bench| {
        bench.iter(|| find(black_box(&lines), &edit, &options));
    });
}

fn many(criterion: &mut Criterion) {
    let text: String = code(MEGABYTE)
        .lines()
        .enumerate()
        .flat_map(|(at, line)| [line.to_owned(), if at % 2 == 0 { " NEEDLE\n" } else { "\n" }.to_owned()])
        .collect();
    let edit = [Edit { count: Count::All, ..Edit::new("NEEDLE", "pin") }];
    let options = Options::default();
    criterion.bench_function("many: find", |bench| bench.iter(|| find(black_box(&text), &edit, &options)));
    let plan = find(&text, &edit, &options).map(|found| found.plan).unwrap_or_default();
    criterion.bench_function("many: apply", |bench| bench.iter(|| plan.apply(black_box(&text))));
    criterion.bench_function("many: diff_plan", |bench| {
        bench.iter(|| diff_plan(black_box(&text), &plan, Labels::same("f"), Deadline::NONE));
    });
}

fn whole(criterion: &mut Criterion) {
    let text = code(10 * MEGABYTE);
    let changed = text.replacen(&block(&text), "changed\n", 1);
    criterion.bench_function("between 10 MB", |bench| {
        bench.iter(|| Plan::between(black_box(&text), &changed, Deadline::NONE));
    });
    criterion.bench_function("rewrite 10 MB", |bench| {
        bench.iter(|| rewrite(black_box(&text), &changed, false, Deadline::NONE));
    });
    criterion.bench_function("diff_texts 10 MB", |bench| {
        bench.iter(|| diff_texts(black_box(&text), &changed, Labels::same("f"), Deadline::NONE));
    });
    let small = &text[..100 * 1024];
    criterion.bench_function("styles 100 KB", |bench| {
        bench.iter(|| (eol_style(black_box(small)), indent_style(small), count_lines(small)));
    });
    criterion.bench_function("eol_style 10 MB", |bench| bench.iter(|| eol_style(black_box(&text))));
}

/// Repeats a file of the project up to a size, in whole lines.
fn repeated(file: &str, size: usize) -> String {
    let mut text = file.repeat(size / file.len() + 1);
    let end = text.char_indices().take_while(|(at, _)| *at <= size).last().map_or(0, |(at, _)| at);
    text.truncate(text[..end].rfind('\n').map_or(0, |at| at + 1));
    text
}

/// Measures outlines, and the check of an edit for new syntax errors.
fn syntax(criterion: &mut Criterion) {
    let rust = include_str!("../src/edit/plan.rs");
    for (name, size) in [("100 KB", 100_000), ("1 MB", 999_000)] {
        let text = repeated(rust, size);
        assert!(outline(&text, Language::Rust, Deadline::NONE).is_ok(), "{name}");
        criterion.bench_function(&format!("outline {name} Rust"), |bench| {
            bench.iter(|| outline(black_box(&text), Language::Rust, Deadline::NONE));
        });
    }
    let files = [
        (Language::Rust, rust),
        (Language::TypeScript, include_str!("../editors/vscode/src/review/places.ts")),
        (Language::Lua, include_str!("../editors/nvim/lua/editd/document.lua")),
        (Language::Markdown, include_str!("../docs/architecture.md")),
    ];
    for (language, file) in files {
        // Whole files only, so that the text has no errors.
        let before = file.repeat(100_000 / file.len());
        // In the middle, a line is doubled.
        let middle = before.len() / 2;
        let line = middle + before[middle..].find('\n').map_or(0, |at| at + 1);
        let next = line + before[line..].find('\n').map_or(0, |at| at + 1);
        let after = [&before[..next], &before[line..]].concat();
        criterion.bench_function(&format!("new_errors 100 KB {language}"), |bench| {
            bench.iter(|| new_errors(black_box(&before), &after, language, Deadline::NONE));
        });
        let broken = ["(\n", &before].concat();
        let after = ["(\n", &after].concat();
        criterion.bench_function(&format!("new_errors 100 KB {language}, with an error before"), |bench| {
            bench.iter(|| new_errors(black_box(&broken), &after, language, Deadline::NONE));
        });
    }
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .without_plots()
}

criterion_group! { name = benches; config = short(); targets = exact, tiers, batches, short_batch, refusals, hostile, many, whole, syntax, baseline }
criterion_main!(benches);
