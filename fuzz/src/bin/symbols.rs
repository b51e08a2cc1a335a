#![no_main]

#[path = "../../bodies/symbols.rs"]
mod symbols;

libfuzzer_sys::fuzz_target!(|data: &[u8]| symbols::run(data));
