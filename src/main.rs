//! The `editd` binary: arguments to subcommand.

use std::process::ExitCode;

fn main() -> ExitCode {
    editd::cli::main()
}
