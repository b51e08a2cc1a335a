//! Selects the places of other files that mean a symbol.

use std::path::Path;

use super::modules::means;
use super::{Declared, From, Link, Mentions, RenameRefusal};
use crate::Language;
use crate::rename::Renamed;
use crate::rename::found::Why;
use editd_edit::Splice;

/// A file that does not declare the symbol.
#[derive(Debug, Clone, Copy)]
pub struct OtherFile<'a> {
    /// The path.
    pub path: &'a Path,
    /// The places with the name.
    pub mentions: &'a Mentions,
}

/// Selects the places that mean a symbol which the file `home` declares. Returns for each file what is renamed and what is
/// left, or the reason why the rename is refused.
///
/// An import means the symbol if its module is the file, or another one that passes the name on. Where two of the files
/// may be the module, or may have given a file the name without an import, nothing is certain.
pub fn settle(
    declared: &Declared,
    home: &Path,
    files: &[OtherFile<'_>],
) -> Vec<Result<Renamed, RenameRefusal>> {
    let context = Context { declared, home, files };
    let providers = context.providers();
    files.iter().map(|file| context.renamed(*file, &providers)).collect()
}

struct Context<'a> {
    declared: &'a Declared,
    home: &'a Path,
    files: &'a [OtherFile<'a>],
}

impl<'a> Context<'a> {
    /// Returns the files from which others can import the symbol.
    fn providers(&self) -> Vec<&'a Path> {
        let mut providers = vec![self.home];
        loop {
            let passes_on = |file: &&OtherFile<'_>| {
                !providers.contains(&file.path)
                    && !file.mentions.declares
                    && file
                        .mentions
                        .links
                        .iter()
                        .any(|link| link.exports && self.is_it(file, link, &providers))
            };
            let more: Vec<&Path> = self.files.iter().filter(passes_on).map(|file| file.path).collect();
            if more.is_empty() {
                return providers;
            }
            providers.extend(more);
        }
    }

    /// Returns `true` if the places of a link mean the symbol.
    fn is_it(&self, file: &OtherFile<'_>, link: &Link, providers: &[&Path]) -> bool {
        let language = self.declared.language;
        let mut others = self.files.iter().filter(|other| other.mentions.declares && other.path != file.path);
        let has_package = |of: &Option<String>| of.is_some() && *of == self.declared.package;
        match &link.from {
            From::Module(module) if language == Language::Java => {
                self.declared.package.as_deref() == Some(module)
                    && !others.any(|other| has_package(&other.mentions.package))
            }
            From::Module(module) => {
                let is = |path: &Path| means(language, module, file.path, path);
                providers.iter().any(|path| is(path)) && !others.any(|other| is(other.path))
            }
            From::Package => {
                let is_near = |path: &Path| language == Language::Java || path.parent() == self.home.parent();
                has_package(&file.mentions.package)
                    && is_near(file.path)
                    && !others.any(|other| has_package(&other.mentions.package) && is_near(other.path))
            }
            From::Program => !others.any(|_| true),
        }
    }

    fn renamed(&self, file: OtherFile<'_>, providers: &[&Path]) -> Result<Renamed, RenameRefusal> {
        let Declared { old, new, comments, .. } = self.declared;
        let mut splices: Vec<Splice> = Vec::new();
        for link in file.mentions.links.iter().filter(|link| self.is_it(&file, link, providers)) {
            if let Some(refusal) = &link.refusal {
                return Err(refusal.clone());
            }
            splices.extend(link.splices.iter().cloned());
        }
        let is_used = !splices.is_empty() && !file.mentions.declares;
        let texts = file.mentions.places.iter().filter(|(_, why)| *why == Why::Text && *comments && is_used);
        splices.extend(texts.map(|(at, _)| Splice { range: *at..at + old.len(), text: new.clone() }));
        splices.sort_by_key(|splice| splice.range.start);
        splices.dedup_by_key(|splice| splice.range.start);
        let is_left = |at: usize| splices.binary_search_by_key(&at, |splice| splice.range.start).is_err();
        let left = file.mentions.places.iter().filter(|(at, _)| is_left(*at)).copied().collect();
        let (old, new) = (old.clone(), new.clone());
        Ok(Renamed { old, new, splices, by_name: Vec::new(), left, inherits: None })
    }
}
