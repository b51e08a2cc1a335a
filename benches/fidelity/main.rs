//! Measures how faithfully edits are applied whose text differs from the file.
//!
//! `cargo bench --bench fidelity` runs all kinds and prints a table. It fails if any case is harmful. Options
//! after `--`: `--sample` (few cases), `--kind NAME`, `--seed N`, `--cases N`, `--show N` (prints N cases
//! with another verdict than right), `--files DIR` (uses the texts of that folder; also as `FIDELITY_FILES`),
//! `--strict` (fails below 97 %), `--list`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod measure;

use std::process::ExitCode;

use measure::{KINDS, Run};

/// Cases of each kind; `SAMPLE` is the number with `--sample`.
const CASES: usize = 300;
const SAMPLE: usize = 8;
/// Required share of right cases, in tenths of a percent.
const TARGET: usize = 970;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let number = |name: &str| value(name).and_then(|text| text.parse::<usize>().ok());
    if has("--list") {
        for kind in KINDS {
            println!("{}", kind.name);
        }
        return ExitCode::SUCCESS;
    }
    let report = measure::run(&Run {
        seed: number("--seed").unwrap_or(1) as u64,
        cases: number("--cases").unwrap_or(if has("--sample") { SAMPLE } else { CASES }),
        shipped: true,
        kind: value("--kind"),
        show: number("--show").unwrap_or(0),
    });
    println!("{}{}{}", report.shown, report.table, report.plainer);
    let poor = has("--strict") && report.per_mille() < TARGET;
    let harm = report.rows.iter().any(|row| row.harm() > 0);
    if report.rows.is_empty() || harm || poor { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
