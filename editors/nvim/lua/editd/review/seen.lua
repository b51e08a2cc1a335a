--- Which files of proposals a person has had before their eyes.

local hunks = require('editd.hunks')

local M = {}

---@type table<string, table<string, true>>
local seen = {}

---@param proposal editd.Proposal
---@param file editd.File
function M.note(proposal, file)
  seen[proposal.id] = seen[proposal.id] or {}
  seen[proposal.id][file.path] = true
end

---@param id string
function M.forget(id)
  seen[id] = nil
end

--- The files of a proposal that are to be decided and were not shown yet.
---@param proposal editd.Proposal
---@return editd.File[]
function M.missing(proposal)
  local known = seen[proposal.id] or {}
  return vim.tbl_filter(function(file)
    return not known[file.path] and vim.iter(file.hunks):any(hunks.is_open)
  end, proposal.files)
end

return M
