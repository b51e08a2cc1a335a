#![no_main]

#[path = "../../bodies/notebooks.rs"]
mod notebooks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| notebooks::run(data));
