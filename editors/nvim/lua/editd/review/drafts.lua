--- The user's replacements for hunks.

local compose = require('editd.review.compose')
local hunks = require('editd.hunks')
local message = require('editd.message')
local review = require('editd.review')
local queue = require('editd.review.queue')

local M = {}

--- Returns a file that has drafts and no other undecided hunks.
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

--- Sends the drafts of each file in which all other hunks are decided.
---@param id string
function M.send(id)
  queue.push(function(done)
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
          M.send(id)
        end
        done()
      end)
    end)
  end)
end

--- Returns the hunks to accept that have no draft, or 'all' if there are no drafts.
---@param proposal editd.Proposal
---@return string[]|'all'
function M.hunks_without_draft(proposal)
  local ids, drafts = {}, false ---@type string[], boolean
  for _, file in ipairs(proposal.files) do
    for _, hunk in ipairs(file.hunks) do
      drafts = drafts or hunk.draft ~= nil
      local can_accept = hunk.state == 'pending' or (proposal.landed and hunk.state == 'conflicted')
      if can_accept and not hunk.draft then
        ids[#ids + 1] = hunk.id
      end
    end
  end
  return drafts and ids or 'all'
end

return M
