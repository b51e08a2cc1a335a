--- What the daemon is told besides text: unsaved or not, where the person is, diagnostics.

local client = require('editd.client')
local config = require('editd.config')
local disk = require('editd.disk')
local document = require('editd.document')
local wire = require('editd.wire')

local M = {}

--- Diagnostics that are sent for one file.
local MOST_DIAGNOSTICS = 500
--- Bytes of one diagnostic's message.
local LONGEST_MESSAGE = 2000
--- Milliseconds without a new diagnostic before they are sent.
local DIAGNOSTICS_PAUSE = 200

---@type table<integer, uv.uv_timer_t>
local timers = {}

--- Tells whether the buffer holds unsaved text, if that is news.
---@param buf integer
---@param always? boolean
local function tell_state(buf, always)
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
local function tell_focus(buf)
  local uri = wire.uri_of(buf)
  if uri then
    client.notify('editd/focus', { uri = uri })
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
    message = diagnostic.message:sub(1, LONGEST_MESSAGE),
    source = diagnostic.source,
    code = diagnostic.code,
  }
end

--- Sends what language servers and linters say of a buffer.
---@param buf integer
local function tell_diagnostics(buf)
  local uri, sent = wire.uri_of(buf)
  local now = client.get()
  if not uri or not sent or not now or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local own = vim.lsp.diagnostic.get_namespace(now.id)
  local items = {} ---@type lsp.Diagnostic[]
  for _, diagnostic in ipairs(vim.diagnostic.get(buf)) do
    if diagnostic.namespace ~= own and diagnostic.source ~= 'editd' and #items < MOST_DIAGNOSTICS then
      items[#items + 1] = lsp_diagnostic(buf, diagnostic, now.offset_encoding)
    end
  end
  client.notify('editd/diagnosticsChanged', { uri = uri, version = sent.version, items = items })
end

---@param buf integer
local function diagnostics_soon(buf)
  if timers[buf] then
    timers[buf]:stop()
  end
  timers[buf] = vim.defer_fn(function()
    timers[buf] = nil
    tell_diagnostics(buf)
  end, DIAGNOSTICS_PAUSE)
end

---@param sent editd.Sent
---@param opened boolean
local function on_sent(sent, _, opened)
  if opened then
    disk.note_first(sent.buf)
  end
  tell_state(sent.buf, opened)
  require('editd.review').text_changed(sent.buf)
end

--- Begins to tell. May be called again at every connection.
function M.start()
  wire.on_sent = on_sent
  local group = vim.api.nvim_create_augroup('editd.state', { clear = true })
  ---@param events string[]
  ---@param act fun(event: vim.api.keyset.create_autocmd.callback_args)
  local function on(events, act)
    vim.api.nvim_create_autocmd(events, { group = group, callback = act })
  end
  on({ 'BufModifiedSet', 'BufWritePost', 'FileChangedShellPost', 'BufReadPost' }, function(event)
    tell_state(event.buf)
  end)
  on({ 'BufWritePost', 'FileChangedShellPost', 'BufReadPost' }, function(event)
    disk.note(event.buf)
    disk.send_again_if_needed(event.buf)
  end)
  on({ 'BufUnload' }, function(event)
    disk.forget(event.buf)
  end)
  on({ 'BufEnter', 'FocusGained' }, function(event)
    tell_focus(event.buf)
  end)
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = { 'endofline', 'fileformat' },
    callback = function(event)
      local buf = event.buf ~= 0 and event.buf or vim.api.nvim_get_current_buf()
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(buf) then
          disk.send_again_if_needed(buf)
        end
      end)
    end,
  })
  if config.get().diagnostics then
    on({ 'DiagnosticChanged' }, function(event)
      diagnostics_soon(event.buf)
    end)
  end
  for _, sent in pairs(wire.documents) do
    on_sent(sent, '', true)
    if config.get().diagnostics and #vim.diagnostic.get(sent.buf) > 0 then
      diagnostics_soon(sent.buf)
    end
  end
  tell_focus(vim.api.nvim_get_current_buf())
end

--- Whether the buffer is one that the daemon knows.
---@param buf integer
---@return boolean
function M.knows(buf)
  return document.is_file(buf) and wire.uri_of(buf) ~= nil
end

return M
