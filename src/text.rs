//! Text: buffers, line ends, encodings, content hashes and positions. Pure.
