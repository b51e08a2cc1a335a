//! Lossless decoding of bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use memchr::memchr;

use super::encoding::{UTF8_BOM, UTF16BE_BOM, UTF16LE_BOM, stray_char};
use super::{Encoding, Format};

/// A NUL within this many first bytes makes a file binary.
pub const BINARY_WINDOW: usize = 8 * 1024;
/// Number of bytes that the encoding detector reads; it is slow (about 100 ms per megabyte).
const GUESS_WINDOW: usize = 64 * 1024;
/// Maximum number of stray bytes for which as many multi-byte characters are evidence enough.
const MAX_FEW_STRAYS: usize = 8;

/// The decoded text of a file, with its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// Format of the file: [`Format::encode`] of `text` returns the file's bytes.
    pub format: Format,
}

/// The decoded and owned text of a file, with its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedVec {
    /// The text, without a byte order mark.
    pub text: String,
    /// Format of the file.
    pub format: Format,
    /// The file's bytes, if they differ from those of `text`.
    pub bytes: Option<Vec<u8>>,
}

/// The reason why bytes cannot be edited safely as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// The bytes contain NUL.
    #[error("the file is binary")]
    Binary,
    /// No encoding (or not the declared one) restores these bytes.
    #[error("the file's encoding is unknown")]
    Encoding,
}

/// Decodes a file. The encoding is that of the byte order mark, if there is one, else `declared`; else the
/// first that fits of: UTF-8, UTF-16 by the pattern of its NULs, UTF-8 with a few stray bytes, the best guess
/// among the legacy encodings.
///
/// The result always encodes to the same bytes again.
///
/// ```
/// use editd_text::{NotText, decode};
///
/// let bytes = b"\xef\xbb\xbfcaf\xc3\xa9\r\n";
/// let decoded = decode(bytes, None).unwrap();
/// assert_eq!(decoded.text, "café\r\n");
/// assert!(decoded.format.bom);
/// assert_eq!(*decoded.format.encode(&decoded.text).unwrap(), *bytes);
///
/// assert_eq!(decode(b"\x7fELF\0\0", None).unwrap_err(), NotText::Binary);
/// ```
pub fn decode(bytes: &[u8], declared: Option<Encoding>) -> Result<Decoded<'_>, NotText> {
    for (bom, encoding) in
        [(UTF8_BOM, Encoding::Utf8), (UTF16LE_BOM, Encoding::Utf16Le), (UTF16BE_BOM, Encoding::Utf16Be)]
    {
        if let Some(body) = bytes.strip_prefix(bom) {
            return with_bom(body, encoding);
        }
    }
    match declared {
        Some(encoding) => {
            checked(bytes, Format { encoding, bom: false, guessed: false }).ok_or(NotText::Encoding)
        }
        None => detect(bytes),
    }
}

/// Like [`decode`] without a declared encoding, but plain UTF-8 becomes the text without a copy and is
/// scanned only once. Returns the bytes with the error if they are not text.
pub fn decode_vec(bytes: Vec<u8>) -> Result<DecodedVec, (Vec<u8>, NotText)> {
    let marked = [UTF8_BOM, UTF16LE_BOM, UTF16BE_BOM].iter().any(|bom| bytes.starts_with(bom));
    let bytes = if marked || has_nul(&bytes) {
        bytes
    } else {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(DecodedVec { text, format: Format::UTF8, bytes: None }),
            Err(error) => error.into_bytes(),
        }
    };
    match decode(&bytes, None).map(|Decoded { text, format }| (text.into_owned(), format)) {
        Ok((text, format)) => Ok(DecodedVec { text, format, bytes: Some(bytes) }),
        Err(error) => Err((bytes, error)),
    }
}

pub(super) fn has_nul(bytes: &[u8]) -> bool {
    memchr(0, &bytes[..bytes.len().min(BINARY_WINDOW)]).is_some()
}

/// Returns the number of characters U+FEFF at the start of the content of a file that begins with `bytes`, without its
/// byte order mark.
///
/// ```
/// use editd_text::marks_of_content;
///
/// assert_eq!(marks_of_content("\u{feff}abc".as_bytes()), 0);
/// assert_eq!(marks_of_content("\u{feff}\u{feff}abc".as_bytes()), 1);
/// ```
pub fn marks_of_content(bytes: &[u8]) -> usize {
    let count = |bom: &[u8]| bytes.chunks(bom.len()).take_while(|chunk| *chunk == bom).count();
    let marks = [UTF8_BOM, UTF16LE_BOM, UTF16BE_BOM].map(count);
    marks.into_iter().max().unwrap_or_default().saturating_sub(1)
}

