--- Accepting and rejecting hunks.

local config = require('editd.config')
local drafts = require('editd.review.drafts')
local go = require('editd.review.go')
local hunks = require('editd.hunks')
local meant = require('editd.review.meant')
local message = require('editd.message')
local preview = require('editd.review.preview')
local review = require('editd.review')
local seen_files = require('editd.review.seen')
local turns = require('editd.review.turns')

local M = {}

---@return string
local function place()
  return ('%d %d'):format(vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1])
end

--- What follows a decision. Who has gone elsewhere meanwhile stays there.
---@param from string The place where it was made.
---@param id string Of the proposal.
local function after(from, id)
  local stays = place() == from
  preview.close_decided(function(id, hunk_id)
    local proposal = review.get(id)
    local hunk = proposal and hunks.find(proposal, hunk_id)
    return hunk ~= nil and hunks.is_open(hunk)
  end)
  if config.get().advance and stays then
    go.advance(id)
  end
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

--- Yes to a conflict in which the person wrote something themselves is yes to that.
---@param verdict 'accept'|'reject'
---@param stops editd.Stop[]
---@param seen table<string, true>
---@return editd.Stop[] # The others.
local function take_written(verdict, stops, seen)
  return vim.tbl_filter(function(stop)
    local hunk = stop.hunk
    if verdict == 'accept' and hunk.state == 'conflicted' and hunk.kept and seen[stop.proposal.id .. hunk.id] then
      hunk.draft, hunk.kept = hunk.kept, nil
      return false
    end
    hunk.draft = nil
    return true
  end, stops)
end

--- Sends a decision, unless there is none to send.
---@param proposal editd.Proposal
---@param decision table<string, string[]>
---@param done fun(err?: lsp.ResponseError)
local function send(proposal, decision, done)
  if next(decision) then
    review.decide(proposal, decision, done)
  else
    review.show()
    done()
  end
end

---@param verdict 'accept'|'reject'
---@param stops editd.Stop[] Of one proposal.
---@param seen table<string, true>
---@param done fun()
local function decide_these(verdict, stops, seen, done)
  local from, id = place(), stops[1].proposal.id
  local decision = decision_on(verdict, take_written(verdict, stops, seen), seen)
  send(stops[1].proposal, decision, function(err)
    local proposal = review.get(id)
    if not err then
      if proposal then
        drafts.send(id)
      end
      if not proposal or not tell_changed(proposal, decision.accept or {}) then
        after(from, id)
      end
    end
    done()
  end)
end

---@param verdict 'accept'|'reject'
---@param stops editd.Stop[] Of one proposal.
---@param seen table<string, true>
local function decide_later(verdict, stops, seen)
  turns.take(function(done)
    local now = meant.now(stops)
    if #now > 0 then
      decide_these(verdict, now, seen, done)
    else
      done()
    end
  end)
end

---@param verdict 'accept'|'reject'
---@param range? editd.Range
function M.decide(verdict, range)
  local seen = conflicts()
  turns.take(function(done)
    local stops = meant.stops(range)
    if #stops == 0 then
      meant.nothing_here()
      done()
    elseif meant.is_one(stops) then
      decide_these(verdict, stops, seen, done)
    else
      meant.of_one(stops, function(chosen)
        decide_later(verdict, chosen, seen)
      end)
      done()
    end
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
      after(from, proposal.id)
    end
    done()
  end)
end

--- Asks before something is decided that the person has not seen.
---@param verdict 'accept'|'reject'
---@param proposal editd.Proposal
---@return boolean
local function agreed(verdict, proposal)
  local names = vim.tbl_map(function(file)
    return vim.fn.fnamemodify(file.path, ':~:.')
  end, seen_files.missing(proposal))
  if #names == 0 then
    return true
  end
  local what = ('%s all of %s?'):format(verdict == 'accept' and 'Accept' or 'Reject', hunks.title(proposal))
  local not_shown = ('Not shown to you yet: %s'):format(table.concat(names, ', '))
  return vim.fn.confirm(what .. '\n' .. not_shown, '&Yes\n&No', 2) == 1
end

---@param verdict 'accept'|'reject'
---@param id? string
function M.decide_all(verdict, id)
  meant.proposal(id, function(proposal)
    if not agreed(verdict, proposal) then
      return
    end
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
