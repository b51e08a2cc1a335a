use super::arguments::DemoArguments;
use super::{Complaint, End};
pub(crate) fn demo(arguments: &DemoArguments) -> Result<End, Complaint> {
    let _ = (arguments.no_pause, arguments.keep);
    Ok(End::Done)
}
