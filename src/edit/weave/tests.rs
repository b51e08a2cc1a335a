use proptest::prelude::*;

use super::Weave;
use crate::edit::Deadline;
use crate::edit::trim::trimmed;

proptest! {
    /// The short way for exact places within a line writes what the long way writes.
    #[test]
    fn within_a_line_only_what_differs_is_replaced(
        before in "[a\u{e9}\\n\\r]{0,4}", old in "[ab \u{e9}]{1,6}", behind in "[a\\n\\r]{0,4}", new in "[ab \u{e9}]{1,6}",
    ) {
        let base = format!("{before}{old}{behind}");
        let range = before.len()..before.len() + old.len();
        let woven = Weave::new(&base, range.clone(), &old, &new, Deadline::NONE).splices();
        prop_assert_eq!(woven.unwrap(), Vec::from_iter(trimmed(&base, range, &new)));
    }
}
