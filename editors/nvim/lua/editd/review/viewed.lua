--- Records which files of proposals the user has viewed.

local hunks = require('editd.hunks')

local M = {}

---@type table<string, table<string, true>>
local viewed = {}

---@param proposal editd.Proposal
---@param file editd.File
function M.note(proposal, file)
  viewed[proposal.id] = viewed[proposal.id] or {}
  viewed[proposal.id][file.path] = true
end

---@param id string
function M.forget(id)
  viewed[id] = nil
end

--- Returns the files of a proposal with undecided hunks that the user has not viewed yet.
---@param proposal editd.Proposal
---@return editd.File[]
function M.missing(proposal)
  local known = viewed[proposal.id] or {}
  return vim.tbl_filter(function(file)
    return not known[file.path] and vim.iter(file.hunks):any(hunks.is_open)
  end, proposal.files)
end

return M
