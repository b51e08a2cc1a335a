--- Saves, reloads and resends buffers without prompts that would block the editor.

local client = require('editd.client')
local document = require('editd.document')
local wire = require('editd.wire')

local M = {}

---@type table<integer, string|false>
local stamps = {}

--- Returns a fingerprint of the file on disk; false if the file is missing.
---@param buf integer
---@return string|false
local function stamp(buf)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf))
  return stat and ('%d.%09d/%d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or false
end

--- Records that the buffer and its file are in sync.
---@param buf integer
function M.note(buf)
  stamps[buf] = stamp(buf)
end

---@param buf integer
function M.forget(buf)
  stamps[buf] = nil
end

--- Records the state of the file, unless it is already recorded.
---@param buf integer
function M.note_first(buf)
  if stamps[buf] == nil then
    M.note(buf)
  end
end

--- Returns the change of the file that Neovim itself detects: 'changed', 'conflict', 'deleted' or nil.
--- Suppresses the prompt.
---@param buf integer
---@return string?
local function change_detected_by_neovim(buf)
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

--- Returns the reason why the buffer must not be written, or nil.
---@param buf integer
---@return string?
local function blocked_reason(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if vim.bo[buf].readonly then
    return "the buffer is 'readonly'"
  elseif stamps[buf] ~= nil and stamps[buf] ~= stamp(buf) then
    return 'the file has changed on disk'
  elseif vim.uv.fs_stat(name) and not vim.uv.fs_access(name, 'W') then
    return 'the file is not writable'
  elseif stamps[buf] and change_detected_by_neovim(buf) then
    return 'the file has changed on disk'
  end
end

---@param text any
---@return string
local function plain(text)
  return (tostring(text):gsub('^.-Vim[^:]*:', ''):gsub('%s*\n.*', ''))
end

--- Writes a buffer. Autocommands run, including the user's formatters and hooks.
---@param buf integer
---@return string? reason Why the buffer is not saved.
local function write(buf)
  if not vim.bo[buf].modified and vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf)) then
    return nil
  end
  local reason = blocked_reason(buf)
  if reason then
    return reason
  end
  local fix = vim.bo[buf].fixendofline
  -- Do not add a final line ending that the buffer does not have.
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

--- Calls `act` for each document and returns their states.
---@param uris string[]
---@param act fun(buf: integer): string?
---@return { documents: editd.DocumentState[], reason?: string }
local function each(uris, act)
  local documents, reasons = {}, {} ---@type editd.DocumentState[], string[]
  for _, requested in ipairs(uris) do
    local sent, uri = wire.find(requested)
    local name = vim.fs.basename(vim.uri_to_fname(requested))
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

--- Handles `editd/save`.
---@param params { uris: string[] }
---@return table
function M.save(params)
  return each(params.uris, function(buf)
    local reason = write(buf)
    M.resend_if_needed(buf)
    return reason
  end)
end

--- Reloads the file. Views are preserved, and undo restores the old text.
---@param buf integer
---@return string?
local function reload(buf)
  if vim.bo[buf].modified then
    return 'the buffer has unsaved text'
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
  local ok, err
  if stamps[buf] == false then
    -- For a file that did not exist when its buffer was opened, `checktime` only asks (W13).
    ok, err = pcall(vim.api.nvim_buf_call, buf, function()
      vim.cmd('silent edit')
    end)
  else
    ok, err = pcall(vim.cmd, ('silent checktime %d'):format(buf))
  end
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

--- Handles `editd/reload`.
---@param params { uris: string[] }
---@return table
function M.reload(params)
  return each(params.uris, reload)
end

--- Sends the whole text again, as if the buffer were opened.
---@param buf integer
function M.resend(buf)
  local now = client.get()
  if now and vim.lsp.buf_is_attached(buf, now.id) then
    vim.lsp.buf_detach_client(buf, now.id)
    vim.lsp.buf_attach_client(buf, now.id)
  end
end

--- Sends the text again if its line endings have changed, because Neovim does not report that as a change.
---@param buf integer
function M.resend_if_needed(buf)
  local _, sent = wire.uri_of(buf)
  if sent and (sent.eol ~= vim.bo[buf].endofline or sent.fileformat ~= vim.bo[buf].fileformat) then
    M.resend(buf)
  end
end

--- Handles `editd/resync`.
---@param params { uris: string[] }
---@return table
function M.resync(params)
  return each(params.uris, function(buf)
    M.resend(buf)
  end)
end

return M
