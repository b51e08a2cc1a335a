--- The words beside a hunk: who wants it, and what to type.

local cells = require('editd.review.cells')
local keys = require('editd.review.keys')

local M = {}

---@param buf integer
---@param actions { [1]: string, [2]: string }[] Action and word.
---@return editd.Chunk[]
local function choices(buf, actions)
  local chunks = { { '[', 'EditdHint' } } ---@type editd.Chunk[]
  for index, action in ipairs(actions) do
    if index > 1 then
      chunks[#chunks + 1] = { ', ', 'EditdHint' }
    end
    local key = keys.key(buf, action[1])
    chunks[#chunks + 1] = { key or (':Editd ' .. action[1]), 'EditdHintKey' }
    if key then
      chunks[#chunks + 1] = { ' ' .. action[2], 'EditdHint' }
    end
  end
  chunks[#chunks + 1] = { ']', 'EditdHint' }
  return chunks
end

---@type table<editd.HunkState, string>
local decided = {
  accepted = 'accepted',
  rejected = 'rejected',
  edited = 'accepted as you wrote it',
}

--- What is said, from most to least.
---@param buf integer
---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@return editd.Chunk[][]
local function variants(buf, proposal, hunk)
  local who = proposal.label == '' and proposal.author or ('%s: %s'):format(proposal.author, proposal.label)
  local note = #hunk.comments > 0 and ' (commented)' or ''
  if hunk.draft then
    return { { { 'as you wrote it, once the rest of this file is decided' .. note, 'EditdHint' } }, { { 'edited', 'EditdHint' } } }
  elseif decided[hunk.state] then
    return { { { decided[hunk.state] .. note, 'EditdHint' } } }
  end
  local conflict = hunk.state == 'conflicted'
  local short = choices(buf, {
    { 'accept', not conflict and 'accept' or hunk.kept and 'take what you wrote' or "take the agent's" },
    { 'reject', not conflict and 'reject' or hunk.kept and 'keep what is here' or 'keep yours' },
  })
  local function with(text)
    return vim.list_extend({ { text .. note .. '  ', conflict and 'EditdSignConflicted' or 'EditdHint' } }, short)
  end
  local what = conflict and 'conflict, the text here has changed' or who
  return { with(what), with(conflict and 'conflict' or proposal.author), short }
end

--- The hint for a hunk that fits into so many cells; nil if none does.
---@param buf integer
---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@param room integer
---@return editd.Chunk[]?
function M.fitting(buf, proposal, hunk, room)
  for _, chunks in ipairs(variants(buf, proposal, hunk)) do
    if cells.used_by(chunks) <= room then
      return chunks
    end
  end
end

--- The hint for a line of its own.
---@param buf integer
---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@param room integer
---@return editd.Chunk[]
function M.line(buf, proposal, hunk, room)
  local all = variants(buf, proposal, hunk)
  return M.fitting(buf, proposal, hunk, room) or all[#all]
end

--- The hint for a line of its own among those of other proposals: it always says whose it is.
---@param buf integer
---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@param room integer
---@return editd.Chunk[]
function M.named_line(buf, proposal, hunk, room)
  local line = M.line(buf, proposal, hunk, room - cells.width(proposal.author) - 2)
  if hunk.state == 'pending' and not hunk.draft then
    return M.line(buf, proposal, hunk, room)
  end
  return vim.list_extend({ { proposal.author .. ': ', 'EditdHint' } }, line)
end

return M
