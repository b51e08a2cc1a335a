//! The text that edits are looked for in, with the views of it that tiers ask for.

use std::cell::OnceCell;
use std::sync::Arc;

use super::fold::{Fold, Level};
use super::{Deadline, Index, Options};

/// A base and what has been made of it so far. Views and index are made when first asked for, once for
/// all edits of a call.
pub(super) struct Base<'a> {
    pub(super) text: &'a str,
    pub(super) deadline: Deadline,
    views: [OnceCell<Fold<'a>>; 3],
    index: OnceCell<Arc<Index>>,
}

impl<'a> Base<'a> {
    pub(super) fn new(text: &'a str, options: &Options) -> Self {
        let index =
            options.index.clone().filter(|index| index.fits(text)).map_or_else(OnceCell::new, OnceCell::from);
        Self { text, deadline: options.deadline, views: Default::default(), index }
    }

    pub(super) fn view(&self, level: Level) -> &Fold<'a> {
        self.views[level as usize].get_or_init(|| Fold::new(self.text, level))
    }

    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| Arc::new(Index::build(self.text)))
    }
}
