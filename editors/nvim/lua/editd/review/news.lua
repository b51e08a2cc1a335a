--- Tells of proposals that come and end: the person in messages, and plugins in events.

local config = require('editd.config')
local hunks = require('editd.hunks')
local message = require('editd.message')

local M = {}

--- Milliseconds in which proposals that come are told in one line.
local TOGETHER = 50

--- What has become of a proposal, by its state.
---@type table<string, string>
local ends = {
  applied = 'applied',
  partial = 'applied in part; :Editd reopen brings the rest back',
  rejected = 'rejected; :Editd reopen brings it back',
  superseded = 'replaced by a newer one',
  discarded = 'taken back by its author',
  stale = 'out of date: its files have changed',
  failed = 'failed',
}

--- Proposals that came and were not spoken of yet.
---@type editd.Proposal[]
local arrived = {}
--- The one that was spoken of last, until the person goes there.
---@type string?
local announced

---@param pattern string
---@param data table
local function event(pattern, data)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, modeline = false, data = data })
end

--- One line, however many have come.
local function speak()
  local news = arrived
  arrived = {}
  local newest = news[#news]
  if not newest or not config.get().notify then
    return
  end
  announced = newest.id
  local how = require('editd.review.keys').reach(vim.api.nvim_get_current_buf(), 'review')
  local size = ('%s, %s'):format(message.count(#newest.files, 'file'), message.count((hunks.count(newest)), 'hunk'))
  local more = #news > 1 and (' and %d more'):format(#news - 1) or ''
  local room = vim.v.echospace - #'editd:  ()  ' - #size - #more - #how
  local title = message.fit(hunks.title(newest), math.max(room, 10))
  message.say(('%s (%s)%s  %s'):format(title, size, more, how))
end

--- A proposal waits that did not before.
---@param proposal editd.Proposal
function M.arrived(proposal)
  arrived[#arrived + 1] = proposal
  if #arrived == 1 then
    vim.defer_fn(speak, TOGETHER)
  end
  event('EditdProposal', {
    id = proposal.id,
    author = proposal.author,
    label = proposal.label,
    files = #proposal.files,
    hunks = (hunks.count(proposal)),
  })
end

--- A proposal waits no longer.
---@param proposal editd.Proposal
---@param state string
function M.ended(proposal, state)
  arrived = vim.tbl_filter(function(each)
    return each.id ~= proposal.id
  end, arrived)
  if announced == proposal.id then
    announced = nil
  end
  message.say(('%s: %s'):format(hunks.title(proposal), ends[state] or state))
  event('EditdDecided', { id = proposal.id, state = state, author = proposal.author, label = proposal.label })
end

--- The proposal that the person was told of last, once.
---@return string?
function M.take_announced()
  local id = announced
  announced = nil
  return id
end

return M
