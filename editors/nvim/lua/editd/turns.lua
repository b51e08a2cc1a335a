--- Turns: all changes that an agent makes for one prompt of the user.

local client = require('editd.client')
local message = require('editd.message')

local M = {}

--- Maximum number of changes of a turn. The daemon returns no more in one answer.
local MAX_CHANGES = 1000

--- Maximum length of the id of a turn in a line.
local WIDTH = 8

---@class editd.Group Consecutive changes of one turn, newest first. A change without a turn is a separate group.
---@field turn? string
---@field changes table[]

---@param value any
---@return any? # The value, unless it is null.
local function known(value)
  return value ~= vim.NIL and value or nil
end

--- Returns the turn of a transaction.
---@param transaction table
---@return string?
function M.of(transaction)
  local origin = known(transaction.origin)
  return origin and known(origin.turn)
end

--- Returns `true` if a transaction can be undone as a part of its turn.
---@param transaction table
---@return boolean
local function is_undoable(transaction)
  return not (known(transaction.undone) or known(transaction.undoes) or known(transaction.rescued))
end

--- Groups transactions by turn and author.
---@param transactions table[]
---@return editd.Group[]
function M.groups(transactions)
  local groups = {} ---@type editd.Group[]
  for _, transaction in ipairs(transactions) do
    local turn, last = M.of(transaction), groups[#groups]
    if turn and last and last.turn == turn and last.changes[1].author == transaction.author then
      table.insert(last.changes, transaction)
    else
      groups[#groups + 1] = { turn = turn, changes = { transaction } }
    end
  end
  return groups
end

--- Describes a group: its turn, and the numbers of its changes, files and lines.
---@param group editd.Group
---@return string
function M.summary(group)
  local paths, added, removed = {}, 0, 0 ---@type table<string, true>, integer, integer
  for _, change in ipairs(group.changes) do
    for _, file in ipairs(change.files) do
      paths[file.path] = true
      added, removed = added + file.added, removed + file.removed
    end
  end
  local undoable = vim.iter(group.changes):any(is_undoable)
  return ('%sturn %s: %s in %s +%d -%d'):format(
    undoable and '' or 'undone ',
    M.short(group.turn or ''),
    message.count(#group.changes, 'change'),
    message.count(vim.tbl_count(paths), 'file'),
    added,
    removed
  )
end

--- Shortens the id of a turn to its end, which differs more between turns than its beginning.
---@param turn string
---@return string
function M.short(turn)
  local cut = vim.fn.strchars(turn) - WIDTH
  return cut > 0 and '…' .. vim.fn.strcharpart(turn, cut + 1) or turn
end

--- Undoes changes one after the other. Stops at the first refusal.
---@param changes table[]
---@param at integer
---@param done fun()
local function undo_from(changes, at, done)
  local change, all = changes[at], message.count(#changes, 'change')
  if not change then
    message.show(('%s of turn %s undone'):format(all, M.short(M.of(changes[1]) or '')))
    done()
    return
  end
  client.request('editd/undo', { transaction = change.transaction }, function(err)
    -- Another program may have reverted the change already.
    if err and not (err.data and err.data.kind == 'no_change') then
      message.fail(err, ('%d of %s of the turn undone'):format(at - 1, all))
      done()
    else
      undo_from(changes, at + 1, done)
    end
  end)
end

--- Undoes all changes of a turn by its author, the newest first.
---@param turn string
---@param author string
---@param done? fun()
function M.undo(turn, author, done)
  client.request('editd/history', { turn = turn, limit = MAX_CHANGES }, function(err, result)
    if err then
      message.fail(err)
      return
    end
    local changes = vim.tbl_filter(function(change)
      return change.author == author and is_undoable(change)
    end, result.transactions)
    if #changes == 0 then
      message.show('no change of this turn is left to undo')
      return
    end
    undo_from(changes, 1, done or function() end)
  end)
end

return M
