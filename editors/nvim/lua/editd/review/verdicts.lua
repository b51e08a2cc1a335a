--- Accepting and rejecting hunks.

local config = require('editd.config')
local confirm = require('editd.review.confirm')
local drafts = require('editd.review.drafts')
local go = require('editd.review.go')
local hunks = require('editd.hunks')
local targets = require('editd.review.targets')
local message = require('editd.message')
local preview = require('editd.review.preview')
local review = require('editd.review')
local queue = require('editd.review.queue')

local M = {}

---@return string
local function cursor_location()
  return ('%d %d'):format(vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1])
end

--- Closes decided previews and goes to the next hunk, unless the user has moved the cursor in the meantime.
---@param from string Cursor location when the decision was made.
---@param id string Proposal id.
local function after(from, id)
  local stays = cursor_location() == from
  preview.close_decided(function(id, hunk_id)
    local proposal = review.get(id)
    local hunk = proposal and hunks.find(proposal, hunk_id)
    return hunk ~= nil and hunks.is_open(hunk)
  end)
  if config.get().advance and stays then
    go.advance(id)
  end
end

--- Returns all hunks that are displayed as conflicts.
---@return table<string, true>
local function displayed_conflicts()
  local displayed = {} ---@type table<string, true>
  for _, proposal in ipairs(review.pending()) do
    for _, file in ipairs(proposal.files) do
      for _, hunk in ipairs(file.hunks) do
        if hunk.state == 'conflicted' and preview.state(proposal.id, hunk.id) ~= 'pending' then
          displayed[proposal.id .. hunk.id] = true
        end
      end
    end
  end
  return displayed
end

--- Returns the verdict that changes the file: a landed change is in it already.
---@param proposal editd.Proposal
---@return 'accept'|'reject'
local function writing_verdict(proposal)
  return proposal.landed and 'reject' or 'accept'
end

--- Builds the decision for these hunks. A verdict that changes the file overwrites a conflict that was displayed
--- as such.
---@param verdict 'accept'|'reject'
---@param stops editd.Stop[]
---@param displayed table<string, true>
---@return table<'accept'|'take'|'reject', string[]>
local function decision_on(verdict, stops, displayed)
  local decision = {} ---@type table<'accept'|'take'|'reject', string[]>
  for _, stop in ipairs(stops) do
    local field = verdict == writing_verdict(stop.proposal) and displayed[stop.proposal.id .. stop.hunk.id] and 'take' or verdict
    decision[field] = decision[field] or {}
    table.insert(decision[field], stop.hunk.id)
  end
  return decision
end

