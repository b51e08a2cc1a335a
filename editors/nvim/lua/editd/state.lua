--- Sends state other than text to the daemon: modified flags, focus and diagnostics.

local client = require('editd.client')
local config = require('editd.config')
local disk = require('editd.disk')
local document = require('editd.document')
local wire = require('editd.wire')

local M = {}

--- Maximum number of diagnostics sent for one file.
local MAX_DIAGNOSTICS = 500
--- Maximum length of a diagnostic message, in bytes.
local MAX_MESSAGE_BYTES = 2000
--- Debounce: milliseconds without a new diagnostic before they are sent.
local DIAGNOSTICS_DEBOUNCE_MS = 200
--- Debounce: milliseconds without another selection before it is sent.
local FOCUS_DEBOUNCE_MS = 100

---@type table<integer, uv.uv_timer_t>
local timers = {}
---@type uv.uv_timer_t?
local focus_timer

--- Sends whether the buffer has unsaved text, if that has changed.
---@param buf integer
---@param always? boolean
local function send_state(buf, always)
  local uri, sent = wire.uri_of(buf)
  if not uri or not sent or not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  local dirty = vim.bo[buf].modified
  if always or sent.dirty ~= dirty then
    sent.dirty = dirty
    client.notify('editd/documentState', { uri = uri, dirty = dirty, version = sent.version })
  end
end

