//! Languages with a grammar.

use std::path::Path;

/// A language with a grammar. Some need the cargo feature `all-grammars`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    strum::IntoStaticStr,
    strum::Display,
    strum::EnumIter,
    strum::EnumCount,
)]
#[strum(serialize_all = "lowercase")]
pub enum Language {
    /// Shell scripts.
    Bash,
    /// C, without C++ headers.
    C,
    /// CSS.
    Css,
    /// Go.
    Go,
    /// HTML.
    Html,
    /// Java.
    Java,
    /// JavaScript, with JSX.
    JavaScript,
    /// JSON, also with comments.
    Json,
    /// Lua.
    Lua,
    /// Markdown.
    Markdown,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// TOML.
    Toml,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
    /// YAML.
    Yaml,
    /// C++.
    #[cfg(feature = "all-grammars")]
    Cpp,
    /// C#.
    #[cfg(feature = "all-grammars")]
    CSharp,
    /// Kotlin.
    #[cfg(feature = "all-grammars")]
    Kotlin,
    /// PHP.
    #[cfg(feature = "all-grammars")]
    Php,
    /// Ruby.
    #[cfg(feature = "all-grammars")]
    Ruby,
    /// Swift.
    #[cfg(feature = "all-grammars")]
    Swift,
}

/// Names of files, and endings after the last dot, in lower case.
const NAMES: &[(Language, &[&str], &[&str])] = &[
    (
        Language::Bash,
        &[
            "sh",
            "bash",
            "zsh",
            "ksh",
            "bats",
            "ebuild",
            "envrc",
            "bashrc",
            "bash_profile",
            "bash_aliases",
            "profile",
        ],
        &["pkgbuild", "apkbuild"],
    ),
    (Language::C, &["c", "h"], &[]),
    (Language::Css, &["css"], &[]),
    (Language::Go, &["go"], &[]),
    (Language::Html, &["html", "htm", "xhtml"], &[]),
    (Language::Java, &["java"], &[]),
    (Language::JavaScript, &["js", "mjs", "cjs", "jsx"], &[]),
    (
        Language::Json,
        &["json", "jsonc", "geojson", "webmanifest", "babelrc", "eslintrc", "prettierrc", "code-workspace"],
        &["composer.lock", "deno.lock", "flake.lock"],
    ),
    (Language::Lua, &["lua", "luau", "rockspec"], &[]),
    (Language::Markdown, &["md", "markdown", "mdown", "mkd"], &[]),
    (Language::Python, &["py", "pyi", "pyw"], &["sconstruct", "sconscript", "wscript"]),
    (Language::Rust, &["rs"], &[]),
    (Language::Toml, &["toml"], &["cargo.lock", "poetry.lock", "uv.lock", "pipfile"]),
    (Language::Tsx, &["tsx"], &[]),
    (Language::TypeScript, &["ts", "mts", "cts"], &[]),
    (Language::Yaml, &["yaml", "yml", "clang-format", "clang-tidy"], &[]),
    #[cfg(feature = "all-grammars")]
    (Language::Cpp, &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "c++", "h++", "ipp", "tpp", "cppm"], &[]),
    #[cfg(feature = "all-grammars")]
    (Language::CSharp, &["cs", "csx"], &[]),
    #[cfg(feature = "all-grammars")]
    (Language::Kotlin, &["kt", "kts"], &[]),
    #[cfg(feature = "all-grammars")]
    (Language::Php, &["php", "phtml", "php5"], &[]),
    #[cfg(feature = "all-grammars")]
    (Language::Ruby, &["rb", "rake", "gemspec", "ru"], &["gemfile", "rakefile", "podfile", "vagrantfile"]),
    #[cfg(feature = "all-grammars")]
    (Language::Swift, &["swift"], &[]),
];

/// Returns the name of the program that runs a script, without its version.
fn program(text: &str) -> Option<&str> {
    let line = text.trim_start_matches('\u{feff}').strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next()?;
    let is_argument = |word: &&str| !word.starts_with('-') && !word.contains('=');
    let program = if first == "env" { words.find(is_argument)? } else { first };
    Some(program.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.'))
}

impl Language {
    /// Returns the language of a file by its name. Returns `None` if there is no grammar for it.
    ///
    /// ```
    /// use editd_syntax::Language;
    ///
    /// assert_eq!(Language::of_path("src/app.TSX".as_ref()), Some(Language::Tsx));
    /// assert_eq!(Language::of_path("Cargo.lock".as_ref()), Some(Language::Toml));
    /// assert_eq!(Language::of_path("~/.bashrc".as_ref()), Some(Language::Bash));
    /// assert_eq!(Language::of_path("notes.txt".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let by_name = NAMES.iter().find(|(_, _, names)| names.contains(&name.as_str()));
        let found = by_name
            .or_else(|| NAMES.iter().find(|(_, endings, _)| ending.is_some_and(|it| endings.contains(&it))));
        found.map(|&(language, ..)| language)
    }

    /// Returns the language of a file by its name or, if that does not tell, by the first line of its text: the program
    /// that runs a script. The beginning of the text is enough.
    ///
    /// ```
    /// use editd_syntax::Language;
    ///
    /// assert_eq!(Language::of("bin/deploy".as_ref(), "#!/usr/bin/env -S python3.12 -u\n"), Some(Language::Python));
    /// assert_eq!(Language::of("bin/deploy".as_ref(), "#!/bin/sh\n"), Some(Language::Bash));
    /// assert_eq!(Language::of("bin/deploy.rs".as_ref(), "#!/bin/sh\n"), Some(Language::Rust));
    /// assert_eq!(Language::of("notes.txt".as_ref(), "deploy\n"), None);
    /// ```
    pub fn of(path: &Path, text: &str) -> Option<Self> {
        Self::of_path(path).or_else(|| Self::of_program(program(text)?))
    }

    /// Returns the language of the scripts that a program runs.
    fn of_program(name: &str) -> Option<Self> {
        match name {
            "sh" | "bash" | "dash" | "ash" | "ksh" => Some(Self::Bash),
            "python" | "pypy" => Some(Self::Python),
            "node" | "nodejs" => Some(Self::JavaScript),
            "bun" | "deno" | "tsx" | "ts-node" => Some(Self::TypeScript),
            "lua" | "luajit" => Some(Self::Lua),
            #[cfg(feature = "all-grammars")]
            "ruby" => Some(Self::Ruby),
            #[cfg(feature = "all-grammars")]
            "php" => Some(Self::Php),
            _ => None,
        }
    }

    /// Returns the grammar.
    pub(super) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Bash => tree_sitter_bash::LANGUAGE,
            Self::C => tree_sitter_c::LANGUAGE,
            Self::Css => tree_sitter_css::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Html => tree_sitter_html::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::Json => tree_sitter_json::LANGUAGE,
            Self::Lua => tree_sitter_lua::LANGUAGE,
            Self::Markdown => tree_sitter_md::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Toml => tree_sitter_toml_ng::LANGUAGE,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Yaml => tree_sitter_yaml::LANGUAGE,
            #[cfg(feature = "all-grammars")]
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            #[cfg(feature = "all-grammars")]
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            #[cfg(feature = "all-grammars")]
            Self::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
            #[cfg(feature = "all-grammars")]
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
            #[cfg(feature = "all-grammars")]
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            #[cfg(feature = "all-grammars")]
            Self::Swift => tree_sitter_swift::LANGUAGE,
        }
        .into()
    }
}