fn with_bom(body: &[u8], encoding: Encoding) -> Result<Decoded<'_>, NotText> {
    // FF FE 00 00 is the byte order mark of UTF-32, which is not supported.
    if encoding == Encoding::Utf16Le && body.starts_with(&[0, 0]) {
        return Err(NotText::Binary);
    }
    let format = Format { encoding, bom: true, guessed: false };
    if let Some(decoded) = checked(body, format) {
        return Ok(decoded);
    }
    let stray = (encoding == Encoding::Utf8).then_some(Format { encoding: Encoding::Utf8Stray, ..format });
    stray.and_then(|format| checked(body, format)).ok_or(NotText::Encoding)
}

fn detect(bytes: &[u8]) -> Result<Decoded<'_>, NotText> {
    let decoded = |encoding, guessed| checked(bytes, Format { encoding, bom: false, guessed });
    if has_nul(bytes) {
        let encoding = utf16_without_bom(bytes).ok_or(NotText::Binary)?;
        return decoded(encoding, true).ok_or(NotText::Binary);
    }
    decoded(Encoding::Utf8, false)
        .or_else(|| if mostly_utf8(bytes) { decoded(Encoding::Utf8Stray, false) } else { None })
        .or_else(|| decoded(guess(bytes), true))
        // The last resort can decode any byte.
        .or_else(|| decoded(Encoding::Legacy(encoding_rs::WINDOWS_1252), true))
        .ok_or(NotText::Encoding)
}

/// Decodes bytes in a known format. Returns `None` if they are not in this format.
pub fn decode_as(bytes: &[u8], format: Format) -> Option<Cow<'_, str>> {
    let body = if format.bom { bytes.strip_prefix(format.encoding.bom())? } else { bytes };
    checked(body, format).map(|decoded| decoded.text)
}

/// Decodes `body` (without byte order mark). Returns `None` if the text does not encode to the same bytes.
fn checked(body: &[u8], format: Format) -> Option<Decoded<'_>> {
    let text = match format.encoding {
        Encoding::Utf8 => return str::from_utf8(body).ok().map(|text| Decoded { text: text.into(), format }),
        Encoding::Utf8Stray => Cow::Owned(decode_stray(body)),
        Encoding::Utf16Le => Cow::Owned(decode_utf16(body, u16::from_le_bytes)?),
        Encoding::Utf16Be => Cow::Owned(decode_utf16(body, u16::from_be_bytes)?),
        Encoding::Legacy(encoding) => encoding.decode_without_bom_handling(body).0,
    };
    let same = Format { bom: false, ..format }.encode(&text).is_ok_and(|encoded| *encoded == *body);
    same.then_some(Decoded { text, format })
}

fn decode_utf16(body: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = body.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    let text: Option<String> = char::decode_utf16(units).map(Result::ok).collect();
    text.filter(|_| rest.is_empty())
}

/// Detects UTF-16 by its NULs. ASCII in UTF-16 has a NUL in every pair, always on the same side. Half of the
/// pairs is enough, as long as the other side has none at all.
fn utf16_without_bom(bytes: &[u8]) -> Option<Encoding> {
    let (pairs, _) = bytes[..bytes.len().min(BINARY_WINDOW)].as_chunks::<2>();
    let high = pairs.iter().filter(|pair| pair[1] == 0).count();
    let low = pairs.iter().filter(|pair| pair[0] == 0).count();
    match (low, high) {
        (0, high) if high * 2 >= pairs.len() => Some(Encoding::Utf16Le),
        (low, 0) if low * 2 >= pairs.len() => Some(Encoding::Utf16Be),
        _ => None,
    }
}

pub(super) fn decode_stray(body: &[u8]) -> String {
    let mut text = String::with_capacity(body.len() + 16);
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| stray_char(byte)));
    }
    text
}

/// Returns `true` if `bytes` are UTF-8 except for a few stray bytes. Multi-byte characters rarely occur by
/// accident in another encoding, so they are the evidence: there must be at least as many of them as strays,
/// and four times as many if there are more than [`MAX_FEW_STRAYS`]. ASCII with strays and nothing else is no
/// evidence for UTF-8; it is left to the guess, which keeps the bytes as well.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut strays, mut characters) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        strays += chunk.invalid().len();
        characters += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
    }
    strays <= characters && (strays <= MAX_FEW_STRAYS || strays * 4 <= characters)
}

fn guess(bytes: &[u8]) -> Encoding {
    let window = &bytes[..bytes.len().min(GUESS_WINDOW)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, window.len() == bytes.len());
    Encoding::Legacy(detector.guess(None, Utf8Detection::Deny))
}

#[cfg(test)]
mod tests;
