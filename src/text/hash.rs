//! Content hashes of files.

use std::fmt;
use std::str::FromStr;

const PREFIX: &str = "b3:";
const LENGTH: usize = 16;

/// The first 128 bits of the BLAKE3 hash of a whole file. Written as `b3:` and 32 hex digits.
///
/// Collisions cannot be constructed, so equal hashes are treated as equal bytes everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; LENGTH]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self::truncated(&blake3::hash(bytes))
    }

    /// Hashes the concatenation of `chunks`.
    pub fn of_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Hasher::default();
        for chunk in chunks {
            hasher.update(chunk);
        }
        hasher.finish()
    }

    /// Creates a hash from its raw bytes.
    pub fn from_bytes(bytes: [u8; LENGTH]) -> Self {
        Self(bytes)
    }

    /// Returns the raw bytes, for keys and files.
    pub fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    fn truncated(hash: &blake3::Hash) -> Self {
        Self(*hash.as_bytes().first_chunk().expect("a BLAKE3 hash has 32 bytes"))
    }
}

/// Incremental hasher.
#[derive(Debug, Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    /// Appends a piece to the input.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the hash of all pieces.
    pub fn finish(self) -> ContentHash {
        ContentHash::truncated(&self.0.finalize())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The error for a string that is not `b3:` followed by 32 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash is `b3:` and 32 hex digits")]
pub struct ParseHashError;

impl FromStr for ContentHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        // `from_str_radix` also accepts a sign.
        let is_hash = |digits: &&str| digits.len() == LENGTH * 2 && !digits.starts_with('+');
        let digits = text.strip_prefix(PREFIX).filter(is_hash).ok_or(ParseHashError)?;
        u128::from_str_radix(digits, 16).map_or(Err(ParseHashError), |bits| Ok(Self(bits.to_be_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_hash_can_be_parsed() {
        let hash = ContentHash::of(b"text");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(hash.to_string().len(), 35);
        assert_eq!(hash.to_string().to_uppercase().parse::<ContentHash>(), Err(ParseHashError));
        assert_eq!("b3:+1".parse::<ContentHash>(), Err(ParseHashError));
    }

    #[test]
    fn pieces_hash_like_the_whole() {
        let pieces: [&[u8]; 3] = [b"one", b"", b" two"];
        assert_eq!(ContentHash::of_chunks(pieces), ContentHash::of(b"one two"));
    }
}
