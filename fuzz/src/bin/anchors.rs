#![no_main]

#[path = "../../bodies/anchors.rs"]
mod anchors;

libfuzzer_sys::fuzz_target!(|data: &[u8]| anchors::run(data));
