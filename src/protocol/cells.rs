use serde::{Deserialize, Serialize};

use crate::notebook::{CellOp, CellPlace, CellType};

use super::decode::Invalid;

/// One entry of `cells` in a change of a notebook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CellParams {
    /// What is to be done.
    pub op: CellOpParam,
    /// The cell's id.
    #[serde(alias = "cellId", alias = "cell_id")]
    pub id: Option<String>,
    /// The cell's place, from 0.
    pub index: Option<usize>,
    /// The type that it gets.
    #[serde(alias = "cell_type")]
    pub cell_type: Option<CellTypeParam>,
    /// The source that it gets.
    pub source: Option<String>,
    /// Whether its outputs go.
    #[serde(default, alias = "clear_outputs")]
    pub clear_outputs: bool,
}

/// What is to be done with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellOpParam {
    /// It gets another type or source.
    Replace,
    /// It is new.
    Insert,
    /// It goes.
    Delete,
}

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellTypeParam {
    /// Code.
    Code,
    /// Markdown.
    Markdown,
    /// Neither.
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

/// The operations that a list of parameters means.
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
            (Some(_), Some(_)) => return Err(Invalid::new("index", "it does not go with `id`")),
            (Some(id), None) => Some(CellPlace::Id(id)),
            (None, index) => index.map(CellPlace::Index),
        };
        let named = || Invalid::new("id", "it is missing, and so is `index`");
        let only_for = |name: &str, ops| Err(Invalid::new(name, format!("it goes with {ops} only")));
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
