//! Text: buffers, line endings, encodings, content hashes and positions. No I/O.
//!
//! All items define a line as the Language Server Protocol does: LF, CRLF and a lone CR end a line, nothing
//! else does.
//!
//! ```
//! use editd_text::{EolStyle, eol_style, decode, lines};
//!
//! let decoded = decode(b"one\r\ntwo\r\n", None)?;
//! assert_eq!(eol_style(&decoded.text), EolStyle::Crlf);
//! assert_eq!(lines(&decoded.text).count(), 2);
//! // Encoding the text again restores the exact bytes, including byte order mark and encoding.
//! assert_eq!(*decoded.format.encode(&decoded.text)?, *b"one\r\ntwo\r\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buffer;
mod declared;
mod decode;
mod encoding;
mod hash;
mod hidden;
mod line_endings;
mod lines;
mod position;
mod streaming;
mod style;

pub use buffer::Text;
pub use declared::declares;
pub use decode::{Decoded, DecodedVec, NotText, decode, decode_as, decode_vec, marks_of_content};
pub use encoding::{Encoding, Format, Unencodable};
pub use hash::{ContentHash, HashTag, Hasher, ParseHashError};
pub use hidden::{is_hidden, visible, with_codes};
pub use line_endings::{eq_ignoring_crlf, normalize_line_endings};
pub use lines::{Line, LineEnding, count_lines, line_end, line_start, lines};
pub use position::{Position, PositionEncoding};
pub use streaming::{StreamedText, TextStreamer};
pub use style::{EolStyle, IndentKind, IndentStyle, eol_style, indent_style};

pub use decode::BINARY_WINDOW;
pub use lines::{LineIndex, count_line_ends, floor_char_boundary};
