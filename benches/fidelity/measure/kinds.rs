//! The kinds of requests: typical distortions of edits by models, with the expected outcome of each.

mod blanks;
mod clipped;
mod columns;
mod conversions;
mod deletions;
mod drift;
mod elisions;
mod indents;
mod keyed;
mod mixes;
mod places;
mod plainly;
mod refused;
mod refused_context;
mod refused_names;
mod repeated;
mod shapes;
mod shifts;
mod signs;
mod unseen;
mod wrappings;

use std::ops::RangeInclusive;

use super::ask::{Ask, Case};
use super::change::{self, Change};
use super::rng::Rng;
use super::sources::{self, File};

/// Name of a kind and its case generator. If the generator returns `None`, it is called again.
pub(crate) struct Kind<C = Case> {
    pub(crate) name: &'static str,
    pub(crate) draw: fn(&mut Rng) -> Option<C>,
}

/// Defines a list of kinds, each with the name of its function. The name is part of the seed of its cases.
macro_rules! kinds {
    ($kind:ty; $($module:ident: $($name:ident)*;)*) => {
        pub(crate) const KINDS: &[$kind] = &[$($(
            Kind { name: stringify!($name), draw: $module::$name },
        )*)*];
    };
}
pub(crate) use kinds;

kinds! {
    Kind;
    plainly: verbatim part_of_a_line parts_of_lines crlf_file crlf_request mixed_line_ends bom_in_request
        no_final_line_end several_edits sequential_edits every_place counted_places new_text_is_data blanks_in_new_text;
    blanks: trailing_in_file trailing_in_old trailing_in_both blank_head_in_old blank_tail_in_old
        blank_head_in_both blank_tail_in_both aligned_in_file aligned_in_request;
    signs: signs_in_file signs_in_request compatibility_forms;
    indents: tabs_to_spaces spaces_to_tabs four_to_two two_to_four first_line_dedented block_dedented
        one_level_less over_indented;
    wrappings: line_numbers_in_old line_numbers_in_both escaped_to_one_line escaped_quotes
        doubled_backslashes;
    elisions: elided elided_in_words elided_twice;
    drift: context_line_dropped context_line_invented context_comment_reworded
        half_applied;
    mixes: drift_and_indentation trailing_and_indentation signs_and_indentation numbers_and_indentation
        numbers_and_trailing escapes_and_indentation edges_and_indentation signs_and_trailing
        inner_and_indentation elision_and_indentation several_tolerated crlf_and_indentation;
    places: twins_exact twins_but_for_indentation twins_but_for_trailing word_in_a_word count_mismatch
        overlapping contradicting dependent no_change empty_old;
    refused: absent text_of_another_file value_differs case_differs blank_or_none quotes_of_another_kind
        already_applied changed_meanwhile placeholder elision_ends_twice elision_in_old_only;
    shifts: shift_one_line shift_many_lines shift_same_depth shift_nested shift_nested_two_deep shift_odd_depth
        shift_aligned_arguments shift_hanging_arguments shift_nested_then_aligned shift_continued_string
        shift_less_deep shift_wrapped shift_deleted_line shift_of_one_column_levels;
    columns: gnu_style_shifted gnu_style_expanded gnu_style_expanded_and_shifted old_python_shifted
        old_python_expanded;
    conversions: converted_by_two_depths converted_by_a_new_step depth_undecided;
    clipped: clipped_and_inserted clipped_and_replaced clipped_and_appended context_line_misindented
        first_line_bare_literally first_line_bare_tolerated;
    keyed: keys_numbered_in_old keys_numbered_in_both keys_as_they_are keys_with_trailing_blanks
        numbers_on_kept_lines numbers_of_lines;
    deletions: whole_lines_deleted whole_lines_deleted_tolerated last_lines_deleted part_of_line_deleted;
    unseen: unseen_in_file unseen_in_request entities_in_both;
    repeated: same_edit_twice insertion_is_there appended_is_there;
    refused_names: slip_in_a_name slip_in_real_code context_name_misremembered
        name_in_code_and_indentation names_of_real_code;
    refused_context: anchors_only stitched_twins near_twins_drifted short_block_drifted invented_at_the_edge
        other_function;
}

/// Blocks of any typical length.
const ANY: RangeInclusive<usize> = 1..=30;
/// Blocks that are long enough for context lines.
const LONG: RangeInclusive<usize> = 6..=24;

/// A file, a change of one of its blocks, and the verbatim request.
type Draft = (File, Change, Ask);

fn draft(rng: &mut Rng, size: &RangeInclusive<usize>) -> Option<Draft> {
    let file = sources::file(rng, None);
    draft_of(rng, file, size)
}

/// Generates a draft for a file. Most changes are small: more than half have up to nine lines.
fn draft_of(rng: &mut Rng, file: File, size: &RangeInclusive<usize>) -> Option<Draft> {
    let short = *size.start()..=(*size.start()).max(9).min(*size.end());
    let size = if rng.percent(60) { &short } else { size };
    let change = change::draw(rng, &file, size)?;
    let ask = Ask::verbatim(rng, &change);
    Some((file, change, ask))
}
