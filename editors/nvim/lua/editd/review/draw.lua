--- Draws single hunks in a buffer.

local cells = require('editd.review.cells')
local config = require('editd.config')
local hint = require('editd.review.hint')
local hunks = require('editd.hunks')
local rows = require('editd.review.rows')

local M = {}

local places = vim.api.nvim_create_namespace('editd.review.places')
local marks = vim.api.nvim_create_namespace('editd.review')

---@class editd.Shown
---@field proposal editd.Proposal
---@field file editd.File
---@field hunk editd.Hunk
---@field place integer Extmark over the lines of the hunk.
---@field marks integer[]
---@field drawn? string Appearance that was drawn last.
---@field above? integer Number of virtual lines above its first line.
---@field order? integer Index among the hunks of the buffer, in order of proposal arrival.
---@field followers? editd.Shown[] Other hunks on the same lines; their new lines are drawn below its own.
---@field follows? boolean True if it is among the followers of another hunk.

---@param hunk editd.Hunk
---@return boolean # True if the hunk only inserts lines.
function M.is_insertion(hunk)
  return #hunk.old == 0
end

--- Marks the lines of a hunk, so that their position is tracked while the user types.
---@param buf integer
---@param hunk editd.Hunk
---@param id? integer
---@return integer
local function mark_place(buf, hunk, id)
  local last = vim.api.nvim_buf_line_count(buf)
  local row = M.is_insertion(hunk) and math.max(hunk.row - 1, 0) or hunk.row
  row = math.min(row, last - 1)
  return vim.api.nvim_buf_set_extmark(buf, places, row, 0, {
    id = id,
    end_row = math.min(M.is_insertion(hunk) and row or hunk.row + #hunk.old, last),
    end_col = 0,
    right_gravity = not M.is_insertion(hunk),
    end_right_gravity = false,
    strict = false,
  })
end

--- Returns the current first and last row of a hunk, 0-based. For an insertion, it is the row before it.
---@param buf integer
---@param shown editd.Shown
---@return integer first
---@return integer last
function M.rows(buf, shown)
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, places, shown.place, { details = true })
  local first = at[1] or 0
  local stop = at[3] and at[3].end_row or first
  return first, math.max(first, stop - 1)
end

--- Returns the extmarks of hunks that begin in a range of rows.
---@param buf integer
---@param first integer
---@param last integer
---@return table<integer, true>
function M.places_between(buf, first, last)
  local found = {} ---@type table<integer, true>
  for _, at in ipairs(vim.api.nvim_buf_get_extmarks(buf, places, { first, 0 }, { last, -1 }, {})) do
    found[at[1]] = true
  end
  return found
end

---@param shown editd.Shown
---@param room editd.Room
---@return string
local function appearance_of(shown, room)
  local hunk = shown.hunk
  return table.concat({
    hunk.state,
    shown.proposal.author,
    shown.proposal.label,
    table.concat(hunk.old, '\n'),
    table.concat(hunks.result(hunk), '\n'),
    table.concat(hunk.earlier or {}, '\n'),
    hunk.draft and 'draft' or hunk.kept and 'kept' or '',
    #hunk.comments,
    vim.inspect(hunks.errors(hunk)),
    room.width,
    tostring(room.wrap),
    shown.follows and 'follows' or shown.followers and #shown.followers or '',
  }, '\0')
end

