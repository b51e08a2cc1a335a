--- Which hunks and which proposal a person means.

local go = require('editd.review.go')
local hunks = require('editd.hunks')
local message = require('editd.message')
local overlay = require('editd.review.overlay')
local review = require('editd.review')

local M = {}

---@class editd.Range
---@field first integer From 0.
---@field last integer

--- The hunks that are meant: of a preview, in a range of lines, or under the cursor.
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

--- Says that there is nothing here, and where there is.
function M.nothing_here()
  local how = require('editd.review.keys').reach(vim.api.nvim_get_current_buf(), 'next')
  local left = #go.stops() > 0
  message.say(left and ('no hunk here; %s goes to the next'):format(how) or 'nothing is left to decide')
end

--- The proposal that is meant: of the hunk here, of this buffer, or the only one. Else the person is asked.
---@param id? string
---@param act fun(proposal: editd.Proposal)
function M.proposal(id, act)
  local pending = review.pending()
  local here = M.stops()[1]
  local shown = overlay.all(vim.api.nvim_get_current_buf())[1]
  if id then
    local proposal = review.get(id)
    if proposal then
      act(proposal)
    else
      message.say(('there is no pending proposal %s'):format(id), vim.log.levels.WARN)
    end
  elseif #pending == 0 then
    message.say('no proposal is pending')
  elseif here or shown or #pending == 1 then
    act(here and here.proposal or shown and shown.shown.proposal or pending[1])
  else
    vim.ui.select(pending, { prompt = 'Which proposal?', format_item = review.title }, function(choice)
      if choice then
        act(choice)
      end
    end)
  end
end

return M
