--- The `:Editd` command.

local message = require('editd.message')

local M = {}

---@class editd.Call
---@field rest string Text after the subcommand.
---@field range? editd.Range

---@return table
local function actions()
  return require('editd.review.actions')
end

---@param text string
---@return string?
local function non_empty(text)
  return text ~= '' and text or nil
end

---@type table<string, fun(call: editd.Call)>
local subcommands = {
  review = function(call)
    actions().review(non_empty(call.rest))
  end,
  accept = function(call)
    actions().accept(call.range)
  end,
  reject = function(call)
    actions().reject(call.range)
  end,
  accept_all = function(call)
    actions().accept_all(non_empty(call.rest))
  end,
  reject_all = function(call)
    actions().reject_all(non_empty(call.rest))
  end,
  reopen = function(call)
    actions().reopen(non_empty(call.rest))
  end,
  next = function()
    actions().go(1)
  end,
  prev = function()
    actions().go(-1)
  end,
  edit = function()
    actions().edit()
  end,
  comment = function(call)
    actions().comment(non_empty(call.rest))
  end,
  diff = function()
    actions().diff()
  end,
  list = function()
    actions().list()
  end,
  status = function()
    require('editd.pages').status()
  end,
  undo = function(call)
    require('editd.pages').undo(non_empty(call.rest))
  end,
  log = function(call)
    require('editd.pages').log(call.rest == 'all')
  end,
  start = function()
    require('editd.client').start()
  end,
  restart = function()
    require('editd.client').restart()
  end,
  stop = function()
    require('editd.client').stop()
  end,
  health = function()
    vim.cmd('checkhealth editd')
  end,
}

--- Subcommands that work without a connection.
---@type table<string, true>
local offline = { status = true, start = true, restart = true, stop = true, health = true, list = true }

---@return string[]
local function names()
  local all = vim.tbl_keys(subcommands)
  table.sort(all)
  return all
end

---@param name string
---@param call editd.Call
local function perform(name, call)
  local client = require('editd.client')
  if not offline[name] and not client.get() then
    local reason = client.state() == 'connecting' and 'not connected yet' or 'not connected; :Editd start connects'
    message.show(reason, vim.log.levels.WARN)
    return
  end
  subcommands[name](call)
end

--- Runs `:Editd`.
---@param command vim.api.keyset.create_user_command.command_args
function M.run(command)
  if not require('editd.support').ok() then
    return
  end
  local name, rest = command.args:match('^(%S*)%s*(.-)%s*$')
  if name == '' then
    name = 'review'
  end
  if not subcommands[name] then
    message.show(('unknown subcommand %s; see :help :Editd'):format(name), vim.log.levels.ERROR)
    return
  end
  local range = command.range > 0 and { first = command.line1 - 1, last = command.line2 - 1 } or nil
  perform(name, { rest = rest, range = range })
end

--- Runs a `<Plug>` map. In Visual mode it applies to the selected lines.
---@param action string
function M.map(action)
  if not require('editd.support').ok() then
    return
  end
  local range ---@type editd.Range?
  if vim.fn.mode():match('^[vV\22]') then
    local from, to = vim.fn.line('v') - 1, vim.fn.line('.') - 1
    range = { first = math.min(from, to), last = math.max(from, to) }
    vim.api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  end
  perform(action, { rest = '', range = range })
end

---@param lead string
---@param words string[]
---@return string[]
local function matching(lead, words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- Completes `:Editd`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if #require('editd.support').missing() > 0 then
    return {}
  end
  local before = line:match('Editd!?%s+(.*)$') or ''
  local name = before:match('^(%S+)%s')
  if not name then
    return matching(lead, names())
  elseif name == 'log' then
    return matching(lead, { 'all' })
  elseif name == 'undo' then
    return matching(lead, { 'turn' })
  elseif name == 'review' or name == 'accept_all' or name == 'reject_all' then
    local ids = vim.tbl_map(function(proposal)
      return proposal.id
    end, require('editd.review').pending())
    return matching(lead, ids)
  end
  return {}
end

return M
