//! Inserts and removes items of JSON arrays and objects; items that stay keep their bytes.

use std::ops::Range;

use crate::Splice;

/// An array or object, as byte ranges of the text.
#[derive(Debug)]
pub(super) struct List {
    /// Range between the brackets.
    pub(super) inner: Range<usize>,
    /// Ranges of the elements, or of the members from name to value.
    pub(super) items: Vec<Range<usize>>,
}

/// The text between brackets and items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gaps {
    /// Text after the opening bracket.
    pub(super) lead: String,
    /// Text between two items, including the comma.
    pub(super) between: String,
    /// Text before the closing bracket.
    pub(super) trail: String,
}

/// An item of the resulting list.
#[derive(Debug)]
pub(super) enum Item {
    /// An existing item, by index. Kept items stay in order.
    Kept(usize),
    /// A new item.
    New(String),
}

impl Gaps {
    /// Creates the gaps of a list with one item per line: `lead` comes before each item, `trail` before the
    /// closing bracket. If `lead` has no line ending, all items are on one line with `comma` between them.
    pub(super) fn of(lead: &str, trail: &str, comma: &str) -> Self {
        let between = if lead.contains(['\n', '\r']) { format!(",{lead}") } else { comma.to_owned() };
        Self { lead: lead.to_owned(), between, trail: trail.to_owned() }
    }

    /// Joins items into the content of a list.
    pub(super) fn joined(&self, items: &[String]) -> String {
        if items.is_empty() {
            return String::new();
        }
        format!("{}{}{}", self.lead, items.join(&self.between), self.trail)
    }
}

impl List {
    /// Creates a list from the range of its value and of its items.
    pub(super) fn new(span: &Range<usize>, items: Vec<Range<usize>>) -> Self {
        Self { inner: span.start + 1..span.end - 1, items }
    }

    /// Returns the gaps between the items, or `None` if the list is empty.
    pub(super) fn gaps(&self, text: &str, comma: &str) -> Option<Gaps> {
        let (first, last) = (self.items.first()?, self.items.last()?);
        let (lead, trail) = (&text[self.inner.start..first.start], &text[last.end..self.inner.end]);
        let gaps = Gaps::of(lead, trail, comma);
        Some(match self.items.get(1) {
            Some(second) => Gaps { between: text[first.end..second.start].to_owned(), ..gaps },
            None => gaps,
        })
    }

    /// Returns the splices that turn this list into `items`. Kept items keep their bytes, and so do the gaps
    /// before them where possible.
    pub(super) fn splices(&self, items: &[Item], gaps: &Gaps) -> Vec<Splice> {
        let splice = |range: Range<usize>, text: String| Splice { range, text };
        let new = |item: &Item| match item {
            Item::New(text) => Some(text.clone()),
            Item::Kept(_) => None,
        };
        let news: Vec<String> = items.iter().filter_map(new).collect();
        let (Some(first), Some(last)) = (self.items.first(), self.items.last()) else {
            return vec![splice(self.inner.clone(), gaps.joined(&news))];
        };
        if items.is_empty() {
            return vec![splice(self.inner.clone(), String::new())];
        }
        if news.len() == items.len() {
            return vec![splice(first.start..last.end, news.join(&gaps.between))];
        }
        let (mut splices, mut before, mut fresh) = (Vec::new(), None, String::new());
        for item in items {
            match (item, before) {
                (Item::New(text), None) => fresh.extend([text.as_str(), &gaps.between]),
                (Item::New(text), Some(_)) => fresh.extend([gaps.between.as_str(), text]),
                (Item::Kept(index), before_it) => {
                    let range = match before_it {
                        None => first.start..self.items[*index].start,
                        Some(kept) => self.end(kept)..self.end(*index - 1),
                    };
                    splices.push(splice(range, std::mem::take(&mut fresh)));
                    before = Some(*index);
                }
            }
        }
        splices.extend(before.map(|kept| splice(self.end(kept)..last.end, fresh)));
        splices.retain(|splice| !splice.range.is_empty() || !splice.text.is_empty());
        splices
    }

    fn end(&self, index: usize) -> usize {
        self.items[index].end
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::Plan;
    use crate::notebook::scan::{document, elements};

    fn changed(text: &str, items: &[&str]) -> String {
        let span = document(text).unwrap();
        let list = List::new(&span, elements(text, &span).unwrap());
        let gaps = list.gaps(text, ", ").unwrap_or_else(|| Gaps::of("\n ", "\n", ", "));
        let item = |item: &&str| match item.parse() {
            Ok(index) => Item::Kept(index),
            Err(_) => Item::New((*item).to_owned()),
        };
        let splices = list.splices(&items.iter().map(item).collect::<Vec<_>>(), &gaps);
        Plan::new(text.len(), splices).unwrap().apply(text)
    }

    #[rstest]
    #[case::first("[a]", &["x", "0"], "[x, a]")]
    #[case::last("[ 7 ]", &["0", "x"], "[ 7, x ]")]
    #[case::between("[1,  2]", &["0", "x", "y", "1"], "[1,  x,  y,  2]")]
    #[case::delete_the_first("[1,\n2 ]", &["1"], "[2 ]")]
    #[case::delete_the_last("[1,\n2 ]", &["0"], "[1 ]")]
    #[case::delete_between("[1 ,2, 3]", &["0", "2"], "[1, 3]")]
    #[case::delete_all("[ 1, 2 ]", &[], "[]")]
    #[case::replace_all("[ 1, 2 ]", &["x"], "[ x ]")]
    #[case::delete_and_add("[1, 2, 3]", &["x", "1", "y"], "[x, 2, y]")]
    #[case::fill("[]", &["x", "y"], "[\n x,\n y\n]")]
    #[case::fill_a_list_with_whitespace("[ \n ]", &["x"], "[\n x\n]")]
    #[case::lines("[\n  1\n]", &["0", "x"], "[\n  1,\n  x\n]")]
    #[case::no_change("[1 ,2,\t3]", &["0", "1", "2"], "[1 ,2,\t3]")]
    fn items_are_inserted_and_removed(#[case] text: &str, #[case] items: &[&str], #[case] expected: &str) {
        assert_eq!(changed(&text.replace('a', "true"), items), expected.replace('a', "true"));
    }
}
