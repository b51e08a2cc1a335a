//! Measures how faithfully edits are applied whose text differs from the file.
//!
//! `cargo bench --bench fidelity` runs all kinds of all parts and prints a table for each. It fails if any case
//! is harmful. Options after `--`: `--part NAME` (`text`, `anchored`, `symbols`, `refactorings` or `sizes`),
//! `--sample` (few cases), `--kind NAME`, `--seed N`, `--cases N`, `--show N` (prints N cases with another verdict
//! than right), `--files DIR` (uses the texts of that folder; also as `FIDELITY_FILES`), `--strict` (fails below the
//! target), `--list`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod measure;

use std::process::ExitCode;

use measure::{Part, Run};

/// Cases of each kind; `SAMPLE` is the number with `--sample`.
const CASES: usize = 300;
const SAMPLE: usize = 8;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let number = |name: &str| value(name).and_then(|text| text.parse::<usize>().ok());
    let wanted = value("--part");
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    let parts: Vec<Part> = Part::ALL.into_iter().filter(|part| is_wanted(part.name())).collect();
    if has("--list") {
        parts.iter().flat_map(|part| part.kinds()).for_each(|name| println!("{name}"));
        return ExitCode::SUCCESS;
    }
    let run = Run {
        seed: number("--seed").unwrap_or(1) as u64,
        cases: number("--cases").unwrap_or(if has("--sample") { SAMPLE } else { CASES }),
        shipped: true,
        kind: value("--kind"),
        show: number("--show").unwrap_or(0),
    };
    let (mut drawn, mut failed) = (false, false);
    for part in parts {
        let report = measure::run(part, &run);
        if report.rows.is_empty() {
            continue;
        }
        println!("{}== {}\n\n{}{}", report.shown, part.name(), report.table, report.plainer);
        let poor = has("--strict") && report.per_mille() < part.target();
        failed |= poor || report.rows.iter().any(|row| row.harm() > 0);
        drawn = true;
    }
    if is_wanted("sizes") && run.kind.is_none() {
        println!("{}", measure::sizes(&run).table());
        drawn = true;
    }
    if failed || !drawn { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
