use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::notebook::{CellOp, CellRef, CellType};

use super::decode::Invalid;
use super::params::names_only;

/// An entry of `cells` in a notebook change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CellParams {
    /// Operation to perform.
    pub op: CellOpParam,
    /// Id of the cell.
    #[serde(alias = "cellId", alias = "cell_id")]
    pub id: Option<String>,
    /// Position of the cell, from 0.
    pub index: Option<usize>,
    /// New type of the cell.
    #[serde(alias = "cell_type")]
    pub cell_type: Option<CellTypeParam>,
    /// New source of the cell.
    pub source: Option<String>,
    /// Removes the outputs of the cell.
    #[serde(default, alias = "clear_outputs")]
    pub clear_outputs: bool,
}

/// An operation on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum CellOpParam {
    /// Changes the type or source, or removes the outputs.
    Replace,
    /// Adds a cell.
    Insert,
    /// Removes the cell.
    Delete,
}

/// Type of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum CellTypeParam {
    /// Code.
    Code,
    /// Markdown.
    Markdown,
    /// Neither code nor Markdown.
    Raw,
}

impl From<CellTypeParam> for CellType {
    fn from(param: CellTypeParam) -> Self {
        match param {
            CellTypeParam::Code => Self::Code,
            CellTypeParam::Markdown => Self::Markdown,
            CellTypeParam::Raw => Self::Raw,
        }
    }
}

/// Converts the parameters to cell operations.
pub fn cell_ops(cells: Vec<CellParams>) -> Result<Vec<CellOp>, Invalid> {
    if cells.is_empty() {
        return Err(Invalid::new("cells", "it is empty"));
    }
    let read = |(index, cell): (usize, CellParams)| {
        cell.read().map_err(|invalid| invalid.within(&format!("cells[{index}]")))
    };
    cells.into_iter().enumerate().map(read).collect()
}

impl CellParams {
    fn read(self) -> Result<CellOp, Invalid> {
        let place = match (self.id, self.index) {
            (Some(_), Some(_)) => return Err(Invalid::new("index", "it cannot be combined with `id`")),
            (Some(id), None) => Some(CellRef::Id(id)),
            (None, index) => index.map(CellRef::Index),
        };
        let named = || Invalid::new("id", "it is missing, and so is `index`");
        let only_for = |name: &str, ops| Err(Invalid::new(name, format!("it is allowed only with {ops}")));
        let cell_type = self.cell_type.map(CellType::from);
        match self.op {
            CellOpParam::Insert if self.clear_outputs => only_for("clearOutputs", "`replace`"),
            CellOpParam::Insert => Ok(CellOp::Insert {
                at: place,
                cell_type: cell_type
                    .ok_or_else(|| Invalid::new("cellType", "it is missing, and a new cell needs it"))?,
                source: self.source.unwrap_or_default(),
            }),
            CellOpParam::Delete if self.source.is_some() => only_for("source", "`replace` and `insert`"),
            CellOpParam::Delete if cell_type.is_some() => only_for("cellType", "`replace` and `insert`"),
            CellOpParam::Delete if self.clear_outputs => only_for("clearOutputs", "`replace`"),
            CellOpParam::Delete => Ok(CellOp::Delete { cell: place.ok_or_else(named)? }),
            CellOpParam::Replace if cell_type.is_none() && self.source.is_none() && !self.clear_outputs => {
                Err(Invalid::new("source", "it is missing, and so are `cellType` and `clearOutputs`"))
            }
            CellOpParam::Replace => Ok(CellOp::Replace {
                cell: place.ok_or_else(named)?,
                cell_type,
                source: self.source,
                clear_outputs: self.clear_outputs,
            }),
        }
    }
}
