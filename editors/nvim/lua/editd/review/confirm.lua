--- Questions before decisions about several hunks. A decision about many never changes an earlier decision about one
--- without naming it, and never accepts what was not shown without saying how much that is.

local hunks = require('editd.hunks')
local message = require('editd.message')
local review = require('editd.review')
local viewed = require('editd.review.viewed')

local M = {}

---@alias editd.Verdict 'accept'|'reject'

--- Past forms of the verdicts.
---@type table<'proposed'|'landed', table<editd.Verdict, string>>
local decided = {
  proposed = { accept = 'accepted', reject = 'rejected' },
  landed = { accept = 'kept', reject = 'reverted' },
}

---@type table<'proposed'|'landed', table<editd.Verdict, string>>
local verbs = {
  proposed = { accept = 'Accept', reject = 'Reject' },
  landed = { accept = 'Keep', reject = 'Revert' },
}

---@param proposal editd.Proposal
---@return 'proposed'|'landed'
local function kind_of(proposal)
  return proposal.landed and 'landed' or 'proposed'
end

---@param verdict editd.Verdict
---@return editd.Verdict
local function opposite(verdict)
  return verdict == 'accept' and 'reject' or 'accept'
end

--- Returns the hunks that were decided the other way earlier.
---@param verdict editd.Verdict
---@param stops editd.Stop[]
---@return editd.Stop[]
function M.contrary(verdict, stops)
  return vim.tbl_filter(function(stop)
    local hunk = stop.hunk
    if verdict == 'accept' then
      return hunk.state == 'rejected' and hunk.draft == nil
    end
    return hunk.state == 'accepted' or hunk.state == 'edited' or hunk.draft ~= nil
  end, stops)
end

--- Returns whether a verdict on everything else would write hunks that were decided the other way.
---@param verdict editd.Verdict
---@param proposal editd.Proposal
---@return boolean
function M.leaves(verdict, proposal)
  return (verdict == 'reject') == not proposal.landed
end

--- Names the places of hunks, at most three.
---@param stops editd.Stop[]
---@return string
local function places(stops)
  local names = {} ---@type string[]
  for index = 1, math.min(#stops, 3) do
    local stop = stops[index]
    local name = vim.fn.fnamemodify(stop.file.path, ':~:.')
    names[index] = stop.hunk.kind == 'text' and ('%s:%d'):format(name, stop.hunk.row + 1) or name
  end
  local more = #stops > 3 and (' and %d more'):format(#stops - 3) or ''
  return table.concat(names, ', ') .. more
end

--- Describes the hunks that were not shown: their number, and their files.
---@param missing editd.Stop[]
---@return string
local function not_shown(missing)
  local known, names = {}, {} ---@type table<string, true>, string[]
  for _, stop in ipairs(missing) do
    local name = vim.fn.fnamemodify(stop.file.path, ':~:.')
    if not known[name] then
      known[name] = true
      names[#names + 1] = name
    end
  end
  local shown = #names > 5 and table.concat(names, ', ', 1, 5) .. (' and %d more files'):format(#names - 5)
    or table.concat(names, ', ')
  return ('%s not shown yet: %s'):format(message.count(#missing, 'hunk'), shown)
end

--- Asks before hunks that were not shown are accepted, kept or reverted. To reject a proposal needs no question,
--- because that changes nothing and can be reopened.
---@param verdict editd.Verdict
---@param stops editd.Stop[]
---@param all boolean
---@return boolean
function M.unseen(verdict, stops, all)
  local proposal = stops[1].proposal
  local missing = viewed.missing(stops)
  if #missing == 0 or (verdict == 'reject' and not proposal.landed) then
    return true
  end
  local verb = verbs[kind_of(proposal)][verdict]
  local what = all and ('all of %s'):format(hunks.title(proposal)) or message.count(#stops, 'hunk')
  return vim.fn.confirm(('%s %s?\n%s'):format(verb, what, not_shown(missing)), '&Yes\n&No', 2) == 1
end

--- Asks what a verdict on a whole proposal means for hunks that were decided the other way earlier.
---@param verdict editd.Verdict
---@param contrary editd.Stop[]
---@return 'turn'|'leave'|nil
function M.earlier(verdict, contrary)
  local proposal = contrary[1].proposal
  local kind = kind_of(proposal)
  local text = ('%s all of %s?\n%s %s before: %s'):format(
    verbs[kind][verdict],
    hunks.title(proposal),
    message.count(#contrary, 'hunk was', 'hunks were'),
    kind == 'landed' and 'to be reverted' or decided[kind][opposite(verdict)],
    places(contrary)
  )
  local write = proposal.landed and 'Re&vert' or 'A&pply'
  local these = #contrary == 1 and 'this one' or 'these'
  local choices = ('&%s all\n%s %s\n&Cancel'):format(verbs[kind][verdict], write, these)
  return ({ 'turn', 'leave' })[vim.fn.confirm(text, choices, 3)]
end

--- Asks whether to change the earlier decisions about all hunks of a selection.
---@param verdict editd.Verdict
---@param contrary editd.Stop[]
---@return boolean
function M.turn(verdict, contrary)
  local kind = kind_of(contrary[1].proposal)
  local text = ('%s %s before: %s'):format(
    message.count(#contrary, 'hunk here was', 'hunks here were'),
    decided[kind][opposite(verdict)],
    places(contrary)
  )
  return vim.fn.confirm(text, ('&%s now\n&Cancel'):format(verbs[kind][verdict]), 2) == 1
end

--- Says that hunks stay as they were decided earlier.
---@param verdict editd.Verdict
---@param contrary editd.Stop[]
function M.said(verdict, contrary)
  if #contrary > 0 and review.get(contrary[1].proposal.id) then
    local past = decided[kind_of(contrary[1].proposal)][opposite(verdict)]
    message.show(('%s %s'):format(message.count(#contrary, 'hunk stays', 'hunks stay'), past))
  end
end

return M
