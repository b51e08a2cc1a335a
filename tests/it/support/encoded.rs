//! Text in encodings other than UTF-8.

pub(crate) fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(to_bytes).collect()
}

/// Encodes Latin-1 text.
pub(crate) fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).expect("a Latin character")).collect()
}

pub(crate) const FRENCH: &str = "Le café était fermé, déjà à la fenêtre du garçon naïf.\n\
                                 L'été, la forêt près de la rivière était très agréable.\n\
                                 Où êtes-vous allés après le dîner à l'hôtel ?\n";
