--- Hunks shown in the buffers that they are about.

local cells = require('editd.review.cells')
local colors = require('editd.review.colors')
local config = require('editd.config')
local draw = require('editd.review.draw')
local keys = require('editd.review.keys')

local M = {}

--- Milliseconds of drawing before the person may type again.
local SLICE = 12

---@type table<integer, table<string, editd.Shown>>
local buffers = {}
---@type table<integer, integer>
local generation = {}

---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@return string
local function key_of(proposal, hunk)
  return proposal.id .. '/' .. hunk.id
end

--- Notes that these hunks are about the same lines. Such are drawn anew together.
---@param group editd.At[]
---@param room editd.Room
local function note_group(group, room)
  local stale = false
  for index, at in ipairs(group) do
    at.shown.led = index > 1
    at.shown.with = index == 1 and #group > 1 and {} or nil
    if index > 1 then
      table.insert(group[1].shown.with, at.shown)
    end
  end
  for _, at in ipairs(group) do
    stale = stale or draw.is_stale(at.shown, room)
  end
  for _, at in ipairs(#group > 1 and stale and group or {}) do
    at.shown.drawn = nil
  end
end

--- Notes which hunks of several proposals are about the same lines.
---@param all editd.At[] From the top.
---@param room editd.Room
local function note_groups(all, room)
  local group, stop = {}, -1 ---@type editd.At[], integer
  for _, at in ipairs(all) do
    if at.first > stop then
      note_group(group, room)
      group = {}
    end
    group[#group + 1] = at
    stop = math.max(stop, at.last)
  end
  note_group(group, room)
end

--- Draws what is seen at once, and the rest in slices, so that nobody waits for it.
---@param buf integer
local function draw_all(buf)
  generation[buf] = (generation[buf] or 0) + 1
  local mine = generation[buf]
  local room = cells.room(buf, config.get().signs ~= false)
  local win = vim.fn.bufwinid(buf)
  local top = win ~= -1 and vim.fn.line('w0', win) - 1 or 0
  local bottom = top + vim.o.lines
  local later = {} ---@type editd.Shown[]
  local all = M.all(buf)
  note_groups(all, room)
  for _, at in ipairs(all) do
    if at.last >= top and at.first <= bottom then
      draw.draw(buf, at.shown, room)
    else
      later[#later + 1] = at.shown
    end
  end
  local next_one = 1
  local function slice()
    if generation[buf] ~= mine or not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    local began = vim.uv.hrtime()
    while later[next_one] and (vim.uv.hrtime() - began) / 1e6 < SLICE do
      draw.draw(buf, later[next_one], room)
      next_one = next_one + 1
    end
    if later[next_one] then
      vim.defer_fn(slice, 1)
    end
  end
  if #later > 0 then
    vim.defer_fn(slice, 1)
  end
end

--- Shows the hunks of these files in a buffer, and nothing else. What is shown already stays untouched.
---@param buf integer
---@param pairs_of { proposal: editd.Proposal, file: editd.File }[]
function M.show(buf, pairs_of)
  colors.define()
  local before, after = buffers[buf] or {}, {} ---@type table<string, editd.Shown>, table<string, editd.Shown>
  local open, order = false, 0
  for _, each in ipairs(pairs_of) do
    for _, hunk in ipairs(each.file.hunks) do
      if hunk.kind == 'text' then
        local key = key_of(each.proposal, hunk)
        local shown = before[key] or { marks = {} }
        before[key] = nil
        -- The same as before has no news of where it is: its mark knows better.
        if shown.hunk ~= hunk then
          draw.take(buf, shown, each, hunk)
        end
        order = order + 1
        shown.order = order
        after[key] = shown
        open = true
      end
    end
  end
  for _, shown in pairs(before) do
    draw.erase(buf, shown)
  end
  buffers[buf] = next(after) and after or nil
  if open then
    keys.make(buf)
    draw_all(buf)
  else
    keys.remove(buf)
  end
end

--- Draws everything anew where the room has changed.
function M.resized()
  for buf in pairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buf) then
      draw_all(buf)
    end
  end
end

--- Marks outlive the text of a buffer that is read again.
---@param buf integer
function M.forget(buf)
  buffers[buf] = nil
  draw.erase_all(buf)
  keys.remove(buf)
end

--- Buffers with hunks in them.
---@return integer[]
function M.buffers()
  return vim.tbl_keys(buffers)
end

---@class editd.At
---@field buf integer
---@field first integer
---@field last integer
---@field shown editd.Shown

--- All hunks in a buffer, from the top, where they are now.
---@param buf integer
---@return editd.At[]
function M.all(buf)
  local all = {} ---@type editd.At[]
  for _, shown in pairs(buffers[buf] or {}) do
    local first, last = draw.rows(buf, shown)
    all[#all + 1] = { buf = buf, first = first, last = last, shown = shown }
  end
  table.sort(all, function(a, b)
    if a.first ~= b.first then
      return a.first < b.first
    end
    if a.shown.hunk.row ~= b.shown.hunk.row then
      return a.shown.hunk.row < b.shown.hunk.row
    end
    return a.shown.order < b.shown.order
  end)
  return all
end

--- The hunks in some rows. For a single row without any, the insertion just above it.
---@param buf integer
---@param from integer
---@param to integer
---@return editd.At[]
function M.within(buf, from, to)
  local found, above = {}, {} ---@type editd.At[], editd.At[]
  for _, at in ipairs(M.all(buf)) do
    if at.first <= to and at.last >= from then
      found[#found + 1] = at
    elseif from == to and draw.is_insertion(at.shown.hunk) and at.first + 1 == from then
      above[#above + 1] = at
    end
  end
  return #found > 0 and found or above
end

return M
