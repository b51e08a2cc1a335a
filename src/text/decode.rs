//! Bytes to text, without ever losing a byte.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use memchr::memchr;

use super::encoding::{UTF8_BOM, UTF16BE_BOM, UTF16LE_BOM, stray_char};
use super::{Encoding, Format, Legacy};

/// Bytes in which a NUL makes a file binary.
pub(crate) const BINARY_WINDOW: usize = 8 * 1024;
/// Bytes shown to the statistics; they are slow (about 100 ms a megabyte).
const GUESS_WINDOW: usize = 64 * 1024;
/// Up to here, stray bytes may be as many as the multi-byte characters beside them.
const FEW_STRAYS: usize = 8;

/// A file's text, and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// How to write it again: [`Format::encode`] of `text` gives the file's bytes.
    pub format: Format,
}

/// A file's text that needs its bytes no more, and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedVec {
    /// The text, without a byte order mark.
    pub text: String,
    /// How to write it again.
    pub format: Format,
    /// The file's bytes, where they are not the text's own.
    pub bytes: Option<Vec<u8>>,
}

/// Why bytes are no text that could be edited safely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// It has NUL bytes.
    #[error("the file is binary")]
    Binary,
    /// No encoding (or not the declared one) gives these bytes back.
    #[error("the file's encoding is not known")]
    Encoding,
}

/// Decodes a file. A byte order mark decides; else `declared` does; else, in this order: UTF-8, UTF-16
/// by the pattern of its NULs, UTF-8 with a few stray bytes, the best guess among the legacy encodings.
///
/// Whatever is returned encodes to the same bytes again.
///
/// ```
/// use editd::text::{NotText, decode};
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
/// looked through only once. Gives the bytes back where they are no text.
pub fn decode_vec(bytes: Vec<u8>) -> Result<DecodedVec, (Vec<u8>, NotText)> {
    let marked = [UTF8_BOM, UTF16LE_BOM, UTF16BE_BOM].iter().any(|bom| bytes.starts_with(bom));
    if marked || has_nul(&bytes) {
        return decode_kept(bytes);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(DecodedVec { text, format: Format::UTF8, bytes: None }),
        Err(error) => decode_kept(error.into_bytes()),
    }
}

fn decode_kept(bytes: Vec<u8>) -> Result<DecodedVec, (Vec<u8>, NotText)> {
    let decoded = decode(&bytes, None).map(|Decoded { text, format }| (text.into_owned(), format));
    match decoded {
        Ok((text, format)) => Ok(DecodedVec { text, format, bytes: Some(bytes) }),
        Err(why) => Err((bytes, why)),
    }
}

pub(super) fn has_nul(bytes: &[u8]) -> bool {
    memchr(0, &bytes[..bytes.len().min(BINARY_WINDOW)]).is_some()
}

fn with_bom(body: &[u8], encoding: Encoding) -> Result<Decoded<'_>, NotText> {
    // Four bytes of order mark would be UTF-32, which nobody edits; two NULs tell it apart.
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
    let format = |encoding| Format { encoding, bom: false, guessed: false };
    if has_nul(bytes) {
        let encoding = utf16_without_bom(bytes).ok_or(NotText::Binary)?;
        return checked(bytes, Format { guessed: true, ..format(encoding) }).ok_or(NotText::Binary);
    }
    if let Some(decoded) = checked(bytes, format(Encoding::Utf8)) {
        return Ok(decoded);
    }
    let stray = if mostly_utf8(bytes) { checked(bytes, format(Encoding::Utf8Stray)) } else { None };
    let guess = || Format { guessed: true, ..format(guess(bytes)) };
    stray.or_else(|| checked(bytes, guess())).or_else(|| western(bytes)).ok_or(NotText::Encoding)
}

/// The text of bytes that are known to be written in this format; nothing if they are not.
pub fn decode_as(bytes: &[u8], format: Format) -> Option<Cow<'_, str>> {
    let body = if format.bom { bytes.strip_prefix(format.encoding.bom())? } else { bytes };
    checked(body, format).map(|decoded| decoded.text)
}

/// What every byte can be read as, if all else fails.
fn western(bytes: &[u8]) -> Option<Decoded<'_>> {
    let encoding = Encoding::Legacy(Legacy(encoding_rs::WINDOWS_1252));
    checked(bytes, Format { encoding, bom: false, guessed: true })
}

/// The text of `body` (no byte order mark) if it encodes to the same bytes.
fn checked(body: &[u8], format: Format) -> Option<Decoded<'_>> {
    let text = match format.encoding {
        Encoding::Utf8 => return str::from_utf8(body).ok().map(|text| Decoded { text: text.into(), format }),
        Encoding::Utf8Stray => Cow::Owned(decode_stray(body)),
        Encoding::Utf16Le => Cow::Owned(decode_utf16(body, u16::from_le_bytes)?),
        Encoding::Utf16Be => Cow::Owned(decode_utf16(body, u16::from_be_bytes)?),
        Encoding::Legacy(Legacy(encoding)) => encoding.decode_without_bom_handling(body).0,
    };
    let same = Format { bom: false, ..format }.encode(&text).is_ok_and(|again| *again == *body);
    same.then_some(Decoded { text, format })
}

fn decode_utf16(body: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = body.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    let text: Option<String> = char::decode_utf16(units).map(Result::ok).collect();
    text.filter(|_| rest.is_empty())
}

/// ASCII in UTF-16 has a NUL in every pair, always on the same side. Half of the pairs is enough, as long
/// as the other side has none at all.
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

/// Whether `bytes` are UTF-8 but for a few bytes. Multi-byte characters come about in no other encoding
/// by accident but rarely, so they are the evidence: there must be at least as many of them as there are
/// strays, and four times as many where the strays are more than a few. ASCII with strays and nothing else
/// is no evidence for UTF-8, and is left to the guess, which keeps its bytes as well.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut strays, mut characters) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        strays += chunk.invalid().len();
        characters += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
    }
    strays <= characters && (strays <= FEW_STRAYS || strays * 4 <= characters)
}

fn guess(bytes: &[u8]) -> Encoding {
    let window = &bytes[..bytes.len().min(GUESS_WINDOW)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, window.len() == bytes.len());
    Encoding::Legacy(Legacy(detector.guess(None, Utf8Detection::Deny)))
}

#[cfg(test)]
mod tests;
