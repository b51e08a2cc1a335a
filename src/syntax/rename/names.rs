//! The tables of the languages.

#![expect(clippy::unnecessary_wraps, reason = "all functions that compute roles have one type")]

mod bash;
mod c;
mod go;
mod java;
mod javascript;
mod lua;
mod python;
mod rust;

use super::table::Names;
use crate::Language;

/// The grammars of these languages are known, but not in which positions their names are declared.
#[cfg(feature = "all-grammars")]
const NOT_YET: Option<&'static Names> = None;

/// Returns the table of a language, or `None` if the uses of its names cannot be known.
pub(super) fn names(language: Language) -> Option<&'static Names> {
    match language {
        Language::Bash => Some(&bash::BASH),
        Language::C => Some(&c::C),
        Language::Go => Some(&go::GO),
        Language::Java => Some(&java::JAVA),
        Language::JavaScript | Language::Tsx | Language::TypeScript => Some(&javascript::JAVASCRIPT),
        Language::Lua => Some(&lua::LUA),
        Language::Python => Some(&python::PYTHON),
        Language::Rust => Some(&rust::RUST),
        Language::Css
        | Language::Html
        | Language::Json
        | Language::Markdown
        | Language::Toml
        | Language::Yaml => None,
        #[cfg(feature = "all-grammars")]
        Language::Cpp
        | Language::CSharp
        | Language::Kotlin
        | Language::Php
        | Language::Ruby
        | Language::Swift => NOT_YET,
    }
}
