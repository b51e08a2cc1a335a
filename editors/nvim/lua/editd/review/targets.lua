--- Determines which hunks or which proposal an action applies to.

local go = require('editd.review.go')
local hunks = require('editd.hunks')
local message = require('editd.message')
local overlay = require('editd.review.overlay')
local review = require('editd.review')

local M = {}

---@class editd.Range
---@field first integer 0-based.
---@field last integer

--- Returns the target hunks: the hunk of a preview, else those in a range of lines, else those under the
--- cursor.
---@param range? editd.Range
---@return editd.Stop[]
function M.stops(range)
  local buf = vim.api.nvim_get_current_buf()
  local shown = vim.b[buf].editd_hunk
  local proposal = shown and review.get(shown.id)
  if proposal then
    local hunk, file = hunks.find(proposal, shown.hunk)
    return hunk and { { proposal = proposal, file = file, hunk = hunk } } or {}
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local stops = {} ---@type editd.Stop[]
  for _, at in ipairs(overlay.within(buf, range and range.first or row, range and range.last or row)) do
    stops[#stops + 1] = { proposal = at.shown.proposal, file = at.shown.file, hunk = at.shown.hunk }
  end
  return stops
end

--- Returns the first hunk of each proposal.
---@param stops editd.Stop[]
---@return editd.Stop[]
local function one_of_each(stops)
  local known, firsts = {}, {} ---@type table<string, true>, editd.Stop[]
  for _, stop in ipairs(stops) do
    if not known[stop.proposal.id] then
      known[stop.proposal.id] = true
      firsts[#firsts + 1] = stop
    end
  end
  return firsts
end

--- Returns whether all hunks belong to one proposal.
---@param stops editd.Stop[]
---@return boolean
function M.is_one(stops)
  return #one_of_each(stops) < 2
end

--- Calls `act` with the hunks of one proposal. If they belong to several, the user chooses one.
---@param stops editd.Stop[]
---@param act fun(stops: editd.Stop[])
function M.of_one(stops, act)
  if M.is_one(stops) then
    act(stops)
    return
  end
  vim.ui.select(one_of_each(stops), {
    prompt = 'Which proposal?',
    format_item = function(stop)
      return ('%s (%s)'):format(hunks.title(stop.proposal), stop.hunk.draft and 'edited' or stop.hunk.state)
    end,
  }, function(choice)
    if choice then
      act(vim.tbl_filter(function(stop)
        return stop.proposal.id == choice.proposal.id
      end, stops))
    end
  end)
end

--- Returns the current version of these hunks, without those of proposals that are no longer pending.
---@param stops editd.Stop[]
---@return editd.Stop[]
function M.now(stops)
  local now = {} ---@type editd.Stop[]
  for _, stop in ipairs(stops) do
    local proposal = review.get(stop.proposal.id)
    local hunk, file
    if proposal then
      hunk, file = hunks.find(proposal, stop.hunk.id)
    end
    if proposal and hunk and file then
      now[#now + 1] = { proposal = proposal, file = file, hunk = hunk }
    end
  end
  return now
end

--- Reports that there is no hunk at the cursor, and how to reach the next one.
function M.nothing_here()
  local how = require('editd.review.keys').reach(vim.api.nvim_get_current_buf(), 'next')
  local left = #go.stops() > 0
  message.show(left and ('no hunk here; %s goes to the next one'):format(how) or 'no undecided hunks')
end

--- Returns the proposal that is shown in this buffer, if there is exactly one.
---@return editd.Proposal?
local function only_one_here()
  local only ---@type editd.Proposal?
  for _, at in ipairs(overlay.all(vim.api.nvim_get_current_buf())) do
    if only and only.id ~= at.shown.proposal.id then
      return nil
    end
    only = at.shown.proposal
  end
  return only
end

--- Calls `act` with the target proposal: of the hunk under the cursor, of this buffer, or the only pending
--- one. If that is ambiguous, the user chooses.
---@param id? string
---@param act fun(proposal: editd.Proposal)
function M.proposal(id, act)
  local pending = review.pending()
  local here = M.stops()
  if id then
    local proposal = review.get(id)
    if proposal then
      act(proposal)
    else
      message.show(('no pending proposal %s'):format(id), vim.log.levels.WARN)
    end
  elseif #pending == 0 then
    message.show('no proposal is pending')
  elseif here[1] then
    M.of_one(here, function(stops)
      act(stops[1].proposal)
    end)
  elseif only_one_here() or #pending == 1 then
    act(only_one_here() or pending[1])
  else
    vim.ui.select(pending, { prompt = 'Which proposal?', format_item = hunks.title }, function(choice)
      if choice then
        act(choice)
      end
    end)
  end
end

return M
