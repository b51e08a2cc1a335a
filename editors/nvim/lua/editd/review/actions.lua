--- The user's actions in a review: each function backs a command and a map.

local client = require('editd.client')
local drafts = require('editd.review.drafts')
local go = require('editd.review.go')
local hunks = require('editd.hunks')
local targets = require('editd.review.targets')
local message = require('editd.message')
local notifications = require('editd.review.notifications')
local preview = require('editd.review.preview')
local review = require('editd.review')
local queue = require('editd.review.queue')
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

--- Sends a comment about a hunk or a whole proposal.
---@param commented editd.Proposal
---@param stop? editd.Stop
---@param comment string
local function send_comment(commented, stop, comment)
  local about = stop and { path = stop.file.path, hunk = stop.hunk.id, text = comment } or { text = comment }
  queue.push(function(done)
    local proposal = review.get(commented.id)
    if not proposal then
      done()
      return
    end
    review.decide(proposal, { comment = { about } }, function(err)
      if not err then
        local now = review.get(proposal.id)
        local hunk = now and stop and hunks.find(now, stop.hunk.id)
        if hunk and #hunk.comments == 0 then
          table.insert(hunk.comments, comment)
          review.show()
        end
        message.show(('comment saved; %s receives it with the decision'):format(proposal.author))
      end
      done()
    end)
  end)
end

--- Comments on the hunk under the cursor or on the proposal.
---@param text? string
function M.comment(text)
  ---@param proposal editd.Proposal
  ---@param stop? editd.Stop
  local function ask(proposal, stop)
    if text and text ~= '' then
      send_comment(proposal, stop, text)
      return
    end
    vim.ui.input({ prompt = ('Comment for %s: '):format(proposal.author) }, function(comment)
      if comment and comment ~= '' then
        send_comment(proposal, stop, comment)
      end
    end)
  end
  local stops = targets.stops()
  if #stops == 0 then
    targets.proposal(nil, ask)
    return
  end
  targets.of_one(stops, function(chosen)
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
      message.show('this proposal is no longer pending; your text stays here', vim.log.levels.WARN)
      return false
    end
    hunk.draft = lines
    review.show()
    drafts.send(proposal.id)
    return true
  end)
end

--- Edits the proposed lines of the hunk under the cursor.
function M.edit()
  local stops = targets.stops()
  if #stops == 0 then
    targets.nothing_here()
    return
  end
  targets.of_one(stops, function(chosen)
    edit(chosen[1])
  end)
end

--- Returns the file of a proposal that is open in the current buffer, else its first file.
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

--- Opens both sides of a file in a new tab page.
function M.diff()
  local stops = targets.stops()
  if #stops == 0 then
    targets.proposal(nil, function(proposal)
      require('editd.review.side').open(proposal, file_here(proposal))
    end)
    return
  end
  targets.of_one(stops, function(chosen)
    require('editd.review.side').open(chosen[1].proposal, chosen[1].file)
  end)
end

--- Goes to the first undecided hunk: of the given proposal, else of the one announced last, else of all.
---@param id? string
function M.review(id)
  local announced = not id and notifications.take_announced()
  local stops = go.stops(id or announced or nil)
  if announced and #stops == 0 then
    stops = go.stops()
  end
  if #stops == 0 then
    message.show(id and ('no undecided hunks in %s'):format(id) or 'no undecided hunks')
    return
  end
  go.to(stops[1].proposal, stops[1].file, stops[1].hunk)
end

--- Reopens the rejected hunks: of the given proposal, else of the one with the latest rejection.
---@param id? string
function M.reopen(id)
  queue.push(function(done)
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

--- Puts all undecided hunks into the quickfix list.
function M.list()
  local items = {} ---@type vim.quickfix.entry[]
  for _, stop in ipairs(go.stops()) do
    local hunk = stop.hunk
    local text = hunk.kind == 'text' and ('%s %s'):format(hunks.size(hunk), vim.trim(hunk.new[1] or hunk.old[1] or ''))
      or preview.sentence(stop.proposal, stop.file, hunk)
    local error = hunks.errors(hunk)[1]
    items[#items + 1] = {
      -- A buffer for a file that the change creates, deletes or renames would make Neovim ask about it afterwards.
      filename = hunk.kind == 'text' and stop.file.path or preview.name(stop.proposal, stop.file, hunk),
      module = hunk.kind ~= 'text' and vim.fn.fnamemodify(stop.file.path, ':~:.') or nil,
      lnum = math.max(hunk.row + (#hunk.old > 0 and 1 or 0), 1),
      type = hunk.state == 'conflicted' and 'W' or error and 'E' or '',
      text = ('%s: %s%s'):format(stop.proposal.author, text, error and '; ' .. error.text or ''),
    }
  end
  vim.fn.setqflist({}, ' ', { title = 'editd: changes to review', items = items })
  if #items > 0 then
    vim.cmd('botright copen')
  else
    message.show('no undecided hunks')
  end
end

---@param step 1|-1
function M.go(step)
  go.step(step)
end

return M
