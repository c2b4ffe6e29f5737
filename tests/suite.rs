//! The integration tests, in one binary: the library and what the tests share are linked once,
//! and the tests of all areas run side by side. `cargo test --test suite parity::` runs those of
//! one area.

mod acceptance;
mod benchmarks;
mod core;
mod corelib;
mod differential;
mod embed;
mod examples;
mod explain;
mod formats;
mod fuzz;
mod gcode;
mod imports;
mod inject;
mod input;
mod language;
mod layering;
mod machine;
mod modules;
mod native;
mod numbers;
mod optimise;
mod parity;
mod passes;
mod residual;
mod robust;
mod seeing;
mod space;
mod strictness;
mod syntax;
mod testing;
mod translate;
mod work;
