#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gmachine_testing::harness::modules(data));
