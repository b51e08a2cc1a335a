//! `editd apply`.
