--- Hunks shown in the buffers that they are about.

local cells = require('editd.review.cells')
local colors = require('editd.review.colors')
local config = require('editd.config')
local hint = require('editd.review.hint')
local hunks = require('editd.hunks')
local keys = require('editd.review.keys')
local words = require('editd.words')

local M = {}

local places = vim.api.nvim_create_namespace('editd.review.places')
local marks = vim.api.nvim_create_namespace('editd.review')

--- Milliseconds of drawing before the person may type again.
local SLICE = 12
--- Lines of a hunk that are compared by words.
local WORD_LINES = 60

---@class editd.Shown
---@field proposal editd.Proposal
---@field file editd.File
---@field hunk editd.Hunk
---@field place integer Mark over the lines that it is about.
---@field marks integer[]
---@field drawn? string What was drawn.

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

---@param hunk editd.Hunk
---@return boolean # Whether it stands between lines.
local function is_insertion(hunk)
  return #hunk.old == 0
end

--- Marks the lines that a hunk is about, so that they are known while the person types.
---@param buf integer
---@param hunk editd.Hunk
---@param id? integer
---@return integer
local function mark_place(buf, hunk, id)
  local last = vim.api.nvim_buf_line_count(buf)
  local row = is_insertion(hunk) and math.max(hunk.row - 1, 0) or hunk.row
  row = math.min(row, last - 1)
  return vim.api.nvim_buf_set_extmark(buf, places, row, 0, {
    id = id,
    end_row = math.min(is_insertion(hunk) and row or hunk.row + #hunk.old, last),
    end_col = 0,
    right_gravity = not is_insertion(hunk),
    end_right_gravity = false,
    strict = false,
  })
end

--- Rows that a hunk is about now: first and last, from 0. An insertion is about the line before it.
---@param buf integer
---@param shown editd.Shown
---@return integer first
---@return integer last
local function rows(buf, shown)
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, places, shown.place, { details = true })
  local first = at[1] or 0
  local stop = at[3] and at[3].end_row or first
  return first, math.max(first, stop - 1)
end

---@param shown editd.Shown
---@param room editd.Room
---@return string
local function looks(shown, room)
  local hunk = shown.hunk
  return table.concat({
    hunk.state,
    shown.proposal.author,
    shown.proposal.label,
    table.concat(hunk.old, '\n'),
    table.concat(hunks.wanted(hunk), '\n'),
    hunk.draft and 'draft' or '',
    #hunk.comments,
    room.width,
    tostring(room.wrap),
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

--- The words that changed, in the lines that are there and in those that are to come.
---@param old string[]
---@param new string[]
---@return table<integer, editd.Span[]> old By line.
---@return table<integer, editd.Span[]> new By line.
local function word_spans(old, new)
  local in_old, in_new = {}, {} ---@type table<integer, editd.Span[]>, table<integer, editd.Span[]>
  if #old > WORD_LINES or #new > WORD_LINES then
    return in_old, in_new
  end
  for index = 1, math.min(#old, #new) do
    in_old[index], in_new[index] = words.differences(old[index], new[index])
  end
  return in_old, in_new
end

---@type table<editd.HunkState, string>
local old_groups = { pending = 'EditdDelete', conflicted = 'EditdConflict', accepted = 'EditdGone', edited = 'EditdGone' }

--- Highlights the lines that would go.
---@param buf integer
---@param shown editd.Shown
---@param first integer
---@param spans table<integer, editd.Span[]>
local function draw_old(buf, shown, first, spans)
  local hunk = shown.hunk
  local group = old_groups[hunk.draft and 'edited' or hunk.state]
  if is_insertion(hunk) or not group then
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
        hl_group = 'EditdDeleteText',
        priority = 191,
        strict = false,
      })
    end
  end
end

--- The lines that are to come, as virtual lines.
---@param shown editd.Shown
---@param spans table<integer, editd.Span[]>
---@param room editd.Room
---@return editd.Chunk[][]
local function new_rows(shown, spans, room)
  local hunk = shown.hunk
  if hunk.state == 'rejected' then
    return {}
  end
  local settled = hunk.state == 'accepted' or hunk.state == 'edited' or hunk.draft ~= nil
  local group = settled and 'EditdAccepted' or 'EditdAdd'
  local all = {} ---@type editd.Chunk[][]
  for index, line in ipairs(hunks.wanted(hunk)) do
    local marked = not settled and spans[index] or nil
    vim.list_extend(all, cells.rows(line, marked, group, 'EditdAddText', room))
  end
  return all
end

--- Where the hint goes: behind the first line, or in a line of its own.
---@param buf integer
---@param shown editd.Shown
---@param first integer
---@param virtual editd.Chunk[][]
---@param room editd.Room
---@return editd.Chunk[]? behind What is put behind the line that is there.
local function place_hint(buf, shown, first, virtual, room)
  local proposal, hunk = shown.proposal, shown.hunk
  if is_insertion(hunk) and virtual[1] then
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

---@param hunk editd.Hunk
---@return string? text
---@return string group
local function sign(hunk)
  local signs = config.get().signs
  local state = hunk.draft and 'edited' or hunk.state
  local group = 'EditdSign' .. state:sub(1, 1):upper() .. state:sub(2)
  return signs and signs[state] or nil, group
end

--- Lines above the first line of a buffer are not seen unless the window makes room for them.
---@param buf integer
---@param count integer
local function make_room_on_top(buf, count)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      if vim.fn.line('w0') == 1 then
        vim.fn.winrestview({ topline = 1, topfill = math.min(count, vim.api.nvim_win_get_height(win) - 1) })
      end
    end)
  end
