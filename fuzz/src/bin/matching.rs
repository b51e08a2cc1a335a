#![no_main]

#[path = "../../bodies/matching.rs"]
mod matching;

libfuzzer_sys::fuzz_target!(|data: &[u8]| matching::run(data));
