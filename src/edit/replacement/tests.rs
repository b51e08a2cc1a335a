use proptest::prelude::*;

use super::ReplacementBuilder;
use crate::Deadline;
use crate::line_diff::trimmed;

proptest! {
    /// For exact matches within a line, trimming gives the same splice as the line-based replacement.
    #[test]
    fn within_a_line_only_the_difference_is_replaced(
        before in "[a\u{e9}\\n\\r]{0,4}", old in "[ab \u{e9}]{1,6}", after in "[a\\n\\r]{0,4}", new in "[ab \u{e9}]{1,6}",
    ) {
        let base = format!("{before}{old}{after}");
        let range = before.len()..before.len() + old.len();
        let splices = ReplacementBuilder::new(&base, range.clone(), &old, &new, Deadline::NONE).splices();
        prop_assert_eq!(splices.unwrap(), Vec::from_iter(trimmed(&base, range, &new)));
    }
}
