//! Disks for tests, compiled into `editd_disk` only for tests: a disk in memory, and a disk that fails.

mod failing;
mod memory;

pub use failing::FailingDisk;
pub use memory::MemoryDisk;
