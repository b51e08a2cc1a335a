--- Navigation between hunks.

local draw = require('editd.review.draw')
local hunks = require('editd.hunks')
local message = require('editd.message')
local overlay = require('editd.review.overlay')
local review = require('editd.review')

local M = {}

--- Shows a buffer in a window of this tab page that already has it, else in the current window.
---@param buf integer
function M.show_buffer(buf)
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    vim.api.nvim_set_current_win(win)
  else
    vim.bo[buf].buflisted = true
    vim.cmd.buffer(buf)
  end
end

--- Adds a buffer for a file, named by its path relative to the current directory, as the user would type it.
---@param file editd.File
---@return integer buf
function M.add(file)
  return vim.fn.bufadd(vim.fn.fnamemodify(file.path, ':.'))
end

--- Loads a file of a proposal and attaches the buffer immediately, so that its hunks are shown.
---@param file editd.File
---@return integer buf
function M.load(file)
  local buf = review.buffer(file)
  if not buf then
    buf = M.add(file)
    vim.fn.bufload(buf)
    require('editd.client').attach(buf)
  end
  review.show()
  return buf
end

--- Opens a file of a proposal.
---@param file editd.File
---@return integer buf
function M.open(file)
  local buf = review.buffer(file) or M.add(file)
  M.show_buffer(buf)
  return M.load(file)
end

---@param at editd.At
local function jump(at)
  vim.cmd("normal! m'")
  local last = vim.api.nvim_buf_line_count(at.buf)
  vim.api.nvim_win_set_cursor(0, { math.min(at.first + 1, last), 0 })
  vim.cmd('normal! zv')
  vim.cmd.redraw()
  local above = at.shown.above or 0
  local row = vim.fn.screenpos(0, math.min(at.last + 1, last), 1).row - vim.fn.win_screenpos(0)[1] + 1
  if row <= above or row + #at.shown.hunk.new > vim.api.nvim_win_get_height(0) then
    vim.cmd('normal! zz')
  end
  if above > 0 and at.first == 0 then
    draw.make_room_on_top(0, above)
  end
end

--- Goes to a hunk: in its file, or in a preview if it is not a text hunk.
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
function M.to(proposal, file, hunk)
  if hunk.kind ~= 'text' then
    require('editd.review.preview').open(proposal, file, hunk)
    return
  end
  local buf = M.open(file)
  for _, at in ipairs(overlay.all(buf)) do
    if at.shown.proposal.id == proposal.id and at.shown.hunk.id == hunk.id then
      jump(at)
      return
    end
  end
end

---@class editd.Stop
---@field proposal editd.Proposal
---@field file editd.File
---@field hunk editd.Hunk

--- Returns the undecided hunks of all proposals or of one, ordered by proposal, file and line.
---@param id? string
---@return editd.Stop[]
function M.stops(id)
  local stops = {} ---@type editd.Stop[]
  for _, proposal in ipairs(review.pending()) do
    for _, file in ipairs(proposal.files) do
      for _, hunk in ipairs(file.hunks) do
        if hunks.is_open(hunk) and (not id or proposal.id == id) then
          stops[#stops + 1] = { proposal = proposal, file = file, hunk = hunk }
        end
      end
    end
  end
  return stops
end

--- Returns the next (or previous) undecided hunk of this buffer.
---@param step 1|-1
---@param id? string Only hunks of this proposal.
---@return editd.At?
local function in_buffer(step, id)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local all = overlay.all(vim.api.nvim_get_current_buf())
  for index = step == 1 and 1 or #all, step == 1 and #all or 1, step do
    local at = all[index]
    local wanted = hunks.is_open(at.shown.hunk) and (not id or at.shown.proposal.id == id)
    if wanted and (at.first - row) * step > 0 then
      return at
    end
  end
end

--- Returns the index of the current stop. In a file, that is its last hunk when going forward and its first
--- when going back.
---@param stops editd.Stop[]
---@param step 1|-1
---@return integer
local function here(stops, step)
  local buf = vim.api.nvim_get_current_buf()
  local preview = vim.b[buf].editd_hunk
  local found = step == 1 and 0 or #stops + 1
  for index, stop in ipairs(stops) do
    local same = preview and preview.id == stop.proposal.id and preview.hunk == stop.hunk.id
    if same or (not preview and stop.hunk.kind == 'text' and review.buffer(stop.file) == buf) then
      if step == -1 then
        return index
      end
      found = index
    end
  end
  return found
end

--- Goes to the next or previous undecided hunk, including those in other files.
---@param step 1|-1
---@param id? string Only hunks of this proposal.
function M.step(step, id)
  local at = in_buffer(step, id)
  if at then
    jump(at)
    return
  end
  local stops = M.stops(id)
  if #stops == 0 then
    message.show('no undecided hunks')
    return
  end
  local index = (here(stops, step) + step - 1) % #stops + 1
  M.to(stops[index].proposal, stops[index].file, stops[index].hunk)
end

--- Goes to the next undecided hunk of a proposal after a decision, if there is one.
---@param id string
function M.advance(id)
  if #M.stops(id) > 0 then
    M.step(1, id)
  end
end

return M
