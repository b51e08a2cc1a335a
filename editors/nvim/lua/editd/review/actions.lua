--- What a person does about hunks.

local compose = require('editd.review.compose')
local config = require('editd.config')
local go = require('editd.review.go')
local hunks = require('editd.hunks')
local message = require('editd.message')
local overlay = require('editd.review.overlay')
local preview = require('editd.review.preview')
local review = require('editd.review')

local M = {}

--- Decisions that wait for the answer to the one before: each names the revision that the last one led to.
---@type (fun(done: fun()))[]
local turns = {}
local busy = false

local function next_turn()
  local act = table.remove(turns, 1)
  busy = act ~= nil
  if act then
    local ok, err = pcall(act, next_turn)
    if not ok then
      message.fail(err)
      next_turn()
    end
  end
end

--- Does something once all decisions before it are answered.
---@param act fun(done: fun())
local function in_turn(act)
  turns[#turns + 1] = act
  if not busy then
    next_turn()
  end
end

---@class editd.Range
---@field first integer From 0.
---@field last integer

--- The hunks that are meant: of a preview, in a range of lines, or under the cursor.
---@param range? editd.Range
---@return editd.Stop[]
local function meant(range)
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

---@return boolean
local function nothing_here()
  local how = require('editd.review.keys').reach(vim.api.nvim_get_current_buf(), 'next')
  local left = #go.stops() > 0
  message.say(left and ('no hunk here; %s goes to the next'):format(how) or 'nothing is left to decide')
  return false
end

--- A file with something that the person wrote in place of hunks, and nothing else to decide.
---@param proposal editd.Proposal
---@return editd.File?
---@return integer? buf
local function with_drafts(proposal)
  for _, file in ipairs(proposal.files) do
    local drafts, open = false, false
    for _, hunk in ipairs(file.hunks) do
      drafts = drafts or hunk.draft ~= nil
      open = open or (hunks.is_open(hunk) and hunk.kind == 'text')
    end
    local buf = review.buffer(file)
    if drafts and not open and buf then
      return file, buf
    end
  end
end

--- Sends what was written in place of hunks, for files of which everything else is decided.
---@param id string
local function send_drafts(id)
  in_turn(function(done)
    local proposal = review.get(id)
    local file, buf
    if proposal then
      file, buf = with_drafts(proposal)
    end
    if not proposal or not file or not buf then
      done()
      return
    end
    local content = compose.text(compose.with(buf, proposal, file, compose.proposed))
    compose.hash(file, function(hash, err)
      if err then
        message.fail(err)
        done()
        return
      end
      local replace = { path = file.path, baseHash = hash, content = content }
      review.decide(proposal, { replace = { replace } }, function(failed)
        if not failed then
          send_drafts(id)
        end
        done()
      end)
    end)
  end)
end

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
  local stops = meant(range)
  if #stops == 0 then
    nothing_here()
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
          send_drafts(id)
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
local function decide(verdict, range)
  local seen = conflicts()
  in_turn(function(done)
    decide_now(verdict, range, seen, done)
  end)
end

---@param range? editd.Range
function M.accept(range)
  decide('accept', range)
end

---@param range? editd.Range
function M.reject(range)
  decide('reject', range)
end

--- The proposal that is meant: of the hunk here, of this buffer, or the only one. Else the person is asked.
---@param id? string
---@param act fun(proposal: editd.Proposal)
function M.with_proposal(id, act)
  local pending = review.pending()
  local here = meant()[1]
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

--- All hunks; without those for which the person wrote something else, if there are such.
---@param proposal editd.Proposal
---@return string[]|'all'
local function all_but_drafts(proposal)
  local ids, drafts = {}, false ---@type string[], boolean
  for _, file in ipairs(proposal.files) do
    for _, hunk in ipairs(file.hunks) do
      drafts = drafts or hunk.draft ~= nil
      if hunk.state == 'pending' and not hunk.draft then
        ids[#ids + 1] = hunk.id
      end
    end
  end
  return drafts and ids or 'all'
end

---@param verdict 'accept'|'reject'
---@param proposal editd.Proposal
---@param done fun()
local function decide_all_now(verdict, proposal, done)
  local from = place()
  review.decide(proposal, { [verdict] = verdict == 'accept' and all_but_drafts(proposal) or 'all' }, function(err)
    local now = review.get(proposal.id)
    if not err then
      if now then
        local _, open = hunks.count(now)
        if open > 0 then
          local left = message.count(open, 'conflict')
          message.say(('%s left to decide: the text there has changed'):format(left), vim.log.levels.WARN)
        end
        send_drafts(now.id)
      end
      after(from)
    end
    done()
  end)
end

---@param verdict 'accept'|'reject'
---@param id? string
local function decide_all(verdict, id)
  M.with_proposal(id, function(proposal)
    in_turn(function(done)
      local now = review.get(proposal.id)
      if now then
        decide_all_now(verdict, now, done)
      else
        done()
      end
    end)
  end)
end

---@param id? string
function M.accept_all(id)
  decide_all('accept', id)
end

---@param id? string
function M.reject_all(id)
  decide_all('reject', id)
end

--- A remark for the author, about the hunk here or about the proposal.
---@param text? string
function M.comment(text)
  local stop = meant()[1]
  local function send(words)
    if not words or words == '' then
      return
    end
    local function comment(meant_one)
      local about = stop and { path = stop.file.path, hunk = stop.hunk.id, text = words } or { text = words }
      in_turn(function(done)
        local proposal = review.get(meant_one.id)
        if not proposal then
          done()
          return
        end
        review.decide(proposal, { comment = { about } }, function(err)
          if not err then
            local now = review.get(proposal.id)
            local hunk = now and stop and hunks.find(now, stop.hunk.id)
            if hunk and #hunk.comments == 0 then
              table.insert(hunk.comments, words)
              review.show()
            end
            message.say(('your comment waits for %s with the decision'):format(proposal.author))
          end
          done()
        end)
      end)
    end
    if stop then
      comment(stop.proposal)
    else
      M.with_proposal(nil, comment)
    end
  end
  if text and text ~= '' then
    send(text)
  else
    vim.ui.input({ prompt = 'Comment for the author: ' }, send)
  end
end

--- Edits what is proposed for the hunk here.
function M.edit()
  local stop = meant()[1]
  if not stop then
    nothing_here()
  elseif stop.hunk.kind ~= 'text' then
    require('editd.review.side').open(stop.proposal, stop.file)
  else
    require('editd.review.float').open(stop, function(lines)
      local proposal = review.get(stop.proposal.id)
      local hunk = proposal and hunks.find(proposal, stop.hunk.id)
      if not proposal or not hunk then
        message.say('this proposal is not pending any more', vim.log.levels.WARN)
        return
      end
      hunk.draft = lines
      review.show()
      send_drafts(proposal.id)
    end)
  end
end

--- Both sides of a file in a tab page of their own.
function M.diff()
  local stop = meant()[1]
  if stop then
    require('editd.review.side').open(stop.proposal, stop.file)
    return
  end
  M.with_proposal(nil, function(proposal)
    local buf = vim.api.nvim_get_current_buf()
    local file = proposal.files[1]
    for _, each in ipairs(proposal.files) do
      file = review.buffer(each) == buf and each or file
    end
    require('editd.review.side').open(proposal, file)
  end)
end

--- Goes to the first undecided hunk of a proposal; all its files are opened.
---@param id? string
function M.review(id)
  local stops = vim.tbl_filter(function(stop)
    return id == nil or stop.proposal.id == id
  end, go.stops())
  if #stops == 0 then
    message.say(id and ('nothing is left to decide of %s'):format(id) or 'nothing is left to decide')
    return
  end
  go.to(stops[1].proposal, stops[1].file, stops[1].hunk)
end

--- Everything undecided in the quickfix list.
function M.list()
  local items = {} ---@type vim.quickfix.entry[]
  for _, stop in ipairs(go.stops()) do
    local hunk = stop.hunk
    local text = hunk.kind == 'text' and ('%s %s'):format(hunks.size(hunk), vim.trim(hunk.new[1] or hunk.old[1] or ''))
      or preview.sentence(stop.proposal, stop.file, hunk)
    items[#items + 1] = {
      filename = stop.file.path,
      lnum = math.max(hunk.row + (#hunk.old > 0 and 1 or 0), 1),
      type = hunk.state == 'conflicted' and 'W' or '',
      text = ('%s: %s'):format(stop.proposal.author, text),
    }
  end
  vim.fn.setqflist({}, ' ', { title = 'editd: what agents propose', items = items })
  if #items > 0 then
    vim.cmd('botright copen')
  else
    message.say('nothing is left to decide')
  end
end

---@param step 1|-1
function M.go(step)
  go.step(step)
end

return M
