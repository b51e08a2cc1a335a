--- What a person can do in a review: each function is a command and a map.

local client = require('editd.client')
local drafts = require('editd.review.drafts')
local go = require('editd.review.go')
local hunks = require('editd.hunks')
local meant = require('editd.review.meant')
local message = require('editd.message')
local news = require('editd.review.news')
local preview = require('editd.review.preview')
local review = require('editd.review')
local turns = require('editd.review.turns')
local verdicts = require('editd.review.verdicts')

local M = {}

---@param range? editd.Range
function M.accept(range)
  verdicts.decide('accept', range)
end

---@param range? editd.Range
function M.reject(range)
  verdicts.decide('reject', range)
end

---@param id? string
function M.accept_all(id)
  verdicts.decide_all('accept', id)
end

---@param id? string
function M.reject_all(id)
  verdicts.decide_all('reject', id)
end

--- Sends a remark, about a hunk or about a whole proposal.
---@param meant_one editd.Proposal
---@param stop? editd.Stop
---@param words string
local function send_comment(meant_one, stop, words)
  local about = stop and { path = stop.file.path, hunk = stop.hunk.id, text = words } or { text = words }
  turns.take(function(done)
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

--- A remark for the author, about the hunk here or about the proposal.
---@param text? string
function M.comment(text)
  ---@param proposal editd.Proposal
  ---@param stop? editd.Stop
  local function ask(proposal, stop)
    if text and text ~= '' then
      send_comment(proposal, stop, text)
      return
    end
    vim.ui.input({ prompt = ('Comment for %s: '):format(proposal.author) }, function(words)
      if words and words ~= '' then
        send_comment(proposal, stop, words)
      end
    end)
  end
  local stops = meant.stops()
  if #stops == 0 then
    meant.proposal(nil, ask)
    return
  end
  meant.of_one(stops, function(chosen)
    ask(chosen[1].proposal, chosen[1])
  end)
end

---@param stop editd.Stop
local function edit(stop)
  if stop.hunk.kind ~= 'text' then
    require('editd.review.side').open(stop.proposal, stop.file)
    return
  end
  require('editd.review.float').open(stop, function(lines)
    local proposal = review.get(stop.proposal.id)
    local hunk = proposal and hunks.find(proposal, stop.hunk.id)
    if not proposal or not hunk then
      message.say('not pending any more; what you wrote stays here', vim.log.levels.WARN)
      return false
    end
    hunk.draft = lines
    review.show()
    drafts.send(proposal.id)
    return true
  end)
end

--- Edits what is proposed for the hunk here.
function M.edit()
  local stops = meant.stops()
  if #stops == 0 then
    meant.nothing_here()
    return
  end
  meant.of_one(stops, function(chosen)
    edit(chosen[1])
  end)
end

--- The file of a proposal that is open here, else its first.
---@param proposal editd.Proposal
---@return editd.File
local function file_here(proposal)
  local buf = vim.api.nvim_get_current_buf()
  for _, file in ipairs(proposal.files) do
    if review.buffer(file) == buf then
      return file
    end
  end
  return proposal.files[1]
end

--- Both sides of a file in a tab page of their own.
function M.diff()
  local stops = meant.stops()
  if #stops == 0 then
    meant.proposal(nil, function(proposal)
      require('editd.review.side').open(proposal, file_here(proposal))
    end)
    return
  end
  meant.of_one(stops, function(chosen)
    require('editd.review.side').open(chosen[1].proposal, chosen[1].file)
  end)
end

--- Goes to the first undecided hunk of a proposal, of the one that was told of last, or of all.
---@param id? string
function M.review(id)
  local told = not id and news.take_announced()
  local stops = go.stops(id or told or nil)
  if told and #stops == 0 then
    stops = go.stops()
  end
  if #stops == 0 then
    message.say(id and ('nothing is left to decide of %s'):format(id) or 'nothing is left to decide')
    return
  end
  go.to(stops[1].proposal, stops[1].file, stops[1].hunk)
end

--- Brings back what was rejected: of a proposal, or of the one of which that was last.
---@param id? string
function M.reopen(id)
  turns.take(function(done)
    client.request('editd/reopen', { id = id }, function(err, proposal)
      if err then
        message.fail(err)
      else
        review.take(proposal)
      end
      done()
    end)
  end)
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