end

---@param buf integer
---@param shown editd.Shown
---@param room editd.Room
local function draw(buf, shown, room)
  local look = looks(shown, room)
  if shown.drawn == look then
    return
  end
  for _, id in ipairs(shown.marks) do
    vim.api.nvim_buf_del_extmark(buf, marks, id)
  end
  shown.marks, shown.drawn = {}, look
  local hunk = shown.hunk
  local first, last = rows(buf, shown)
  local in_old, in_new = word_spans(hunk.old, hunk.new)
  draw_old(buf, shown, first, in_old)
  local virtual = new_rows(shown, in_new, room)
  local behind = place_hint(buf, shown, first, virtual, room)
  local text, group = sign(hunk)
  mark(buf, shown, first, {
    sign_text = text,
    sign_hl_group = text and group or nil,
    virt_text = behind,
    virt_text_pos = 'eol',
    hl_mode = 'combine',
    priority = 190,
  })
  if #virtual > 0 then
    local on_top = is_insertion(hunk) and hunk.row == 0
    mark(buf, shown, last, { virt_lines = virtual, virt_lines_above = on_top })
    if on_top then
      make_room_on_top(buf, #virtual)
    end
  end
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
  for _, shown in pairs(buffers[buf]) do
    local first, last = rows(buf, shown)
    if last >= top and first <= bottom then
      draw(buf, shown, room)
    else
      later[#later + 1] = shown
    end
  end
  local next_one = 1
  local function slice()
    if generation[buf] ~= mine or not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    local began = vim.uv.hrtime()
    while later[next_one] and (vim.uv.hrtime() - began) / 1e6 < SLICE do
      draw(buf, later[next_one], room)
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

---@param buf integer
---@param shown editd.Shown
local function erase(buf, shown)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_del_extmark(buf, places, shown.place)
    for _, id in ipairs(shown.marks) do
      vim.api.nvim_buf_del_extmark(buf, marks, id)
    end
  end
end

--- Takes over what the daemon says of a hunk now.
---@param buf integer
---@param shown editd.Shown
---@param from { proposal: editd.Proposal, file: editd.File }
---@param hunk editd.Hunk
local function take(buf, shown, from, hunk)
  shown.proposal, shown.file, shown.hunk = from.proposal, from.file, hunk
  local before = shown.place and rows(buf, shown)
  shown.place = mark_place(buf, hunk, shown.place)
  if before ~= rows(buf, shown) then
    shown.drawn = nil
  end
end

--- Shows the hunks of these files in a buffer, and nothing else. What is shown already stays untouched.
---@param buf integer
---@param pairs_of { proposal: editd.Proposal, file: editd.File }[]
function M.show(buf, pairs_of)
  colors.define()
  local before, after = buffers[buf] or {}, {} ---@type table<string, editd.Shown>, table<string, editd.Shown>
  local open = false
  for _, each in ipairs(pairs_of) do
    for _, hunk in ipairs(each.file.hunks) do
      if hunk.kind == 'text' then
        local key = key_of(each.proposal, hunk)
        local shown = before[key] or { marks = {} }
        before[key] = nil
        -- The same as before has no news of where it is: its mark knows better.
        if shown.hunk ~= hunk then
          take(buf, shown, each, hunk)
        end
        after[key] = shown
        open = true
      end
    end
  end
  for _, shown in pairs(before) do
    erase(buf, shown)
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

---@param buf integer
function M.forget(buf)
  buffers[buf] = nil
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
    local first, last = rows(buf, shown)
    all[#all + 1] = { buf = buf, first = first, last = last, shown = shown }
  end
  table.sort(all, function(a, b)
    if a.first ~= b.first then
      return a.first < b.first
    end
    return a.shown.hunk.row < b.shown.hunk.row
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
    elseif from == to and is_insertion(at.shown.hunk) and at.first + 1 == from then
      above[#above + 1] = at
    end
  end
  return #found > 0 and found or above
end

return M
