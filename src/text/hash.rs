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

    /// Returns the raw bytes, for keys and files.
    pub fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    fn truncated(hash: &blake3::Hash) -> Self {
        let mut bits = [0; LENGTH];
        bits.copy_from_slice(&hash.as_bytes()[..LENGTH]);
        Self(bits)
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
        formatter.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
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
        let digits = text.strip_prefix(PREFIX).ok_or(ParseHashError)?.as_bytes();
        if digits.len() != LENGTH * 2 {
            return Err(ParseHashError);
        }
        let mut bits = [0; LENGTH];
        for (bit, pair) in bits.iter_mut().zip(digits.chunks_exact(2)) {
            *bit = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(bits))
    }
}

fn nibble(digit: u8) -> Result<u8, ParseHashError> {
    let value = char::from(digit).to_digit(16).ok_or(ParseHashError)?;
    u8::try_from(value).map_err(|_| ParseHashError)
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
