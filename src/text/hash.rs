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

/// The first digits of a hash, which tell the versions of a file apart. Written as six hex digits; more are
/// accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashTag(String);

impl HashTag {
    /// Number of digits that are written.
    const DIGITS: usize = 6;

    /// Returns `true` if a hash begins with these digits.
    pub fn is_of(&self, hash: ContentHash) -> bool {
        hash.to_string()[PREFIX.len()..].starts_with(&self.0)
    }

    /// Returns `true` if another tag begins with these digits.
    pub fn begins(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }
}

impl From<ContentHash> for HashTag {
    fn from(hash: ContentHash) -> Self {
        Self(hash.to_string()[PREFIX.len()..][..Self::DIGITS].to_owned())
    }
}

impl fmt::Display for HashTag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for HashTag {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let digits = text.strip_prefix('#').or_else(|| text.strip_prefix(PREFIX)).unwrap_or(text);
        let is_digit = |sign: char| matches!(sign, '0'..='9' | 'a'..='f');
        let fits = (Self::DIGITS..=LENGTH * 2).contains(&digits.len());
        if fits && digits.chars().all(is_digit) { Ok(Self(digits.to_owned())) } else { Err(ParseHashError) }
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
    fn a_tag_is_the_start_of_a_hash() {
        let hash = ContentHash::of(b"text");
        let tag = HashTag::from(hash);
        assert_eq!(tag.to_string(), hash.to_string()[3..9]);
        for text in [tag.to_string(), format!("#{tag}"), hash.to_string(), hash.to_string()[3..20].to_owned()]
        {
            assert!(text.parse::<HashTag>().is_ok_and(|tag| tag.is_of(hash)), "{text}");
        }
        for text in ["", "#", "12345", "ABCDEF", "12345g", "#b3:123456"] {
            assert_eq!(text.parse::<HashTag>(), Err(ParseHashError), "{text}");
        }
        assert!(!HashTag::from(ContentHash::of(b"other")).is_of(hash));
    }

    #[test]
    fn pieces_hash_like_the_whole() {
        let pieces: [&[u8]; 3] = [b"one", b"", b" two"];
        assert_eq!(ContentHash::of_chunks(pieces), ContentHash::of(b"one two"));
    }
}
