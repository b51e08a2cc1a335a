--- Has the language servers of a buffer rename a symbol, for `editd/rename`. Nothing is changed: the daemon makes the
--- edits.

local position = require('editd.position')
local wire = require('editd.wire')

local M = {}

--- Milliseconds that a language server has to answer. The daemon waits a little longer.
local TIMEOUT_MS = 2500

--- Milliseconds after which Neovim sends changes of a buffer to a client, unless the client says otherwise.
local DEBOUNCE_MS = 150

local METHOD = 'textDocument/rename'

--- Returns the clients of a buffer that can rename, without that of editd.
---@param buf integer
---@return vim.lsp.Client[]
local function clients_of(buf)
  local all = vim.lsp.get_clients({ bufnr = buf, method = METHOD })
  return vim.tbl_filter(function(client)
    return client.name ~= 'editd' and not client:is_stopped()
  end, all)
end

--- Converts a position to the encoding of a client.
---@param buf integer
---@param at lsp.Position
---@param from string
---@param to string
---@return lsp.Position?
local function converted(buf, at, from, to)
  if from == to then
    return at
  end
  local there = position.of(buf, at, from)
  local line = there and vim.api.nvim_buf_get_lines(buf, there.row, there.row + 1, false)[1]
  if not there or not line then
    return nil
  end
  local character = to == 'utf-8' and there.col or vim.str_utfindex(line, to, there.col, false)
  return { line = there.row, character = character }
end

--- Waits until a client has received the changes of its other buffers. A request sends only those of its own.
---@param client vim.lsp.Client
---@param buf integer
local function settle(client, buf)
  local is_waiting = false
  for other in pairs(client.attached_buffers or {}) do
    is_waiting = is_waiting or (other ~= buf and vim.api.nvim_buf_is_loaded(other) and vim.bo[other].modified)
  end
  local waiting = coroutine.running()
  if is_waiting and waiting then
    local debounce = client.flags and client.flags.debounce_text_changes or DEBOUNCE_MS
    vim.defer_fn(function()
      coroutine.resume(waiting)
    end, 2 * debounce)
    coroutine.yield()
  end
end

--- Sends a request, and waits for the answer without blocking the editor.
---@param client vim.lsp.Client
---@param buf integer
---@param params table
---@return lsp.WorkspaceEdit?
local function ask(client, buf, params)
  local waiting = coroutine.running()
  if not waiting then
    local answer = client:request_sync(METHOD, params, TIMEOUT_MS, buf)
    return answer and answer.result or nil
  end
  local is_done = false
  local function resume(result)
    if not is_done then
      is_done = true
      vim.schedule(function()
        coroutine.resume(waiting, result)
      end)
    end
  end
  local is_sent = client:request(METHOD, params, function(_, result)
    resume(result)
  end, buf)
  if not is_sent then
    return nil
  end
  vim.defer_fn(function()
    resume(nil)
  end, TIMEOUT_MS)
  return coroutine.yield()
end

--- Returns the edits of a client by file, or the reason why they cannot be used.
---@param edit lsp.WorkspaceEdit
---@return { uri: string, edits: lsp.TextEdit[] }[]? files
---@return string? reason
local function files_of(edit)
  local files, by_uri = {}, {} ---@type { uri: string, edits: lsp.TextEdit[] }[], table<string, integer>
  local function add(uri, edits)
    local at = by_uri[uri]
    if not at then
      at = #files + 1
      files[at], by_uri[uri] = { uri = uri, edits = {} }, at
    end
    for _, one in ipairs(edits) do
      if type(one.newText) ~= 'string' then
        return false
      end
      table.insert(files[at].edits, { range = one.range, newText = one.newText })
    end
    return true
  end
  if type(edit.documentChanges) == 'table' then
    for _, change in ipairs(edit.documentChanges) do
      if change.kind then
        return nil, ('it would also %s files'):format(change.kind)
      elseif not add(change.textDocument.uri, change.edits) then
        return nil, 'its edits are no plain text'
      end
    end
    return files
  end
  for uri, edits in pairs(type(edit.changes) == 'table' and edit.changes or {}) do
    if not add(uri, edits) then
      return nil, 'its edits are no plain text'
    end
  end
  return files
end

--- Handles an `editd/rename` request. The buffer must be loaded.
---@param params { uri: string, position: lsp.Position, positionEncoding: string, newName: string }
---@return table
function M.handle(params)
  local sent = wire.find(params.uri)
  local buf = sent and sent.buf
  if not buf or not vim.api.nvim_buf_is_loaded(buf) then
    return vim.NIL
  end
  for _, client in ipairs(clients_of(buf)) do
    local encoding = client.offset_encoding
    settle(client, buf)
    local at = converted(buf, params.position, params.positionEncoding, encoding)
    local edit = at
      and ask(client, buf, {
        textDocument = { uri = vim.uri_from_bufnr(buf) },
        position = at,
        newName = params.newName,
      })
    if type(edit) == 'table' then
      local files, reason = files_of(edit)
      return { files = files or {}, positionEncoding = encoding, reason = reason }
    end
  end
  return vim.NIL
end

return M
