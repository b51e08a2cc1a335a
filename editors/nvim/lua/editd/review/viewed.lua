--- Records which hunks of proposals were on the screen.

local hunks = require('editd.hunks')

local M = {}

--- Ids of the hunks that were shown, by proposal.
---@type table<string, table<string, true>>
local viewed = {}

---@param proposal editd.Proposal
---@param hunk editd.Hunk
function M.note(proposal, hunk)
  viewed[proposal.id] = viewed[proposal.id] or {}
  viewed[proposal.id][hunk.id] = true
end

---@param proposal editd.Proposal
---@param file editd.File
function M.note_file(proposal, file)
  for _, hunk in ipairs(file.hunks) do
    M.note(proposal, hunk)
  end
end

---@param id string
function M.forget(id)
  viewed[id] = nil
end

--- Returns those of the undecided hunks that were not shown yet.
---@param stops editd.Stop[]
---@return editd.Stop[]
function M.missing(stops)
  return vim.tbl_filter(function(stop)
    local known = viewed[stop.proposal.id] or {}
    return not known[stop.hunk.id] and hunks.is_open(stop.hunk)
  end, stops)
end

return M
