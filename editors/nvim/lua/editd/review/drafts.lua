--- What a person wrote in place of hunks.

local compose = require('editd.review.compose')
local hunks = require('editd.hunks')
local message = require('editd.message')
local review = require('editd.review')
local turns = require('editd.review.turns')

local M = {}

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
function M.send(id)
  turns.take(function(done)
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

--- All hunks; without those for which the person wrote something else, if there are such.
---@param proposal editd.Proposal
---@return string[]|'all'
function M.all_other_hunks(proposal)
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

return M
