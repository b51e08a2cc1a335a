--- Pending proposals and landed changes, as reported by the daemon, and their display in buffers.

local client = require('editd.client')
local hunks = require('editd.hunks')
local message = require('editd.message')
local notifications = require('editd.review.notifications')
local overlay = require('editd.review.overlay')
local viewed = require('editd.review.viewed')
local wire = require('editd.wire')

local M = {}

--- Debounce: milliseconds without a text change before the daemon is asked for the current hunk positions.
local DEBOUNCE_MS = 150

---@type table<string, editd.Proposal>
local proposals = {}
--- Proposal ids in order of arrival.
---@type string[]
local order = {}
---@type table<string, 'busy'|'again'>
local fetching = {}
---@type table<string, fun(outcome?: table, err?: lsp.ResponseError)>
local waiting = {}
---@type uv.uv_timer_t?
local timer
--- Incremented with every change of a buffer under review.
local changes = 0

--- Returns all pending proposals and landed changes, in the order of arrival.
---@return editd.Proposal[]
function M.pending()
  local list = {} ---@type editd.Proposal[]
  for _, id in ipairs(order) do
    list[#list + 1] = proposals[id]
  end
  return list
end

---@param id string
---@return editd.Proposal?
function M.get(id)
  return proposals[id]
end

--- Returns the buffer in which a file of a proposal is open.
---@param file editd.File
---@return integer?
function M.buffer(file)
  local sent = wire.find(file.uri)
  return sent and vim.api.nvim_buf_is_loaded(sent.buf) and sent.buf or nil
end

--- Shows the pending hunks in every buffer.
local function show()
  local by_buffer = {} ---@type table<integer, { proposal: editd.Proposal, file: editd.File }[]>
  for _, buf in ipairs(overlay.buffers()) do
    by_buffer[buf] = {}
  end
  for _, proposal in ipairs(M.pending()) do
    for _, file in ipairs(proposal.files) do
      local buf = M.buffer(file)
      if buf then
        by_buffer[buf] = by_buffer[buf] or {}
        table.insert(by_buffer[buf], { proposal = proposal, file = file })
      end
    end
  end
  for buf, list in pairs(by_buffer) do
    overlay.show(buf, list)
  end
  M.note_visible()
  pcall(vim.cmd.redrawstatus)
end
M.show = show

--- Records which hunks are on the screen.
function M.note_visible()
  for _, buf in ipairs(overlay.buffers()) do
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      for _, shown in ipairs(overlay.visible(buf, win)) do
        if not shown.hunk.capped then
          viewed.note(shown.proposal, shown.hunk)
        end
      end
    end
  end
end

--- Carries the user's edits and comments over to the new version of a proposal.
---@param before editd.Proposal?
---@param now editd.Proposal
---@param comments table[]?
local function carry_over_input(before, now, comments)
  for _, file in ipairs(now.files) do
    for _, hunk in ipairs(file.hunks) do
      local old = before and hunks.find(before, hunk.id)
      if old then
        hunks.carry_over_edits(old, hunk)
      end
      hunk.comments = old and not comments and old.comments or {}
      for _, comment in ipairs(comments or {}) do
        if comment.hunk == hunk.id then
          table.insert(hunk.comments, comment.text)
        end
      end
    end
  end
end

--- Removes a proposal that is no longer pending.
---@param id string
---@param state string
local function close(id, state)
  local proposal = proposals[id]
  proposals[id] = nil
  viewed.forget(id)
  order = vim.tbl_filter(function(each)
    return each ~= id
  end, order)
  if proposal then
    show()
    notifications.ended(proposal, state)
  end
  local callback = waiting[id]
  if callback then
    waiting[id] = nil
    client.request('editd/proposal', { id = id }, function(err, outcome)
      callback(outcome, err)
    end)
  end
end

--- Stores a proposal as reported by the daemon.
---@param answer table
function M.take(answer)
  if not hunks.is_waiting(answer.state) then
    close(answer.id, answer.state)
    return
  end
  local before = proposals[answer.id]
  local proposal = hunks.proposal(answer)
  carry_over_input(before, proposal, answer.comments ~= vim.NIL and answer.comments or nil)
  proposals[answer.id] = proposal
  if not before then
    order[#order + 1] = answer.id
  end
  show()
  if not before then
    notifications.arrived(proposal)
  end
end

--- Requests the current state of a proposal from the daemon.
---@param id string
function M.refresh(id)
  if fetching[id] then
    fetching[id] = 'again'
    return
  end
  fetching[id] = 'busy'
  local changes_at_request = changes
  client.request('editd/proposal', { id = id }, function(err, answer)
    local again = fetching[id] == 'again'
    fetching[id] = nil
    if err then
      -- Without a connection its state is unknown; it is requested again after reconnecting.
      if client.get() then
        close(id, 'gone')
      end
      return
    end
    -- If the text has changed since the request, a refresh follows shortly; extmarks move the displayed
    -- hunks until then.
    if changes == changes_at_request or not proposals[id] or not hunks.is_waiting(answer.state) then
      M.take(answer)
    end
    if again then
      M.refresh(id)
    end
  end)
end

--- Handles a notification that a proposal has changed.
---@param params { id: string, revision: integer, state: string }
function M.changed(params)
  if hunks.is_waiting(params.state) then
    M.refresh(params.id)
  elseif proposals[params.id] or waiting[params.id] then
    close(params.id, params.state)
  end
end

local function refresh_shown()
  local ids = {} ---@type table<string, true>
  for _, buf in ipairs(overlay.buffers()) do
    for _, at in ipairs(overlay.all(buf)) do
      ids[at.shown.proposal.id] = true
    end
  end
  for id in pairs(ids) do
    M.refresh(id)
  end
end

--- Schedules a refresh after a buffer was opened or its text has changed.
---@param buf integer
function M.text_changed(buf)
  if next(proposals) == nil then
    return
  end
  changes = changes + 1
  if timer then
    timer:stop()
  end
  timer = vim.defer_fn(function()
    timer = nil
    if vim.api.nvim_buf_is_valid(buf) then
      show()
      refresh_shown()
    end
  end, DEBOUNCE_MS)
end

--- Fetches the pending proposals. Called after every connection.
function M.connected()
  local group = vim.api.nvim_create_augroup('editd.review', { clear = true })
  vim.api.nvim_create_autocmd({ 'VimResized', 'WinResized' }, { group = group, callback = overlay.resized })
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = { 'number', 'relativenumber', 'signcolumn', 'wrap' },
    callback = vim.schedule_wrap(overlay.resized),
  })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    callback = function(shown)
      if next(proposals) then
        vim.schedule(function()
          show()
          overlay.reveal_top(shown.buf)
        end)
      end
    end,
  })
  vim.api.nvim_create_autocmd('WinScrolled', { group = group, callback = M.note_visible })
  vim.api.nvim_create_autocmd('BufReadCmd', {
    group = group,
    pattern = 'editd://*/h[0-9]*/*',
    callback = function(opened)
      require('editd.review.preview').read(opened.buf, M.get)
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    callback = function(unloaded)
      overlay.forget(unloaded.buf)
    end,
  })
  client.request('editd/proposals', vim.empty_dict(), function(err, result)
    if err then
      return
    end
    local still_pending = {} ---@type table<string, true>
    for _, summary in ipairs(result.proposals) do
      if hunks.is_waiting(summary.state) then
        still_pending[summary.id] = true
        M.refresh(summary.id)
      end
    end
    for _, proposal in ipairs(M.pending()) do
      if not still_pending[proposal.id] then
        close(proposal.id, 'gone')
      end
    end
    for id in pairs(waiting) do
      if not still_pending[id] then
        close(id, 'gone')
      end
    end
  end)
end

--- Handles a lost connection. The displayed hunks stay, because the daemon keeps proposals across restarts.
function M.lost()
  fetching = {}
end

--- Calls `callback` with the outcome once this proposal is decided.
---@param id string
---@param callback fun(outcome?: table, err?: lsp.ResponseError)
function M.await(id, callback)
  waiting[id] = callback
end

--- Sends a decision.
---@param proposal editd.Proposal
---@param decision table Fields of `editd/decide`, except id and revision.
---@param done? fun(err?: lsp.ResponseError)
function M.decide(proposal, decision, done)
  local params = vim.tbl_extend('force', { id = proposal.id, revision = proposal.revision }, decision)
  client.request('editd/decide', params, function(err, answer)
    if err then
      local kind = type(err.data) == 'table' and err.data.kind
      if kind == 'superseded' then
        message.show('this proposal has changed in the meantime; please review it again', vim.log.levels.WARN)
        M.refresh(proposal.id)
      else
        message.fail(err)
      end
    else
      M.take(answer)
    end
    if done then
      done(err)
    end
  end)
end

return M
