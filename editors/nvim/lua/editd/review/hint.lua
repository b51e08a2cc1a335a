--- The hint next to a hunk: its author and label, and the keys.

local cells = require('editd.review.cells')
local hunks = require('editd.hunks')
local keys = require('editd.review.keys')

local M = {}

---@param buf integer
---@param actions { [1]: string, [2]: string }[] Action and description.
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

--- Leaves the current text of a conflict.
local KEEP = 'keep yours'

---@class editd.Verbs
---@field decided table<editd.HunkState, string>
---@field accept string
---@field reject string
---@field take string Overwrites the current text.

---@type editd.Verbs
local proposed = {
  decided = { accepted = 'accepted', rejected = 'rejected', edited = 'accepted with your edits' },
  accept = 'accept',
  reject = 'reject',
  take = "take the agent's",
}

---@type editd.Verbs
local landed = {
  decided = { accepted = 'kept', rejected = 'to be reverted', edited = 'kept with your edits' },
  accept = 'keep',
  reject = 'revert',
  take = 'restore what was here',
}

--- Returns what the keys do, for accept and reject.
---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@return { [1]: string, [2]: string }[]
local function actions(proposal, hunk)
  local verbs = proposal.landed and landed or proposed
  if hunk.state ~= 'conflicted' then
    return { { 'accept', verbs.accept }, { 'reject', verbs.reject } }
  elseif proposal.landed then
    return { { 'accept', hunk.kept and 'take what you wrote' or KEEP }, { 'reject', verbs.take } }
  elseif hunk.kept then
    return { { 'accept', 'take what you wrote' }, { 'reject', 'keep what is here' } }
  end
  return { { 'accept', verbs.take }, { 'reject', KEEP } }
end

--- Returns the possible hints, from longest to shortest.
---@param buf integer
---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@return editd.Chunk[][]
local function variants(buf, proposal, hunk)
  local title, decided = hunks.title(proposal), (proposal.landed and landed or proposed).decided
  local note = #hunk.comments > 0 and ' (commented)' or ''
  if hunk.draft then
    return { { { 'edited, sent once the rest of this file is decided' .. note, 'EditdHint' } }, { { 'edited', 'EditdHint' } } }
  elseif decided[hunk.state] then
    return { { { decided[hunk.state] .. note, 'EditdHint' } } }
  end
  local conflict = hunk.state == 'conflicted'
  local short = choices(buf, actions(proposal, hunk))
  local function with(text)
    return vim.list_extend({ { text .. note .. '  ', conflict and 'EditdSignConflicted' or 'EditdHint' } }, short)
  end
  local text = conflict and 'conflict, the text here has changed' or title
  return { with(text), with(conflict and 'conflict' or proposal.author), short }
end

--- Returns the longest hint that fits into `room` cells; nil if none does.
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

--- Returns the hint for a separate line.
---@param buf integer
---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@param room integer
---@return editd.Chunk[]
function M.line(buf, proposal, hunk, room)
  local all = variants(buf, proposal, hunk)
  return M.fitting(buf, proposal, hunk, room) or all[#all]
end

--- Returns the hint for a separate line among hunks of other proposals. It always names the author.
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
