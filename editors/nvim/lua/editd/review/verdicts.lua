--- Accepting and rejecting hunks.

local config = require('editd.config')
local drafts = require('editd.review.drafts')
local go = require('editd.review.go')
local hunks = require('editd.hunks')
local meant = require('editd.review.meant')
local message = require('editd.message')
local preview = require('editd.review.preview')
local review = require('editd.review')
local turns = require('editd.review.turns')

local M = {}

---@return string
local function place()
  return ('%d %d'):format(vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1])
end

--- What follows a decision. Who has gone elsewhere meanwhile stays there.
---@param from string The place where it was made.
local function after(from)
  local stays = place() == from
  preview.close_decided(function(id, hunk_id)
    local proposal = review.get(id)
    local hunk = proposal and hunks.find(proposal, hunk_id)
    return hunk ~= nil and hunks.is_open(hunk)
  end)
  if config.get().advance and stays then
    go.advance()
  end
end

---@param stops editd.Stop[]
---@return table<string, editd.Stop[]>
local function by_proposal(stops)
  local grouped = {} ---@type table<string, editd.Stop[]>
  for _, stop in ipairs(stops) do
    grouped[stop.proposal.id] = grouped[stop.proposal.id] or {}
    table.insert(grouped[stop.proposal.id], stop)
  end
  return grouped
end

--- All conflicts that are shown as such.
---@return table<string, true>
local function conflicts()
  local seen = {} ---@type table<string, true>
  for _, proposal in ipairs(review.pending()) do
    for _, file in ipairs(proposal.files) do
      for _, hunk in ipairs(file.hunks) do
        if hunk.state == 'conflicted' and preview.state(proposal.id, hunk.id) ~= 'pending' then
          seen[proposal.id .. hunk.id] = true
        end
      end
    end
  end
  return seen
end

--- What to send of these hunks. A conflict that the person has seen is taken over what is there.
---@param verdict 'accept'|'reject'
---@param stops editd.Stop[]
---@param seen table<string, true>
---@return table<'accept'|'take'|'reject', string[]>
local function decision_on(verdict, stops, seen)
  local decision = {} ---@type table<'accept'|'take'|'reject', string[]>
  for _, stop in ipairs(stops) do
    local say = verdict == 'accept' and seen[stop.proposal.id .. stop.hunk.id] and 'take' or verdict
    decision[say] = decision[say] or {}
    table.insert(decision[say], stop.hunk.id)
  end
  return decision
end

--- Says so where the text under hunks changed before they were accepted, and shows them as they are now.
---@param proposal editd.Proposal
---@param accepted string[]
---@return boolean
local function tell_changed(proposal, accepted)
  local changed = vim.tbl_filter(function(id)
    local hunk = hunks.find(proposal, id)
    return hunk ~= nil and hunk.state == 'conflicted'
  end, accepted)
  if #changed > 0 then
    local what = message.count(#changed, 'hunk')
    message.say(('%s not accepted: the text there has just changed'):format(what), vim.log.levels.WARN)
    preview.show_again(proposal)
  end
  return #changed > 0
end

---@param verdict 'accept'|'reject'
---@param range? editd.Range
---@param seen table<string, true>
---@param done fun()
local function decide_now(verdict, range, seen, done)
  local stops = meant.stops(range)
  if #stops == 0 then
    meant.nothing_here()
    done()
    return
  end
  local from, left = place(), 0
  for id, group in pairs(by_proposal(stops)) do
    left = left + 1
    local decision = decision_on(verdict, group, seen)
    for _, stop in ipairs(group) do
      stop.hunk.draft = nil
    end
    review.decide(group[1].proposal, decision, function(err)
      local proposal = review.get(id)
      if not err then
        if proposal then
          drafts.send(id)
        end
        if not proposal or not tell_changed(proposal, decision.accept or {}) then
          after(from)
        end
      end
      left = left - 1
      if left == 0 then
        done()
      end
    end)
  end
end

---@param verdict 'accept'|'reject'
---@param range? editd.Range
function M.decide(verdict, range)
  local seen = conflicts()
  turns.take(function(done)
    decide_now(verdict, range, seen, done)
  end)
end

---@param verdict 'accept'|'reject'
---@param proposal editd.Proposal
---@param done fun()
local function decide_all_now(verdict, proposal, done)
  local from = place()
  review.decide(proposal, { [verdict] = verdict == 'accept' and drafts.all_other_hunks(proposal) or 'all' }, function(err)
    local now = review.get(proposal.id)
    if not err then
      if now then
        local _, open = hunks.count(now)
        if open > 0 then
          local left = message.count(open, 'conflict')
          message.say(('%s left to decide: the text there has changed'):format(left), vim.log.levels.WARN)
        end
        drafts.send(now.id)
      end
      after(from)
    end
    done()
  end)
end

---@param verdict 'accept'|'reject'
---@param id? string
function M.decide_all(verdict, id)
  meant.proposal(id, function(proposal)
    turns.take(function(done)
      local now = review.get(proposal.id)
      if now then
        decide_all_now(verdict, now, done)
      else
        done()
      end
    end)
  end)
end

return M
