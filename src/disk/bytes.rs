//! The bytes of a whole file, shared instead of copied.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Keeps the bytes of a piece alive.
type Owner = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The immutable bytes of a whole file. Cheap to clone.
///
/// They may consist of several pieces: an edit of a large file is written from slices of the old text and the
/// new text. Concatenating them first would cost as much as writing them.
#[derive(Clone, Default)]
pub struct FileBytes {
    pieces: Arc<[Piece]>,
    len: usize,
}

/// A slice of shared bytes.
#[derive(Clone)]
pub struct Piece {
    owner: Owner,
    range: Range<usize>,
}

impl FileBytes {
    /// Concatenates pieces.
    pub fn of_pieces(pieces: Vec<Piece>) -> Self {
        let len = pieces.iter().map(|piece| piece.bytes().len()).sum();
        Self { pieces: pieces.into(), len }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Iterates over the bytes, piece by piece.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(Piece::bytes)
    }

    /// Copies the bytes into one vector.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len);
        self.pieces().for_each(|piece| bytes.extend_from_slice(piece));
        bytes
    }

    /// Returns `true` if the bytes at `offset` begin with the whole of `other`.
    pub fn has_at(&self, offset: usize, mut other: &[u8]) -> bool {
        let mut before = 0;
        for piece in self.pieces() {
            let skipped = (offset.saturating_sub(before)).min(piece.len());
            let common = (piece.len() - skipped).min(other.len());
            if piece[skipped..skipped + common] != other[..common] {
                return false;
            }
            other = &other[common..];
            before += piece.len();
        }
        other.is_empty()
    }
}

impl Piece {
    /// Takes the bytes of `range`, clipped to the owner's bytes.
    pub fn new(owner: Arc<impl AsRef<[u8]> + Send + Sync + 'static>, range: Range<usize>) -> Self {
        let end = range.end.min((*owner).as_ref().len());
        Self { owner, range: range.start.min(end)..end }
    }

    fn bytes(&self) -> &[u8] {
        (*self.owner).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(Arc::new(bytes))
    }
}

impl<T: AsRef<[u8]> + Send + Sync + 'static> From<Arc<T>> for FileBytes {
    fn from(owner: Arc<T>) -> Self {
        Self::of_pieces(vec![Piece::new(owner, 0..usize::MAX)])
    }
}

impl PartialEq<[u8]> for FileBytes {
    fn eq(&self, other: &[u8]) -> bool {
        self.len == other.len() && self.has_at(0, other)
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileBytes({} in {} pieces)", self.len, self.pieces.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn joined(parts: &[Vec<u8>]) -> FileBytes {
        let piece = |part: &Vec<u8>| Piece::new(Arc::new(part.clone()), 0..part.len());
        FileBytes::of_pieces(parts.iter().map(piece).collect())
    }

    #[test]
    fn a_piece_ends_where_its_owner_does() {
        let owner = Arc::new("text".to_owned());
        let pieces = [2..9, 7..9, Range { start: 4, end: 2 }].map(|range| Piece::new(owner.clone(), range));
        assert_eq!(FileBytes::of_pieces(pieces.to_vec()).to_vec(), b"xt");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn pieces_are_compared_like_the_whole(
            parts in proptest::collection::vec(proptest::collection::vec(0_u8..2, 0..4), 0..4),
            other in proptest::collection::vec(0_u8..2, 0..5),
            offset in 0_usize..14,
        ) {
            let (bytes, whole) = (joined(&parts), parts.concat());
            let there = whole.get(offset..offset + other.len()) == Some(&other[..]);
            prop_assert_eq!(bytes.has_at(offset, &other), there || other.is_empty());
            prop_assert_eq!(bytes == *whole, true);
            prop_assert_eq!(bytes == *other, whole == other);
            prop_assert_eq!(bytes.to_vec(), whole);
        }
    }
}
