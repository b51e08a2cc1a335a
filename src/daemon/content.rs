use std::sync::Arc;

use crate::edit::Plan;
use crate::text::{ContentHash, Format, Text};
use crate::workspace::{RefusalKind, Snapshot};

/// Up to this many splices the new rope is made of the old one and shares its memory; beyond it, building
/// it anew costs less.
const SHARED_SPLICES: usize = 256;

/// The result of a plan, ready to be written.
#[derive(Debug)]
pub(crate) struct Content {
    /// The file's bytes.
    pub(crate) bytes: Arc<[u8]>,
    /// The same as a snapshot.
    pub(crate) snapshot: Arc<Snapshot>,
}

impl Content {
    /// What `plan` makes of a text. `before` is the snapshot of that text, if there is one.
    pub(crate) fn of_plan(
        before: Option<&Snapshot>,
        text: &str,
        plan: &Plan,
        format: Format,
        size_limit: u64,
    ) -> Result<Self, RefusalKind> {
        check_added(plan, format)?;
        let result = plan.apply(text);
        let rope = match before {
            Some(before) if plan.splices().len() <= SHARED_SPLICES => {
                let mut rope = before.text.clone();
                plan.apply_to(&mut rope);
                rope
            }
            _ => Text::from(result.as_str()),
        };
        let bytes = encode(result, format)?;
        let size = bytes.len() as u64;
        if size > size_limit {
            return Err(RefusalKind::TooLarge { limit: size_limit, size });
        }
        let snapshot = Snapshot { hash: ContentHash::of(&bytes), text: rope, format, size };
        Ok(Self { bytes: bytes.into(), snapshot: Arc::new(snapshot) })
    }
}

/// Under a guessed encoding only text that is the same in all of them may be added.
fn check_added(plan: &Plan, format: Format) -> Result<(), RefusalKind> {
    if plan.splices().iter().all(|splice| format.takes(&splice.text)) {
        return Ok(());
    }
    let name = format.encoding.name();
    let detail = format!("its encoding was guessed as {name}, so only ASCII text can be added safely");
    Err(RefusalKind::Encoding { detail })
}

fn encode(text: String, format: Format) -> Result<Vec<u8>, RefusalKind> {
    if format == Format::UTF8 {
        return Ok(text.into_bytes());
    }
    format.encode(&text).map(std::borrow::Cow::into_owned).map_err(|error| RefusalKind::Encoding {
        detail: format!("{} has no character U+{:04X}", format.encoding.name(), u32::from(error.character)),
    })
}