--- Warns about hunks that became conflicts before they could be written, and shows their current state.
--- Returns whether there are any.
---@param proposal editd.Proposal
---@param decision table<string, string[]>
---@return boolean
local function warn_about_changes(proposal, decision)
  local changed = vim.tbl_filter(function(id)
    local hunk = hunks.find(proposal, id)
    return hunk ~= nil and hunk.state == 'conflicted'
  end, decision[writing_verdict(proposal)] or {})
  if #changed > 0 then
    local count = message.count(#changed, 'hunk')
    local verb = proposal.landed and 'reverted' or 'accepted'
    message.show(('%s not %s: the text there has just changed'):format(count, verb), vim.log.levels.WARN)
    preview.refresh(proposal)
  end
  return #changed > 0
end

--- Accepting a conflict for which the user wrote a replacement accepts that replacement.
---@param verdict 'accept'|'reject'
---@param stops editd.Stop[]
---@param displayed table<string, true>
---@return editd.Stop[] # The remaining hunks.
local function use_replacements(verdict, stops, displayed)
  return vim.tbl_filter(function(stop)
    local hunk = stop.hunk
    if verdict == 'accept' and hunk.state == 'conflicted' and hunk.kept and displayed[stop.proposal.id .. hunk.id] then
      hunk.draft, hunk.kept = hunk.kept, nil
      return false
    end
    hunk.draft = nil
    return true
  end, stops)
end

--- Sends a decision, unless it is empty.
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
---@param stops editd.Stop[] Hunks of a single proposal.
---@param displayed table<string, true>
---@param done fun()
local function decide_these(verdict, stops, displayed, done)
  local from, id = cursor_location(), stops[1].proposal.id
  local decision = decision_on(verdict, use_replacements(verdict, stops, displayed), displayed)
  send(stops[1].proposal, decision, function(err)
    local proposal = review.get(id)
    if not err then
      if proposal then
        drafts.send(id)
      end
      if not proposal or not warn_about_changes(proposal, decision) then
        after(from, id)
      end
    end
    done()
  end)
end

---@param verdict 'accept'|'reject'
---@param stops editd.Stop[] Hunks of a single proposal.
---@param displayed table<string, true>
local function decide_later(verdict, stops, displayed)
  queue.push(function(done)
    local now = targets.now(stops)
    if #now > 0 then
      decide_these(verdict, now, displayed, done)
    else
      done()
    end
  end)
end

--- Selects the hunks of a range that a verdict is about: those that are undecided. If there are none, the user is
--- asked whether to change the earlier decisions.
---@param verdict 'accept'|'reject'
---@param stops editd.Stop[] Hunks of a single proposal.
---@return editd.Stop[]
local function of_range(verdict, stops)
  local open = vim.tbl_filter(function(stop)
    return hunks.is_open(stop.hunk)
  end, stops)
  local contrary = confirm.contrary(verdict, stops)
  if #open > 0 then
    if not confirm.unseen(verdict, open, false) then
      return {}
    end
    confirm.said(verdict, contrary)
    return open
  elseif #contrary > 0 then
    return confirm.turn(verdict, contrary) and contrary or {}
  end
  return stops
end

---@param verdict 'accept'|'reject'
---@param range? editd.Range
function M.decide(verdict, range)
  local displayed = displayed_conflicts()
  queue.push(function(done)
    local stops = targets.stops(range)
    local function chosen(of_one)
      local is_capped = vim.iter(of_one):any(function(stop)
        return stop.hunk.capped
      end)
      if not range and is_capped and not confirm.unseen(verdict, of_one, false) then
        return {}
      end
      return range and of_range(verdict, of_one) or of_one
    end
    if #stops == 0 then
      targets.nothing_here()
      done()
    elseif targets.is_one(stops) then
      local these = chosen(stops)
      if #these > 0 then
        decide_these(verdict, these, displayed, done)
      else
        done()
      end
    else
      targets.of_one(stops, function(of_one)
        local these = chosen(of_one)
        if #these > 0 then
          decide_later(verdict, these, displayed)
        end
      end)
      done()
    end
  end)
end

--- Returns all hunks of a proposal.
---@param proposal editd.Proposal
---@return editd.Stop[]
local function stops_of(proposal)
  local stops = {} ---@type editd.Stop[]
  for _, file in ipairs(proposal.files) do
    for _, hunk in ipairs(file.hunks) do
      stops[#stops + 1] = { proposal = proposal, file = file, hunk = hunk }
    end
  end
  return stops
end

---@param stops editd.Stop[]
---@param is_wanted fun(hunk: editd.Hunk): boolean
---@return string[]
local function ids(stops, is_wanted)
  local list = {} ---@type string[]
  for _, stop in ipairs(stops) do
    if is_wanted(stop.hunk) then
      list[#list + 1] = stop.hunk.id
    end
  end
  return list
end

--- Returns the decision about a whole proposal.
---@param verdict 'accept'|'reject'
---@param proposal editd.Proposal
---@param earlier? 'turn'|'leave' The user's answer about hunks that were decided the other way.
---@return table
local function decision_on_all(verdict, proposal, earlier)
  local stops = stops_of(proposal)
  if earlier == 'turn' then
    local turned = {} ---@type table<string, true>
    for _, stop in ipairs(confirm.contrary(verdict, stops)) do
      stop.hunk.draft = nil
      turned[stop.hunk.id] = true
    end
    local writes = verdict == writing_verdict(proposal)
    return {
      [verdict] = ids(stops, function(hunk)
        return turned[hunk.id] or hunk.state == 'pending' or (hunk.state == 'conflicted' and not writes)
      end),
    }
  end
  local without_drafts = verdict == 'accept' and drafts.hunks_without_draft(proposal) or 'all'
  local has_drafts = vim.iter(stops):any(function(stop)
    return stop.hunk.draft ~= nil
  end)
  if verdict == 'reject' and has_drafts then
    without_drafts = ids(stops, hunks.is_open)
  end
  return { [verdict] = without_drafts, keepEarlier = earlier == 'leave' or nil }
end

---@param verdict 'accept'|'reject'
---@param proposal editd.Proposal
---@param earlier? 'turn'|'leave'
---@param done fun()
local function decide_all_now(verdict, proposal, earlier, done)
  local from = cursor_location()
  local stays = earlier and {} or confirm.contrary(verdict, stops_of(proposal))
  review.decide(proposal, decision_on_all(verdict, proposal, earlier), function(err)
    local now = review.get(proposal.id)
    if not err then
      if now then
        local _, open = hunks.count(now)
        if open > 0 then
          local left = message.count(open, 'conflict')
          message.show(('%s left to decide: the text there has changed'):format(left), vim.log.levels.WARN)
        else
          confirm.said(verdict, stays)
        end
        drafts.send(now.id)
      end
      after(from, proposal.id)
    end
    done()
  end)
end

---@param verdict 'accept'|'reject'
---@param id? string
function M.decide_all(verdict, id)
  targets.proposal(id, function(proposal)
    local stops = stops_of(proposal)
    local contrary = confirm.leaves(verdict, proposal) and confirm.contrary(verdict, stops) or {}
    local earlier = #contrary > 0 and confirm.earlier(verdict, contrary) or nil
    review.note_visible()
    if (#contrary > 0 and not earlier) or not confirm.unseen(verdict, stops, true) then
      return
    end
    queue.push(function(done)
      local now = review.get(proposal.id)
      if now then
        decide_all_now(verdict, now, earlier, done)
      else
        done()
      end
    end)
  end)
end

return M
