//! The `editd` binary. Calls [`editd::cli::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    editd::cli::main()
}