---@param buf integer
---@param row integer
---@param col integer
---@param encoding string
---@return lsp.Position
local function lsp_position(buf, row, col, encoding)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  col = math.min(col, #line)
  return { line = row, character = encoding == 'utf-8' and col or vim.str_utfindex(line, encoding, col, false) }
end

--- Returns what is selected in the current window; an empty range at the cursor without a selection. A block counts
--- as the text from its first to its last character.
---@param buf integer
---@param encoding string
---@return lsp.Range
local function selection(buf, encoding)
  local mode = vim.api.nvim_get_mode().mode:sub(1, 1)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local first, last = { cursor[1] - 1, cursor[2] }, { cursor[1] - 1, cursor[2] }
  if mode == 'v' or mode == 'V' or mode == '\22' then
    local other = vim.fn.getpos('v')
    first = { other[2] - 1, other[3] - 1 }
    if first[1] > last[1] or (first[1] == last[1] and first[2] > last[2]) then
      first, last = last, first
    end
    if mode == 'V' then
      first, last = { first[1], 0 }, { last[1] + 1, 0 }
      if last[1] == vim.api.nvim_buf_line_count(buf) then
        last = { last[1] - 1, math.huge }
      end
    else
      -- The character under the cursor is selected, too, or the end of the line behind the last one.
      local line = vim.api.nvim_buf_get_lines(buf, last[1], last[1] + 1, false)[1] or ''
      if last[2] < #line then
        last = { last[1], last[2] + vim.str_utf_end(line, last[2] + 1) + 1 }
      elseif last[1] + 1 < vim.api.nvim_buf_line_count(buf) then
        last = { last[1] + 1, 0 }
      end
    end
  end
  return {
    start = lsp_position(buf, first[1], first[2], encoding),
    ['end'] = lsp_position(buf, last[1], last[2], encoding),
  }
end

---@param buf integer
local function send_focus(buf)
  local uri, now = wire.uri_of(buf), client.get()
  if uri and now then
    local is_current = buf == vim.api.nvim_get_current_buf()
    local selected = is_current and selection(buf, now.offset_encoding) or nil
    client.notify('editd/focus', { uri = uri, selection = selected })
  end
end

--- Sends the selection soon. It changes with every key.
local function schedule_focus()
  if focus_timer then
    focus_timer:stop()
  end
  focus_timer = vim.defer_fn(function()
    focus_timer = nil
    send_focus(vim.api.nvim_get_current_buf())
  end, FOCUS_DEBOUNCE_MS)
end

---@param buf integer
---@param diagnostic vim.Diagnostic
---@param encoding string
---@return lsp.Diagnostic
local function lsp_diagnostic(buf, diagnostic, encoding)
  local last = vim.api.nvim_buf_line_count(buf) - 1
  local row = math.max(0, math.min(diagnostic.lnum, last))
  local stop = math.max(row, math.min(diagnostic.end_lnum or row, last))
  return {
    range = {
      start = lsp_position(buf, row, diagnostic.col or 0, encoding),
      ['end'] = lsp_position(buf, stop, diagnostic.end_col or diagnostic.col or 0, encoding),
    },
    severity = diagnostic.severity,
    message = diagnostic.message:sub(1, MAX_MESSAGE_BYTES),
    source = diagnostic.source,
    code = diagnostic.code,
  }
end

--- Sends the diagnostics of language servers and linters for a buffer.
---@param buf integer
local function send_diagnostics(buf)
  local uri, sent = wire.uri_of(buf)
  local now = client.get()
  if not uri or not sent or not now or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local own = vim.lsp.diagnostic.get_namespace(now.id)
  local items = {} ---@type lsp.Diagnostic[]
  for _, diagnostic in ipairs(vim.diagnostic.get(buf)) do
    if diagnostic.namespace ~= own and diagnostic.source ~= 'editd' and #items < MAX_DIAGNOSTICS then
      items[#items + 1] = lsp_diagnostic(buf, diagnostic, now.offset_encoding)
    end
  end
  client.notify('editd/diagnosticsChanged', { uri = uri, version = sent.version, items = items })
end

---@param buf integer
local function schedule_diagnostics(buf)
  if timers[buf] then
    timers[buf]:stop()
  end
  timers[buf] = vim.defer_fn(function()
    timers[buf] = nil
    send_diagnostics(buf)
  end, DIAGNOSTICS_DEBOUNCE_MS)
end

---@param sent editd.Sent
---@param opened boolean
local function on_sent(sent, _, opened)
  if opened then
    disk.note_first(sent.buf)
  end
  send_state(sent.buf, opened)
  require('editd.review').text_changed(sent.buf)
end

--- Starts to send state. Called again after every connection.
function M.start()
  wire.on_sent = on_sent
  local group = vim.api.nvim_create_augroup('editd.state', { clear = true })
  ---@param events string[]
  ---@param act fun(event: vim.api.keyset.create_autocmd.callback_args)
  local function on(events, act)
    vim.api.nvim_create_autocmd(events, { group = group, callback = act })
  end
  on({ 'BufModifiedSet', 'BufWritePost', 'FileChangedShellPost', 'BufReadPost' }, function(event)
    send_state(event.buf)
  end)
  on({ 'BufWritePost', 'FileChangedShellPost', 'BufReadPost' }, function(event)
    disk.note(event.buf)
    disk.resend_if_needed(event.buf)
  end)
  on({ 'BufUnload' }, function(event)
    disk.forget(event.buf)
  end)
  on({ 'BufEnter', 'FocusGained' }, function(event)
    send_focus(event.buf)
  end)
  on({ 'CursorMoved', 'CursorMovedI', 'ModeChanged' }, schedule_focus)
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = { 'endofline', 'fileformat' },
    callback = function(event)
      local buf = event.buf ~= 0 and event.buf or vim.api.nvim_get_current_buf()
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(buf) then
          disk.resend_if_needed(buf)
        end
      end)
    end,
  })
  if config.get().diagnostics then
    on({ 'DiagnosticChanged' }, function(event)
      schedule_diagnostics(event.buf)
    end)
  end
  for _, sent in pairs(wire.documents) do
    on_sent(sent, '', true)
    if config.get().diagnostics and #vim.diagnostic.get(sent.buf) > 0 then
      schedule_diagnostics(sent.buf)
    end
  end
  send_focus(vim.api.nvim_get_current_buf())
end

--- Returns whether the buffer is open in the daemon.
---@param buf integer
---@return boolean
function M.knows(buf)
  return document.is_file(buf) and wire.uri_of(buf) ~= nil
end

return M