---@param buf integer
---@param shown editd.Shown
---@param row integer
---@param options vim.api.keyset.set_extmark
local function mark(buf, shown, row, options)
  options.strict = false
  shown.marks[#shown.marks + 1] = vim.api.nvim_buf_set_extmark(buf, marks, row, 0, options)
end

---@type table<editd.HunkState, string>
local old_groups = { pending = 'EditdDelete', conflicted = 'EditdConflict', accepted = 'EditdGone', edited = 'EditdGone' }
--- The current lines of a landed change are the new ones.
---@type table<editd.HunkState, string>
local landed_groups = { pending = 'EditdAdd', conflicted = 'EditdConflict', rejected = 'EditdGone', edited = 'EditdGone' }

--- Highlights the current lines: those that would be deleted, or that a landed change has added.
---@param buf integer
---@param shown editd.Shown
---@param first integer
---@param spans table<integer, editd.Span[]>
local function draw_old(buf, shown, first, spans)
  local hunk = shown.hunk
  local group = (hunk.earlier and landed_groups or old_groups)[hunk.draft and 'edited' or hunk.state]
  if M.is_insertion(hunk) or not group then
    return
  end
  local last = vim.api.nvim_buf_line_count(buf)
  mark(buf, shown, first, {
    end_row = math.min(first + #hunk.old, last),
    end_col = 0,
    hl_group = group,
    hl_eol = true,
    priority = 190,
  })
  if hunk.state ~= 'pending' or hunk.draft then
    return
  end
  for index, line_spans in pairs(spans) do
    for _, span in ipairs(line_spans) do
      shown.marks[#shown.marks + 1] = vim.api.nvim_buf_set_extmark(buf, marks, first + index - 1, span[1], {
        end_col = span[2],
        hl_group = hunk.earlier and 'EditdAddText' or 'EditdDeleteText',
        priority = 191,
        strict = false,
      })
    end
  end
end

--- Places the hint after the first line, or in a separate virtual line.
---@param buf integer
---@param shown editd.Shown
---@param first integer
---@param virtual editd.Chunk[][]
---@param room editd.Room
---@return editd.Chunk[]? suffix Chunks after the existing line.
local function place_hint(buf, shown, first, virtual, room)
  local proposal, hunk = shown.proposal, shown.hunk
  if shown.follows or shown.followers then
    table.insert(virtual, 1, hint.named_line(buf, proposal, hunk, room.width))
    return nil
  end
  if M.is_insertion(hunk) and virtual[1] then
    local padding = virtual[1][#virtual[1]]
    local free = padding[1]:match('^ +$') and #padding[1] - 4 or 0
    local chunks = hint.fitting(buf, proposal, hunk, free)
    if not (chunks and cells.append(virtual[1], chunks)) then
      table.insert(virtual, 1, hint.line(buf, proposal, hunk, room.width))
    end
    return nil
  end
  local line = vim.api.nvim_buf_get_lines(buf, first, first + 1, false)[1] or ''
  local chunks = hint.fitting(buf, proposal, hunk, room.width - cells.width(line) - 2)
  if not chunks then
    table.insert(virtual, 1, hint.line(buf, proposal, hunk, room.width))
    return nil
  end
  return vim.list_extend({ { '  ', 'EditdHint' } }, chunks)
end

--- Returns the lines of the other side and the hint.
---@param buf integer
---@param shown editd.Shown
---@param first integer
---@param room editd.Room
---@return editd.Chunk[][] virtual
---@return editd.Chunk[]? suffix Chunks after the existing line.
local function new_lines(buf, shown, first, room)
  local hunk = shown.hunk
  if rows.is_long(hunk) then
    local both = rows.long(shown, room)
    table.insert(both, 1, hint.line(buf, shown.proposal, hunk, room.width))
    return both, nil
  end
  local _, in_other = rows.spans(hunk.old, hunk.earlier or hunk.new)
  local virtual = rows.other(shown, in_other, room)
  local suffix = place_hint(buf, shown, first, virtual, room)
  return virtual, suffix
end

---@param hunk editd.Hunk
---@return string? text
---@return string group
local function sign(hunk)
  local signs = config.get().signs
  local state = hunk.draft and 'edited' or hunk.state
  local group = 'EditdSign' .. state:sub(1, 1):upper() .. state:sub(2)
  return signs and signs[state] or nil, group
end

--- Scrolls a window that is at the start of its buffer, so that virtual lines above the first line are visible.
--- Neovim does not scroll to such lines by itself.
---@param win integer
---@param count integer
function M.make_room_on_top(win, count)
  vim.api.nvim_win_call(win, function()
    if vim.fn.line('w0') == 1 then
      vim.fn.winrestview({ topline = 1, topfill = math.min(count, vim.api.nvim_win_get_height(win) - 1) })
    end
  end)
end

--- Returns whether the appearance of a hunk has changed since it was drawn.
---@param shown editd.Shown
---@param room editd.Room
---@return boolean
function M.is_stale(shown, room)
  return shown.drawn ~= appearance_of(shown, room)
end

--- Draws a hunk, unless its appearance is unchanged.
---@param buf integer
---@param shown editd.Shown
---@param room editd.Room
function M.draw(buf, shown, room)
  local appearance = appearance_of(shown, room)
  if shown.drawn == appearance then
    return
  end
  for _, id in ipairs(shown.marks) do
    vim.api.nvim_buf_del_extmark(buf, marks, id)
  end
  shown.marks, shown.drawn, shown.above = {}, appearance, nil
  local hunk = shown.hunk
  local first, last = M.rows(buf, shown)
  draw_old(buf, shown, first, (rows.spans(hunk.old, hunk.earlier or hunk.new)))
  local virtual, suffix = new_lines(buf, shown, first, room)
  -- Neovim does not define an order for the virtual lines of several extmarks at one position.
  for _, other in ipairs(shown.followers or {}) do
    vim.list_extend(virtual, (new_lines(buf, other, first, room)))
  end
  local text, group = sign(hunk)
  mark(buf, shown, first, {
    sign_text = text,
    sign_hl_group = text and group or nil,
    virt_text = suffix,
    virt_text_pos = 'eol',
    hl_mode = 'combine',
    priority = 190,
  })
  for row = first + 1, text and not M.is_insertion(hunk) and last or first do
    mark(buf, shown, row, { sign_text = text, sign_hl_group = group, priority = 190 })
  end
  if #virtual > 0 and not shown.follows then
    -- As in a diff, the lines before a landed change are above the current ones.
    -- Lines below a long line would be outside of the window.
    local is_above = (hunk.earlier ~= nil or rows.is_long(hunk)) and not M.is_insertion(hunk)
    local on_top = (is_above or M.is_insertion(hunk)) and hunk.row == 0
    if is_above and room.wrap and rows.is_long(hunk) then
      -- Neovim shows nothing above a line that fills the window.
      mark(buf, shown, first, { virt_text = rows.joined(virtual, room), virt_text_pos = 'inline' })
      return
    end
    mark(buf, shown, is_above and first or last, {
      virt_lines = virtual,
      virt_lines_above = is_above or on_top,
      virt_lines_overflow = room.wrap and 'trunc' or 'scroll',
    })
    shown.above = (is_above or on_top) and #virtual or nil
    for _, win in ipairs(on_top and vim.fn.win_findbuf(buf) or {}) do
      M.make_room_on_top(win, #virtual)
    end
  end
end

--- Removes a hunk from a buffer.
---@param buf integer
---@param shown editd.Shown
function M.erase(buf, shown)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_del_extmark(buf, places, shown.place)
    for _, id in ipairs(shown.marks) do
      vim.api.nvim_buf_del_extmark(buf, marks, id)
    end
  end
end

--- Removes all hunks from a buffer, including unknown ones.
---@param buf integer
function M.erase_all(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, places, 0, -1)
    vim.api.nvim_buf_clear_namespace(buf, marks, 0, -1)
  end
end

--- Updates a displayed hunk from the current version of its proposal.
---@param buf integer
---@param shown editd.Shown
---@param from { proposal: editd.Proposal, file: editd.File }
---@param hunk editd.Hunk
function M.update(buf, shown, from, hunk)
  shown.proposal, shown.file, shown.hunk = from.proposal, from.file, hunk
  local before = shown.place and M.rows(buf, shown)
  shown.place = mark_place(buf, hunk, shown.place)
  if before ~= M.rows(buf, shown) then
    shown.drawn = nil
  end
end

return M
