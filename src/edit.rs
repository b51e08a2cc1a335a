//! Edits: finding the one place, plans, diffs, merges. Pure.
