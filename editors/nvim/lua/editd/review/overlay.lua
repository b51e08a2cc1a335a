--- Shows hunks in the buffers that they change.

local cells = require('editd.review.cells')
local colors = require('editd.review.colors')
local config = require('editd.config')
local draw = require('editd.review.draw')
local keys = require('editd.review.keys')

local M = {}

--- Milliseconds of drawing before control returns to the editor.
local SLICE_MS = 12

---@type table<integer, table<string, editd.Shown>>
local buffers = {}
---@type table<integer, integer>
local generations = {}

---@param proposal editd.Proposal
---@param hunk editd.Hunk
---@return string
local function key_of(proposal, hunk)
  return proposal.id .. '/' .. hunk.id
end

--- Groups hunks on the same lines. A group is redrawn as a whole.
---@param group editd.At[]
---@param room editd.Room
local function link_group(group, room)
  local stale = false
  for index, at in ipairs(group) do
    at.shown.follows = index > 1
    at.shown.followers = index == 1 and #group > 1 and {} or nil
    if index > 1 then
      table.insert(group[1].shown.followers, at.shown)
    end
  end
  for _, at in ipairs(group) do
    stale = stale or draw.is_stale(at.shown, room)
  end
  for _, at in ipairs(#group > 1 and stale and group or {}) do
    at.shown.drawn = nil
  end
end

--- Groups the hunks of several proposals that are on the same lines.
---@param all editd.At[] Sorted from top to bottom.
---@param room editd.Room
local function link_groups(all, room)
  local group, stop = {}, -1 ---@type editd.At[], integer
  for _, at in ipairs(all) do
    if at.first > stop then
      link_group(group, room)
      group = {}
    end
    group[#group + 1] = at
    stop = math.max(stop, at.last)
  end
  link_group(group, room)
end

--- Draws the visible hunks immediately and the rest in slices, so that the editor stays responsive.
---@param buf integer
local function draw_all(buf)
  generations[buf] = (generations[buf] or 0) + 1
  local mine = generations[buf]
  local room = cells.room(buf, config.get().signs ~= false)
  local win = vim.fn.bufwinid(buf)
  local top = win ~= -1 and vim.fn.line('w0', win) - 1 or 0
  local bottom = top + vim.o.lines
  local later = {} ---@type editd.Shown[]
  local all = M.all(buf)
  link_groups(all, room)
  for _, at in ipairs(all) do
    if at.last >= top and at.first <= bottom then
      draw.draw(buf, at.shown, room)
    else
      later[#later + 1] = at.shown
    end
  end
  local next_one = 1
  local function slice()
    if generations[buf] ~= mine or not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    local began = vim.uv.hrtime()
    while later[next_one] and (vim.uv.hrtime() - began) / 1e6 < SLICE_MS do
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

--- Shows exactly the hunks of these files in a buffer. Hunks that are already shown are not redrawn.
---@param buf integer
---@param entries { proposal: editd.Proposal, file: editd.File }[]
function M.show(buf, entries)
  colors.define()
  local before, after = buffers[buf] or {}, {} ---@type table<string, editd.Shown>, table<string, editd.Shown>
  local open, order = false, 0
  for _, each in ipairs(entries) do
    for _, hunk in ipairs(each.file.hunks) do
      if hunk.kind == 'text' then
        local key = key_of(each.proposal, hunk)
        local shown = before[key] or { marks = {} }
        before[key] = nil
        -- The extmark of an unchanged hunk is more accurate than its recorded row.
        if shown.hunk ~= hunk then
          draw.update(buf, shown, each, hunk)
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

--- Redraws hunks after the window layout has changed.
function M.resized()
  for buf in pairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buf) then
      draw_all(buf)
    end
  end
end

--- Removes all hunks from a buffer: extmarks outlive the text of a buffer that is reloaded.
---@param buf integer
function M.forget(buf)
  buffers[buf] = nil
  draw.erase_all(buf)
  keys.remove(buf)
end

--- Returns the buffers that contain hunks.
---@return integer[]
function M.buffers()
  return vim.tbl_keys(buffers)
end

---@class editd.At
---@field buf integer
---@field first integer
---@field last integer
---@field shown editd.Shown

--- Returns all hunks in a buffer with their current rows, from top to bottom.
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

--- Scrolls the windows of a buffer that has just been shown, so that the lines above its first line are visible.
---@param buf integer
function M.reveal_top(buf)
  local first = M.all(buf)[1]
  if first and first.first == 0 and first.shown.above then
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      draw.make_room_on_top(win, first.shown.above)
    end
  end
end

--- Returns the hunks that begin in the visible part of a window.
---@param buf integer
---@param win integer
---@return editd.Shown[]
function M.visible(buf, win)
  local places = draw.places_between(buf, vim.fn.line('w0', win) - 1, vim.fn.line('w$', win) - 1)
  return vim.tbl_filter(function(shown)
    return places[shown.place]
  end, vim.tbl_values(buffers[buf] or {}))
end

--- Returns the hunks in a range of rows. For a single row without hunks, returns the insertion just above it.
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
