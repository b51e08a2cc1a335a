//! The queries of each language.

use crate::Language;

/// Name of the grammar of text in Markdown, as its grammar of blocks calls it.
pub(super) const MARKDOWN_INLINE: &str = "markdown_inline";

/// Names of languages in a text, with the names that this module has for them.
pub(super) const ALIASES: [(&str, &str); 10] = [
    ("sh", "bash"),
    ("shell", "bash"),
    ("console", "bash"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("ts", "typescript"),
    ("py", "python"),
    ("rs", "rust"),
    ("yml", "yaml"),
    ("golang", "go"),
];

/// Queries of a language. Of two patterns for one word, the later one counts.
#[derive(Debug, Default)]
pub(super) struct Queries {
    pub(super) colours: String,
    /// Finds texts in other languages.
    pub(super) embedded: &'static str,
    /// Finds names that are declared in the text.
    pub(super) locals: &'static str,
}

impl Queries {
    fn new(colours: &str) -> Self {
        Self { colours: colours.to_owned(), ..Self::default() }
    }

    fn joined(colours: &[&str]) -> Self {
        Self { colours: colours.join("\n"), ..Self::default() }
    }

    fn embedded(mut self, embedded: &'static str) -> Self {
        self.embedded = embedded;
        self
    }

    fn locals(mut self, locals: &'static str) -> Self {
        self.locals = locals;
        self
    }
}

/// Returns the queries of text in Markdown.
pub(super) fn markdown_inline() -> Queries {
    Queries::new(tree_sitter_md::HIGHLIGHT_QUERY_INLINE).embedded(tree_sitter_md::INJECTION_QUERY_INLINE)
}

/// Returns the queries of a language. They are empty if its grammar brings none along.
pub(super) fn of(language: Language) -> Queries {
    use tree_sitter_javascript as javascript;
    use tree_sitter_typescript as typescript;
    match language {
        Language::Bash => Queries::new(tree_sitter_bash::HIGHLIGHT_QUERY),
        Language::C => Queries::new(tree_sitter_c::HIGHLIGHT_QUERY),
        Language::Css => Queries::new(tree_sitter_css::HIGHLIGHTS_QUERY),
        Language::Go => Queries::new(tree_sitter_go::HIGHLIGHTS_QUERY),
        Language::Html => {
            Queries::new(tree_sitter_html::HIGHLIGHTS_QUERY).embedded(tree_sitter_html::INJECTIONS_QUERY)
        }
        Language::Java => Queries::new(tree_sitter_java::HIGHLIGHTS_QUERY),
        Language::JavaScript => {
            Queries::joined(&[javascript::HIGHLIGHT_QUERY, javascript::JSX_HIGHLIGHT_QUERY])
                .embedded(javascript::INJECTIONS_QUERY)
                .locals(javascript::LOCALS_QUERY)
        }
        Language::Json => Queries::new(tree_sitter_json::HIGHLIGHTS_QUERY),
        Language::Lua => {
            Queries::new(tree_sitter_lua::HIGHLIGHTS_QUERY).locals(tree_sitter_lua::LOCALS_QUERY)
        }
        Language::Markdown => Queries::new(tree_sitter_md::HIGHLIGHT_QUERY_BLOCK)
            .embedded(tree_sitter_md::INJECTION_QUERY_BLOCK),
        Language::Python => Queries::new(tree_sitter_python::HIGHLIGHTS_QUERY),
        Language::Rust => Queries::new(tree_sitter_rust::HIGHLIGHTS_QUERY),
        Language::Toml => Queries::new(tree_sitter_toml_ng::HIGHLIGHTS_QUERY),
        // These queries extend those of JavaScript.
        Language::TypeScript => Queries::joined(&[javascript::HIGHLIGHT_QUERY, typescript::HIGHLIGHTS_QUERY])
            .locals(typescript::LOCALS_QUERY),
        Language::Tsx => Queries::joined(&[
            javascript::HIGHLIGHT_QUERY,
            javascript::JSX_HIGHLIGHT_QUERY,
            typescript::HIGHLIGHTS_QUERY,
        ])
        .locals(typescript::LOCALS_QUERY),
        Language::Yaml => Queries::new(tree_sitter_yaml::HIGHLIGHTS_QUERY),
        #[cfg(feature = "all-grammars")]
        Language::Cpp => Queries::joined(&[tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY]),
        #[cfg(feature = "all-grammars")]
        Language::CSharp => Queries::new(tree_sitter_c_sharp::HIGHLIGHTS_QUERY),
        #[cfg(feature = "all-grammars")]
        Language::Kotlin => Queries::default(),
        #[cfg(feature = "all-grammars")]
        Language::Php => Queries::new(tree_sitter_php::HIGHLIGHTS_QUERY),
        #[cfg(feature = "all-grammars")]
        Language::Ruby => {
            Queries::new(tree_sitter_ruby::HIGHLIGHTS_QUERY).locals(tree_sitter_ruby::LOCALS_QUERY)
        }
        #[cfg(feature = "all-grammars")]
        Language::Swift => Queries::new(tree_sitter_swift::HIGHLIGHTS_QUERY),
    }
}
