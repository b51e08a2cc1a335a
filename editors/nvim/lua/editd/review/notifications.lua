--- Announces new and finished proposals: to the user in messages, to plugins in events.

local config = require('editd.config')
local hunks = require('editd.hunks')
local message = require('editd.message')

local M = {}

--- Proposals that arrive within this many milliseconds are announced in one line.
local BATCH_MS = 50

--- Description of the final states of a proposal.
---@type table<string, string>
local outcomes = {
  applied = 'applied',
  partial = 'partially applied; :Editd reopen brings the rest back',
  rejected = 'rejected; :Editd reopen brings it back',
  superseded = 'replaced by a newer one',
  discarded = 'withdrawn by its author',
  stale = 'out of date: its files have changed',
  failed = 'failed',
}

--- Description of the final states of a landed change.
---@type table<string, string>
local landed_outcomes = { applied = 'kept', partial = 'partly reverted', rejected = 'reverted' }

--- New proposals that were not announced yet.
---@type editd.Proposal[]
local arrived = {}
--- Id of the last announced proposal, until the user goes to it.
---@type string?
local announced

---@param pattern string
---@param data table
local function event(pattern, data)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, modeline = false, data = data })
end

--- Announces all new proposals in one line.
local function announce()
  local new = arrived
  arrived = {}
  local newest = new[#new]
  if not newest or not config.get().notify then
    return
  end
  announced = newest.id
  local how = require('editd.review.keys').reach(vim.api.nvim_get_current_buf(), 'review')
  local size = ('%s, %s'):format(message.count(#newest.files, 'file'), message.count((hunks.count(newest)), 'hunk'))
  local more = #new > 1 and (' and %d more'):format(#new - 1) or ''
  local room = vim.v.echospace - #'editd:  ()  ' - #size - #more - #how
  local title = message.fit(hunks.title(newest), math.max(room, 10))
  message.show(('%s (%s)%s  %s'):format(title, size, more, how))
end

--- Announces a new pending proposal.
---@param proposal editd.Proposal
function M.arrived(proposal)
  arrived[#arrived + 1] = proposal
  if #arrived == 1 then
    vim.defer_fn(announce, BATCH_MS)
  end
  event('EditdProposal', {
    id = proposal.id,
    author = proposal.author,
    label = proposal.label,
    landed = proposal.landed,
    files = #proposal.files,
    hunks = (hunks.count(proposal)),
  })
end

--- Announces that a proposal is no longer pending.
---@param proposal editd.Proposal
---@param state string
function M.ended(proposal, state)
  arrived = vim.tbl_filter(function(each)
    return each.id ~= proposal.id
  end, arrived)
  if announced == proposal.id then
    announced = nil
  end
  local outcome = proposal.landed and landed_outcomes[state] or outcomes[state] or state
  message.show(('%s: %s'):format(hunks.title(proposal), outcome))
  event('EditdDecided', { id = proposal.id, state = state, author = proposal.author, label = proposal.label })
end

--- Returns the id of the last announced proposal and forgets it.
---@return string?
function M.take_announced()
  local id = announced
  announced = nil
  return id
end

return M
