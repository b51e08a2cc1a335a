--- Saving, reloading and sending buffers again, without a question that would block the editor.

local client = require('editd.client')
local document = require('editd.document')
local wire = require('editd.wire')

local M = {}

---@type table<integer, string|false>
local stamps = {}

--- What tells one state of a file from another; false if there is no file.
---@param buf integer
---@return string|false
local function stamp(buf)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf))
  return stat and ('%d.%09d/%d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or false
end

--- Notes that the buffer and its file are at one now.
---@param buf integer
function M.note(buf)
  stamps[buf] = stamp(buf)
end

---@param buf integer
function M.forget(buf)
  stamps[buf] = nil
end

--- Notes the file, if nothing is noted of it yet.
---@param buf integer
function M.note_first(buf)
  if stamps[buf] == nil then
    M.note(buf)
  end
end

--- What Neovim itself says has happened to the file: 'changed', 'conflict', 'deleted' or nil. No question is asked.
---@param buf integer
---@return string?
local function seen_by_neovim(buf)
  local reason ---@type string?
  local id = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      reason = vim.v.fcs_reason
      vim.v.fcs_choice = ''
    end,
  })
  pcall(vim.cmd, ('silent checktime %d'):format(buf))
  vim.api.nvim_del_autocmd(id)
  return reason ~= 'mode' and reason ~= 'time' and reason or nil
end

--- Why the buffer must not be written.
---@param buf integer
---@return string?
local function obstacle(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if vim.bo[buf].readonly then
    return "the buffer is 'readonly'"
  elseif stamps[buf] ~= nil and stamps[buf] ~= stamp(buf) then
    return 'the file has changed on disk'
  elseif vim.uv.fs_stat(name) and not vim.uv.fs_access(name, 'W') then
    return 'the file cannot be written'
  elseif stamps[buf] and seen_by_neovim(buf) then
    return 'the file has changed on disk'
  end
end

---@param text any
---@return string
local function plain(text)
  return (tostring(text):gsub('^.-Vim[^:]*:', ''):gsub('%s*\n.*', ''))
end

--- Writes a buffer. Its autocommands run: formatters and hooks of the user do their work.
---@param buf integer
---@return string? reason Why it is not saved.
local function write(buf)
  if not vim.bo[buf].modified and vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf)) then
    return nil
  end
  local reason = obstacle(buf)
  if reason then
    return reason
  end
  local fix = vim.bo[buf].fixendofline
  -- A final line end that was not there is not added.
  vim.bo[buf].fixendofline = fix and vim.bo[buf].endofline
  local ok, err = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd('silent write')
  end)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.bo[buf].fixendofline = fix
  end
  if not ok then
    return plain(err)
  end
  return vim.bo[buf].modified and 'the buffer is still modified' or nil
end

--- Calls `act` for each document, and tells of all of them.
---@param uris string[]
---@param act fun(buf: integer): string?
---@return { documents: editd.DocumentState[], reason?: string }
local function each(uris, act)
  local documents, reasons = {}, {} ---@type editd.DocumentState[], string[]
  for _, asked in ipairs(uris) do
    local sent, uri = wire.find(asked)
    local name = vim.fs.basename(vim.uri_to_fname(asked))
    if not sent or not vim.api.nvim_buf_is_loaded(sent.buf) then
      reasons[#reasons + 1] = ('%s is not open'):format(name)
    else
      local ok, reason = pcall(act, sent.buf)
      reason = ok and reason or (not ok and plain(reason) or nil)
      if reason then
        reasons[#reasons + 1] = ('%s: %s'):format(name, reason)
      end
      local _, now = wire.uri_of(sent.buf)
      documents[#documents + 1] = document.describe(sent.buf, uri, (now or sent).version)
    end
  end
  return { documents = documents, reason = #reasons > 0 and table.concat(reasons, '; ') or nil }
end

--- Answers `editd/save`.
---@param params { uris: string[] }
---@return table
function M.save(params)
  return each(params.uris, function(buf)
    local reason = write(buf)
    M.send_again_if_needed(buf)
    return reason
  end)
end

--- Loads the file anew. Views stay, and undo brings the old text back.
---@param buf integer
---@return string?
local function load_again(buf)
  if vim.bo[buf].modified then
    return 'the buffer holds unsaved text'
  elseif stamps[buf] == stamp(buf) then
    return nil
  end
  local views = {} ---@type table<integer, table>
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  local id = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = vim.v.fcs_reason == 'deleted' and '' or 'reload'
    end,
  })
  local ok, err = pcall(vim.cmd, ('silent checktime %d'):format(buf))
  vim.api.nvim_del_autocmd(id)
  for win, view in pairs(views) do
    if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
  if not ok then
    return plain(err)
  end
  M.note(buf)
end

--- Answers `editd/reload`.
---@param params { uris: string[] }
---@return table
function M.reload(params)
  return each(params.uris, load_again)
end

--- Sends the whole text anew, as if the buffer were opened.
---@param buf integer
function M.send_again(buf)
  local now = client.get()
  if now and vim.lsp.buf_is_attached(buf, now.id) then
    vim.lsp.buf_detach_client(buf, now.id)
    vim.lsp.buf_attach_client(buf, now.id)
  end
end

--- Sends the text anew where line ends of it have changed: Neovim does not tell that as a change.
---@param buf integer
function M.send_again_if_needed(buf)
  local _, sent = wire.uri_of(buf)
  if sent and (sent.eol ~= vim.bo[buf].endofline or sent.fileformat ~= vim.bo[buf].fileformat) then
    M.send_again(buf)
  end
end

--- Answers `editd/resync`.
---@param params { uris: string[] }
---@return table
function M.resync(params)
  return each(params.uris, function(buf)
    M.send_again(buf)
  end)
end

return M
