--- Read-only pages: the status and the history.

local client = require('editd.client')
local hunks = require('editd.hunks')
local message = require('editd.message')
local review = require('editd.review')
local turns = require('editd.turns')

local M = {}

--- Formats the time since a timestamp, such as `5 min`.
---@param at string RFC 3339, in UTC.
---@return string
local function ago(at)
  local year, month, day, hour, minute, second = at:match('(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  if not year then
    return '?'
  end
  local utc = os.time({ year = year, month = month, day = day, hour = hour, min = minute, sec = second, isdst = false })
  local offset = os.difftime(os.time(), os.time(os.date('!*t') --[[@as osdateparam]]))
  local seconds = math.max(os.time() - utc - offset, 0)
  for _, unit in ipairs({ { 86400, 'd' }, { 3600, 'h' }, { 60, 'min' } }) do
    if seconds >= unit[1] then
      return ('%d %s'):format(seconds / unit[1], unit[2])
    end
  end
  return ('%d s'):format(seconds)
end

--- Formats a transaction as one line.
---@param transaction table
---@return string
local function line_of(transaction)
  local files = {} ---@type string[]
  for _, file in ipairs(transaction.files) do
    files[#files + 1] = ('%s +%d -%d'):format(vim.fn.fnamemodify(file.path, ':t'), file.added, file.removed)
  end
  local undone = transaction.undone and transaction.undone ~= vim.NIL and 'undone ' or ''
  local label = message.first_line(transaction.label ~= vim.NIL and transaction.label or '')
  return ('%-12s %-10s %7s  %s%s  %s'):format(
    transaction.transaction,
    message.fit(transaction.author, 10),
    ago(transaction.at),
    undone,
    label,
    table.concat(files, ', ')
  )
end

--- Formats a group of changes as one line for the turn, and one line for each change. A single change has only its
--- own line.
---@param group editd.Group
---@return string[]
local function lines_of(group)
  local lines = vim.tbl_map(line_of, group.changes)
  if #group.changes > 1 then
    local newest = group.changes[1]
    local author, age = message.fit(newest.author, 10), ago(newest.at)
    table.insert(lines, 1, ('%-12s %-10s %7s  %s'):format('', author, age, turns.summary(group)))
  end
  return lines
end

---@param params table
---@param callback fun(transactions: table[])
local function history(params, callback)
  client.request('editd/history', params, function(err, result)
    if err then
      message.fail(err)
    else
      callback(result.transactions)
    end
  end)
end

---@return string? # The file of the current buffer.
local function current_file()
  local name = vim.api.nvim_buf_get_name(0)
  return vim.bo.buftype == '' and name ~= '' and name or nil
end

---@param transaction string
---@param done? fun()
local function undo(transaction, done)
  client.request('editd/undo', { transaction = transaction }, function(err, result)
    if err then
      message.fail(err)
    elseif result.state == 'pending' then
      message.show('the undo is waiting for review')
    else
      message.show(('%s is undone'):format(transaction))
      if done then
        done()
      end
    end
  end)
end

--- Undoes the turn of the newest change of this file that has one and is not undone.
local function undo_newest_turn()
  history({ path = current_file(), limit = 200 }, function(transactions)
    local newest = vim.iter(transactions):find(function(each)
      return turns.of(each) and (not each.undone or each.undone == vim.NIL)
    end)
    if newest then
      turns.undo(turns.of(newest) --[[@as string]], newest.author)
    else
      message.show('no turn to undo here')
    end
  end)
end

--- Undoes the given transaction, the newest turn with `turn`, or a change of this file that the user chooses.
---@param transaction? string
function M.undo(transaction)
  if transaction == 'turn' then
    undo_newest_turn()
    return
  end
  if transaction then
    undo(transaction)
    return
  end
  history({ path = current_file(), limit = 20 }, function(transactions)
    local undoable = vim.tbl_filter(function(each)
      return not each.undone or each.undone == vim.NIL
    end, transactions)
    if #undoable == 0 then
      message.show('nothing to undo here')
      return
    end
    vim.ui.select(undoable, { prompt = 'Undo which change?', format_item = line_of }, function(choice)
      if choice then
        undo(choice.transaction)
      end
    end)
  end)
end

---@param name string
---@param lines string[]
---@param filetype string
local function page(name, lines, filetype)
  local buf = vim.fn.bufnr('^' .. name .. '$')
  if buf == -1 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, name)
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    vim.api.nvim_set_current_win(win)
  else
    vim.cmd(('botright %dsplit'):format(math.min(#lines + 1, 15)))
    vim.api.nvim_win_set_buf(0, buf)
    vim.wo.wrap, vim.wo.number = false, false
  end
  vim.bo[buf].filetype = filetype
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'editd: close' })
  return buf
end

---@class editd.LogRow
---@field group editd.Group
---@field change? table Missing in the line of a turn.

--- Closes a fold over the changes of each turn.
---@param folds integer[][] First and last line of each.
local function fold(folds)
  vim.wo.foldmethod, vim.wo.foldenable, vim.wo.foldtext = 'manual', true, 'getline(v:foldstart)'
  vim.opt_local.fillchars:append({ fold = ' ' })
  vim.cmd('silent! normal! zE')
  for _, lines in ipairs(folds) do
    vim.cmd(('%d,%dfold'):format(lines[1], lines[2]))
  end
end

---@param buf integer
---@param rows editd.LogRow[] By line.
---@param done fun()
local function set_log_keys(buf, rows, done)
  local function map(key, desc, act)
    vim.keymap.set('n', key, function()
      local line = vim.api.nvim_win_get_cursor(0)[1]
      local start = vim.fn.foldclosed(line)
      act(rows[start > 0 and start or line])
    end, { buffer = buf, nowait = true, desc = desc })
  end
  local function undo_turn(row)
    if row.group.turn then
      turns.undo(row.group.turn, row.group.changes[1].author, done)
    else
      message.show('this change belongs to no turn')
    end
  end
  map('u', 'editd: undo this change', function(row)
    if row.change then
      undo(row.change.transaction, done)
    else
      undo_turn(row)
    end
  end)
  map('U', 'editd: undo all changes of this turn', undo_turn)
end

---@param path? string
---@param shown? integer The buffer to refresh; if its window was closed, it stays closed.
local function show_log(path, shown)
  history({ path = path, limit = 200 }, function(transactions)
    if shown and vim.fn.bufwinid(shown) == -1 then
      return
    end
    if #transactions == 0 then
      message.show('no changes through editd' .. (path and ' in this file' or ''))
      return
    end
    local lines, rows, folds = {}, {}, {} ---@type string[], editd.LogRow[], integer[][]
    for _, group in ipairs(turns.groups(transactions)) do
      local of_group = lines_of(group)
      local head = #of_group - #group.changes
      for index, line in ipairs(of_group) do
        lines[#lines + 1] = line
        rows[#rows + 1] = { group = group, change = group.changes[index - head] }
      end
      if head > 0 then
        folds[#folds + 1] = { #lines - #of_group + 1, #lines }
      end
    end
    local buf = page('editd://log', lines, 'editdlog')
    fold(folds)
    set_log_keys(buf, rows, function()
      show_log(path, buf)
    end)
  end)
end

--- Shows the changes to this file, or to all files with `all`, newest first.
---@param all? boolean
function M.log(all)
  show_log(not all and current_file() or nil)
end

--- Shows the connection state and the pending proposals.
function M.status()
  local daemon = client.daemon()
  local lines = { ('editd: %s'):format(client.state()) }
  if daemon then
    lines[1] = ('editd %s: connected'):format(daemon.version)
  end
  local wire = require('editd.wire')
  local count = vim.tbl_count(wire.documents)
  lines[#lines + 1] = ('%s shared with the daemon'):format(message.count(count, 'buffer'))
  for _, proposal in ipairs(review.pending()) do
    local all, open = hunks.count(proposal)
    lines[#lines + 1] = ('%s  %s  %d of %s undecided'):format(
      proposal.id,
      hunks.title(proposal),
      open,
      message.count(all, 'hunk')
    )
    for _, file in ipairs(proposal.files) do
      for _, warning in ipairs(file.warnings) do
        lines[#lines + 1] = ('  %s: %s'):format(vim.fn.fnamemodify(file.path, ':t'), warning)
      end
      for _, error in ipairs(file.errors) do
        lines[#lines + 1] = ('  %s: %s'):format(vim.fn.fnamemodify(file.path, ':t'), error.text)
      end
    end
  end
  if #review.pending() == 0 then
    lines[#lines + 1] = 'no pending proposals'
  end
  local truncated = message.truncated()
  if #truncated > 0 then
    lines[#lines + 1] = 'recent truncated messages:'
    for _, line in ipairs(truncated) do
      lines[#lines + 1] = '  ' .. line
    end
  end
  page('editd://status', lines, 'editdstatus')
end

return M
