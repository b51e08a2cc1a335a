//! Encodings: conversion of text to bytes.

use std::borrow::Cow;

use encoding_rs::EncoderResult;

pub(super) const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
pub(super) const UTF16LE_BOM: &[u8] = b"\xFF\xFE";
pub(super) const UTF16BE_BOM: &[u8] = b"\xFE\xFF";
/// Code point for stray byte 0; only those for 0x80 to 0xFF are used. The last private-use plane is
/// practically unused, and the round-trip check of `decode` catches texts that do use it.
const STRAY: u32 = 0x10_FF00;
const STRAY_NAME: &str = "utf-8-stray";

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 with a few invalid bytes, each represented by one opaque character U+10FF80 to U+10FFFF.
    Utf8Stray,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// A legacy, non-Unicode encoding of the WHATWG Encoding Standard.
    Legacy(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// Returns the encoding for a label of the WHATWG Encoding Standard (`latin1`, `UTF-8`, ...), in any
    /// case.
    pub fn from_label(label: &str) -> Option<Self> {
        if label.trim().eq_ignore_ascii_case(STRAY_NAME) {
            return Some(Self::Utf8Stray);
        }
        let found = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        Some(match found {
            found if found == encoding_rs::UTF_8 => Self::Utf8,
            found if found == encoding_rs::UTF_16LE => Self::Utf16Le,
            found if found == encoding_rs::UTF_16BE => Self::Utf16Be,
            found => Self::Legacy(found),
        })
    }

    /// Returns the lower-case name, which [`Encoding::from_label`] accepts. UTF-8 with stray bytes has the
    /// non-standard name `utf-8-stray`.
    pub fn name(self) -> String {
        match self {
            Self::Utf8 => "utf-8".to_owned(),
            Self::Utf8Stray => STRAY_NAME.to_owned(),
            Self::Utf16Le => "utf-16le".to_owned(),
            Self::Utf16Be => "utf-16be".to_owned(),
            Self::Legacy(encoding) => encoding.name().to_ascii_lowercase(),
        }
    }

    pub(super) fn bom(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Utf8Stray => UTF8_BOM,
            Self::Utf16Le => UTF16LE_BOM,
            Self::Utf16Be => UTF16BE_BOM,
            Self::Legacy(_) => b"",
        }
    }
}

/// The encoding and byte order mark of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The encoding.
    pub encoding: Encoding,
    /// `true` if the file starts with a byte order mark, which is not part of the text.
    pub bom: bool,
    /// `true` if the encoding was guessed from the statistics of the text and may be wrong.
    pub guessed: bool,
}

/// A character that the encoding cannot represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the encoding cannot represent U+{:04X} at byte {offset}", u32::from(*.character))]
pub struct Unencodable {
    /// Byte offset of the character in the text.
    pub offset: usize,
    /// The character.
    pub character: char,
}

impl Format {
    /// Returns `true` if the same text has the same bytes in both formats.
    pub fn is_written_as(self, other: Self) -> bool {
        (self.encoding, self.bom) == (other.encoding, other.bom)
    }

    /// UTF-8 without a byte order mark: the format of new files.
    pub const UTF8: Self = Self { encoding: Encoding::Utf8, bom: false, guessed: false };

    /// Encodes `text`, with the byte order mark if the format has one. Plain UTF-8 is borrowed, not copied.
    pub fn encode<'a>(&self, text: &'a str) -> Result<Cow<'a, [u8]>, Unencodable> {
        let body = match self.encoding {
            Encoding::Utf8 => Cow::Borrowed(text.as_bytes()),
            Encoding::Utf8Stray => Cow::Owned(encode_stray(text)),
            Encoding::Utf16Le => Cow::Owned(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Cow::Owned(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Encoding::Legacy(encoding) => encode_legacy(encoding, text)?,
        };
        Ok(if self.bom { Cow::Owned([self.encoding.bom(), &body].concat()) } else { body })
    }

    /// Returns `true` if `added`, the text that an edit inserts, encodes to the same bytes under every likely
    /// encoding: a guessed encoding accepts only ASCII.
    pub fn takes(&self, added: &str) -> bool {
        !self.guessed || added.is_ascii()
    }
}

/// Returns the character that represents an invalid UTF-8 byte.
pub(super) fn stray_char(byte: u8) -> char {
    char::from_u32(STRAY + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn stray_byte(character: char) -> Option<u8> {
    let byte = u32::from(character).checked_sub(STRAY)?;
    u8::try_from(byte).ok().filter(|&byte| byte >= 0x80)
}

fn encode_stray(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match stray_byte(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

fn encode_legacy<'a>(
    encoding: &'static encoding_rs::Encoding,
    text: &'a str,
) -> Result<Cow<'a, [u8]>, Unencodable> {
    let (bytes, _, replaced) = encoding.encode(text);
    if !replaced {
        return Ok(bytes);
    }
    // Slow path, only for the error: find the first character that cannot be encoded.
    let mut encoder = encoding.new_encoder();
    let mut buffer = vec![0; text.len() * 4 + 64];
    match encoder.encode_from_utf8_without_replacement(text, &mut buffer, true) {
        (EncoderResult::Unmappable(character), read, _) => {
            Err(Unencodable { offset: read - character.len_utf8(), character })
        }
        (_, read, _) => Err(Unencodable { offset: read, character: char::REPLACEMENT_CHARACTER }),
    }
}
