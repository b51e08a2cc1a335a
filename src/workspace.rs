//! The rules of the product: sessions, what each has read, proposals, refusals. Pure.

mod file_key;

pub use file_key::FileKey;
