//! The `editd` binary: arguments to subcommand.

fn main() {}
