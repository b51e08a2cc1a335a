//! A daemon with folders of its own, and a client of its socket. The benches that measure the whole program share
//! them.

pub(crate) mod client;
pub(crate) mod machine;
