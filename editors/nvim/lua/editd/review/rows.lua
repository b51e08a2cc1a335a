--- The lines of hunks as virtual lines.

local cells = require('editd.review.cells')
local hunks = require('editd.hunks')
local long_line = require('editd.review.long_line')
local word_diff = require('editd.word_diff')

local M = {}

--- Hunks with more lines than this are not compared by words.
local MAX_WORD_DIFF_LINES = 60

--- Returns the changed words in the current and in the proposed lines.
---@param old string[]
---@param new string[]
---@return table<integer, editd.Span[]> old By line.
---@return table<integer, editd.Span[]> new By line.
function M.spans(old, new)
  local in_old, in_new = {}, {} ---@type table<integer, editd.Span[]>, table<integer, editd.Span[]>
  if #old > MAX_WORD_DIFF_LINES or #new > MAX_WORD_DIFF_LINES then
    return in_old, in_new
  end
  for index = 1, math.min(#old, #new) do
    in_old[index], in_new[index] = word_diff.differences(old[index], new[index])
  end
  return in_old, in_new
end

--- Returns the lines before a landed change as virtual lines, or the user's replacement.
---@param hunk editd.Hunk
---@param spans table<integer, editd.Span[]>
---@param room editd.Room
---@return editd.Chunk[][]
local function earlier_rows(hunk, spans, room)
  local lines, settled = hunk.earlier, hunk.state == 'rejected'
  if hunk.draft or hunk.state == 'edited' then
    lines, settled = hunks.result(hunk), true
  elseif hunk.state == 'accepted' then
    return {}
  end
  local group = settled and 'EditdAccepted' or 'EditdDelete'
  local all = {} ---@type editd.Chunk[][]
  for index, line in ipairs(lines) do
    vim.list_extend(all, cells.rows(line, not settled and spans[index] or nil, group, 'EditdDeleteText', room))
  end
  return all
end

--- Returns a virtual line below a proposed line with a new syntax error.
---@param hunk editd.Hunk
---@param index integer
---@param line string
---@param room editd.Room
---@return editd.Chunk[][]
local function error_rows(hunk, index, line, room)
  for _, error in ipairs(hunks.errors(hunk)) do
    if error.index == index then
      local text = line:match('^%s*') .. 'new syntax error'
      return cells.rows(text, nil, 'EditdSyntaxError', 'EditdSyntaxError', room)
    end
  end
  return {}
end

--- Returns the other side as virtual lines: the proposed lines, or those before a landed change.
---@param shown editd.Shown
---@param spans table<integer, editd.Span[]>
---@param room editd.Room
---@return editd.Chunk[][]
function M.other(shown, spans, room)
  local hunk = shown.hunk
  if hunk.earlier then
    return earlier_rows(hunk, spans, room)
  end
  if hunk.state == 'rejected' then
    return {}
  end
  local settled = hunk.state == 'accepted' or hunk.state == 'edited' or hunk.draft ~= nil
  local group = settled and 'EditdAccepted' or 'EditdAdd'
  local all = {} ---@type editd.Chunk[][]
  for index, line in ipairs(hunks.result(hunk)) do
    local marked = not settled and spans[index] or nil
    vim.list_extend(all, cells.rows(line, marked, group, 'EditdAddText', room))
    vim.list_extend(all, error_rows(hunk, index, line, room))
  end
  return all
end

--- Returns both sides of a hunk with long lines. The buffer shows only the beginnings of such lines, or fills the
--- window with them.
---@param shown editd.Shown
---@param room editd.Room
---@return editd.Chunk[][]
function M.long(shown, room)
  local hunk = shown.hunk
  -- Excerpts are short enough to be wrapped even if the buffer is not.
  local wide = vim.tbl_extend('force', room, { wrap = true })
  local now, other = hunk.old, hunk.earlier or hunks.result(hunk)
  local now_groups, other_groups = { 'EditdDelete', 'EditdDeleteText' }, { 'EditdAdd', 'EditdAddText' }
  if hunk.earlier then
    now_groups, other_groups = other_groups, now_groups
  end
  local before, after = {}, {} ---@type editd.Chunk[][], editd.Chunk[][]
  hunk.capped = false
  ---@param rows editd.Chunk[][]
  ---@param line string
  ---@param excerpt editd.Excerpt?
  ---@param groups string[]
  local function add(rows, line, excerpt, groups)
    local text, spans = line, nil ---@type string, editd.Span[]?
    if excerpt and long_line.is_long(line) then
      text, spans = excerpt.text, excerpt.spans
      hunk.capped = hunk.capped or excerpt.capped
    end
    vim.list_extend(rows, cells.rows(text, spans, groups[1], groups[2], wide))
  end
  for index = 1, math.max(#now, #other) do
    local old, new = long_line.pair(now[index], other[index])
    if now[index] and (long_line.is_long(now[index]) or long_line.is_long(other[index] or '')) then
      add(before, now[index], old, now_groups)
    end
    if other[index] then
      add(after, other[index], new, other_groups)
    end
  end
  -- As in a diff, the old lines come first.
  return vim.list_extend(hunk.earlier and after or before, hunk.earlier and before or after)
end

--- Joins rows to a text that a window wraps at the same places.
---@param all editd.Chunk[][]
---@param room editd.Room
---@return editd.Chunk[]
function M.joined(all, room)
  local chunks = {} ---@type editd.Chunk[]
  for _, row in ipairs(all) do
    local used = cells.used_by(row)
    vim.list_extend(chunks, row)
    if used < room.width then
      chunks[#chunks + 1] = { (' '):rep(room.width - used), '' }
    end
  end
  return chunks
end

--- Returns whether a hunk has long lines whose changes are shown in virtual lines.
---@param hunk editd.Hunk
---@return boolean
function M.is_long(hunk)
  local undecided = (hunk.state == 'pending' or hunk.state == 'conflicted') and not hunk.draft
  return undecided and long_line.has_long(hunk)
end

return M
