//! Notebooks as cells.

use crate::engine::files::observe::Observed;
use crate::server::handlers::read::window::{Measure, Window};
use editd_edit::notebook::{ShownCell, ShownOutput, decode_cells, is_named_as_notebook};
use editd_protocol::{CellContent, NotebookContent, OutputContent};
use editd_workspace::limits::READ_OUTPUT_BYTES;

/// Returns `true` if a file should be shown as cells, provided that it can be parsed.
pub(crate) fn wanted(observed: &Observed, window: &Window) -> bool {
    !window.raw && is_named_as_notebook(&observed.target.path)
}

/// Returns cells from the requested offset on, as many as fit into the answer, and a notice about them; or a
/// message that says why the file has no cells.
pub(crate) fn shown(text: &str, window: &Window) -> Result<(NotebookContent, Option<String>), String> {
    let cells = decode_cells(text).map_err(|unreadable| {
        format!("The file is shown as text, because it is not a valid notebook ({unreadable}).")
    })?;
    let total_cells = cells.len();
    let outputs = READ_OUTPUT_BYTES.min(window.bytes / 4);
    let mut page = Page {
        room: window.bytes,
        measure: window.measure,
        outputs,
        cells: Vec::new(),
        cut: false,
        outputs_cut: false,
    };
    for (index, cell) in cells.into_iter().enumerate().skip(window.offset - 1).take(window.limit) {
        if !page.take(index, cell) {
            break;
        }
    }
    let end = window.offset - 1 + page.cells.len();
    let notice = page.notice(window, end, total_cells);
    let goes_on = end < total_cells && window.offset <= total_cells;
    let truncated = goes_on || page.cut || page.outputs_cut;
    let content = NotebookContent { cells: page.cells, total_cells, truncated };
    Ok((content, notice))
}

/// Approximate size of a cell or an output in an answer, without its texts, in bytes.
const FRAME: usize = 80;

/// Maximum length of an id or type name, in bytes. Jupyter allows ids of 64 characters. A longer id is
/// omitted, because a part of it is useless; such a cell is identified by its index.
const NAME_BYTES: usize = 128;

/// The cells of one answer.
struct Page {
    /// Remaining space, in bytes.
    room: usize,
    measure: Measure,
    /// Maximum size of the outputs of each cell, in bytes.
    outputs: usize,
    cells: Vec<CellContent>,
    /// `true` if a source was longer than an answer may be.
    cut: bool,
    outputs_cut: bool,
}

impl Page {
    /// Adds a cell if it fits. Returns `true` if it was added.
    fn take(&mut self, index: usize, cell: ShownCell) -> bool {
        let ShownCell { id, cell_type, mut source, execution_count, outputs } = cell;
        let is_short = |name: &String| name.len() <= NAME_BYTES;
        let (id, cell_type) = (id.filter(is_short), cell_type.filter(is_short));
        let (outputs, taken, is_truncated) = shown_outputs(outputs, self.outputs, self.measure);
        let names = [&id, &cell_type].into_iter().flatten().map(|name| self.measure.len(name));
        let frame = FRAME + names.sum::<usize>() + taken;
        let size = frame + self.measure.len(&source);
        if size > self.room {
            // An empty answer would be useless, so the first cell is cut instead.
            if !self.cells.is_empty() {
                return false;
            }
            self.cut |= cut_to(&mut source, self.room.saturating_sub(frame), self.measure);
        }
        self.room = self.room.saturating_sub(size);
        self.outputs_cut |= is_truncated;
        self.cells.push(CellContent { index, id, cell_type, source, execution_count, outputs });
        true
    }

    fn notice(&self, window: &Window, end: usize, total: usize) -> Option<String> {
        let Window { offset, audience, .. } = *window;
        if total == 0 {
            return Some("The notebook has no cells.".to_owned());
        }
        if offset > total {
            let name = audience.parameters_or("`offset`", "--offset");
            return Some(format!("The notebook has {total} cells; {name} counts them from 1."));
        }
        let mut notices = Vec::new();
        if self.cut {
            notices.push("The source of this cell is cut: it is too long for one answer.".to_owned());
        }
        if self.outputs_cut {
            notices.push(format!("Outputs are cut after {} bytes a cell.", self.outputs));
        }
        if end < total {
            let next = Window::offset_name(audience, end + 1);
            notices.push(format!("Cells {offset} to {end} of {total}; continue with {next}."));
        }
        (!notices.is_empty()).then(|| notices.join(" "))
    }
}

/// Returns the outputs of one cell that fit, their size, and `true` if they were cut.
fn shown_outputs(
    outputs: Vec<ShownOutput>,
    room: usize,
    measure: Measure,
) -> (Vec<OutputContent>, usize, bool) {
    let (mut shown, mut left, mut is_truncated) = (Vec::new(), room, false);
    for ShownOutput { kind: mut output_type, mut text, others } in outputs {
        if left < FRAME {
            return (shown, room - left, true);
        }
        left -= FRAME;
        let mut take = |text: &mut String, max: usize| {
            is_truncated |= cut_to(text, max.min(left), measure);
            left -= measure.len(text);
        };
        take(&mut output_type, NAME_BYTES);
        if let Some(text) = &mut text {
            take(text, room);
        }
        let mut mime_types = others;
        for name in &mut mime_types {
            take(name, NAME_BYTES);
        }
        mime_types.retain(|name| !name.is_empty());
        shown.push(OutputContent { output_type, text, mime_types });
    }
    (shown, room - left, is_truncated)
}

/// Cuts a text to `room` bytes. Returns `true` if it was longer.
fn cut_to(text: &mut String, room: usize, measure: Measure) -> bool {
    let end = measure.prefix(text, room).len();
    let is_longer = end < text.len();
    text.truncate(end);
    is_longer
}
