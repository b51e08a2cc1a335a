--- Wraps the RPC connection of Neovim's LSP client. Tracks which version of each buffer the daemon has, and
--- sends the whole text where Neovim's incremental changes would not describe it correctly.

local document = require('editd.document')

local M = {}

---@class editd.Sent
---@field buf integer
---@field version integer Version sent last.
---@field lines_differ boolean True if LSP counts its lines differently than Neovim.
---@field empty boolean True if the text sent last was empty.
---@field lines integer Number of lines in the text sent last.
---@field eol boolean 'endofline' when the document was opened.
---@field fileformat string 'fileformat' when the document was opened.
---@field dirty? boolean Value of 'modified' sent last.

--- Documents that are open in the daemon, by URI.
---@type table<string, editd.Sent>
M.documents = {}

--- Called after each `didOpen` (with `opened` set) and `didChange`.
---@type fun(sent: editd.Sent, uri: string, opened: boolean)?
M.on_sent = nil

---@param params table
local function opened(params)
  local item = params.textDocument
  local buf = vim.uri_to_bufnr(item.uri)
  if document.is_empty(buf) then
    item.text = ''
  end
  M.documents[item.uri] = {
    buf = buf,
    version = item.version,
    lines_differ = document.lines_differ(item.text, vim.bo[buf].fileformat),
    empty = item.text == '',
    lines = vim.api.nvim_buf_line_count(buf),
    eol = vim.bo[buf].endofline,
    fileformat = vim.bo[buf].fileformat,
  }
end

--- Returns whether a change inserts characters that are line endings in LSP but not in Neovim.
---@param sent editd.Sent
---@param changes { text: string }[]
---@return boolean
local function inserts_foreign_eol(sent, changes)
  for _, change in ipairs(changes) do
    if document.lines_differ(change.text, sent.fileformat) then
      return true
    end
  end
  return false
end

--- Returns whether changes reach the end of a text without a final line ending. Neovim reports such changes
--- as if it had one.
---@param sent editd.Sent
---@param changes { range: lsp.Range }[]
---@return boolean
local function reaches_unterminated_end(sent, changes)
  if vim.bo[sent.buf].endofline then
    return false
  end
  for _, change in ipairs(changes) do
    if not change.range or change.range['end'].line >= sent.lines - 1 then
      return true
    end
  end
  return #changes > 1
end

---@param params table
local function changed(params)
  local sent = M.documents[params.textDocument.uri]
  if not sent then
    return
  end
  sent.version = params.textDocument.version
  local empty = document.is_empty(sent.buf)
  sent.lines_differ = sent.lines_differ or inserts_foreign_eol(sent, params.contentChanges)
  local lines = vim.api.nvim_buf_line_count(sent.buf)
  -- A change of lines does not show whether a buffer with one empty line is an empty file.
  local tiny = math.min(lines, sent.lines) <= 1
  if sent.lines_differ or tiny or reaches_unterminated_end(sent, params.contentChanges) then
    params.contentChanges = { { text = document.text(sent.buf) } }
  end
  sent.empty, sent.lines = empty, lines
end

--- Sends the text again if emptiness has changed: Neovim settles it only after the command that changes the
--- buffer.
---@param rpc vim.lsp.rpc.PublicClient
---@param sent editd.Sent
---@param uri string
local function check_empty(rpc, sent, uri)
  if sent.lines > 1 then
    return
  end
  vim.schedule(function()
    if M.documents[uri] ~= sent or not vim.api.nvim_buf_is_loaded(sent.buf) then
      return
    end
    local empty = document.is_empty(sent.buf)
    if empty ~= sent.empty then
      sent.empty = empty
      sent.version = math.max(sent.version + 1, vim.api.nvim_buf_get_changedtick(sent.buf))
      local changes = { { text = document.text(sent.buf) } }
      rpc.notify('textDocument/didChange', {
        textDocument = { uri = uri, version = sent.version },
        contentChanges = changes,
      })
    end
  end)
end

--- Starts the bridge. Used as the `cmd` of an LSP client.
---@param cmd string[]
---@param env table<string, string>
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param on_exit fun(code: integer, signal: integer)
---@return vim.lsp.rpc.PublicClient
function M.start(cmd, env, dispatchers, on_exit)
  M.documents = {}
  local rpc = vim.lsp.rpc.start(cmd, {
    notification = dispatchers.notification,
    server_request = dispatchers.server_request,
    on_error = dispatchers.on_error,
    on_exit = function(code, signal)
      -- Report a clean exit, because Neovim would print a warning: the client reconnects and warns if that
      -- fails.
      dispatchers.on_exit(0, 0)
      on_exit(code, signal)
    end,
  }, { env = env })
  local wrapped = setmetatable({}, { __index = rpc })
  wrapped.notify = function(method, params)
    local uri = params and params.textDocument and params.textDocument.uri
    if method == 'textDocument/didOpen' then
      opened(params)
    elseif method == 'textDocument/didChange' then
      params = vim.tbl_extend('force', {}, params)
      changed(params)
    elseif method == 'textDocument/didClose' then
      M.documents[uri] = nil
    end
    local done = rpc.notify(method, params)
    if M.on_sent and (method == 'textDocument/didOpen' or method == 'textDocument/didChange') then
      local sent = M.documents[uri]
      if sent then
        check_empty(rpc, sent, uri)
        M.on_sent(sent, uri, method == 'textDocument/didOpen')
      end
    end
    return done
  end
  return wrapped
end

--- Finds the open document for a URI, also if the URI is spelled differently or goes through symlinks.
---@param uri string
---@return editd.Sent? sent
---@return string uri URI as sent to the daemon.
function M.find(uri)
  local sent = M.documents[uri]
  if sent then
    return sent, uri
  end
  local path = vim.uri_to_fname(uri)
  for each, other in pairs(M.documents) do
    local theirs = vim.uri_to_fname(each)
    if theirs == path or vim.uv.fs_realpath(theirs) == path then
      return other, each
    end
  end
  return nil, uri
end

--- Returns the URI under which a buffer was sent.
---@param buf integer
---@return string? uri
---@return editd.Sent? sent
function M.uri_of(buf)
  buf = buf == 0 and vim.api.nvim_get_current_buf() or buf
  for uri, sent in pairs(M.documents) do
    if sent.buf == buf then
      return uri, sent
    end
  end
end

return M
