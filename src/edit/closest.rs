//! Regions that come near a text that stands nowhere.

use memchr::memmem;

use super::EditRefusalKind;
use super::base::Base;
use super::fold::Level;
use super::needle::Needle;

/// The refusal for a text that stands nowhere.
pub(super) fn not_found(base: &Base<'_>, needle: &Needle<'_>) -> EditRefusalKind {
    let there = || memmem::find(base.view(Level::LineEnds).text().as_bytes(), needle.new.as_bytes()).is_some();
    let already_applied = !needle.new.trim().is_empty() && there();
    EditRefusalKind::NotFound { closest: Vec::new(), already_applied }
}
