use std::path::Path;

/// Extensions of files written for human readers. Code in them is quoted and not executed from there.
const PROSE: [&str; 20] = [
    "md",
    "markdown",
    "mdown",
    "mkd",
    "mdx",
    "mdc",
    "rmd",
    "qmd",
    "rst",
    "adoc",
    "asciidoc",
    "asc",
    "txt",
    "text",
    "org",
    "tex",
    "latex",
    "textile",
    "wiki",
    "mediawiki",
];

/// Names of prose files without an extension.
const NAMES: [&str; 8] =
    ["readme", "license", "licence", "copying", "changelog", "contributing", "authors", "notice"];

/// Prefixes of `.txt` files that programs read.
const CODE: [&str; 2] = ["cmakelists", "requirements"];

/// Returns `true` if a file contains prose, judging by its name.
pub fn is_prose(path: &Path) -> bool {
    let lower = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
    let stem = lower(path.file_stem()).unwrap_or_default();
    match lower(path.extension()) {
        Some(extension) if extension == "txt" => !CODE.iter().any(|code| stem.starts_with(code)),
        Some(extension) => PROSE.contains(&extension.as_str()),
        None => NAMES.contains(&stem.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_recognized_by_name() {
        for path in ["a.md", "docs/Guide.MDX", "a.b.rst", "/x/notes.txt", "thesis.tex", "LICENSE", "README"] {
            assert!(is_prose(Path::new(path)), "{path}");
        }
        for path in ["a.rs", "md", ".md", "a.md.rs", "CMakeLists.txt", "requirements-dev.txt", "Makefile", ""]
        {
            assert!(!is_prose(Path::new(path)), "{path}");
        }
    }
}
