--- Buffers as LSP documents: their text, its hash and their state.

local blake3 = require('editd.blake3')

local M = {}

--- Maximum size of a hashed text, in bytes. Larger ones are compared only by version.
M.HASH_LIMIT = 512 * 1024

--- Maximum size of a shared buffer, in bytes, because the daemon limits the size of messages.
M.MAX_SIZE = 32 * 1024 * 1024

---@type table<string, string>
local LINE_ENDS = { unix = '\n', dos = '\r\n', mac = '\r' }

--- Returns whether the buffer is a normal one for a local file, and small enough to share.
---@param buf integer
---@return boolean
function M.is_file(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' then
    return false
  end
  local name = vim.api.nvim_buf_get_name(buf)
  if name == '' or name:match('^%a[%w+.-]*://') or vim.fn.isdirectory(name) == 1 then
    return false
  end
  return vim.api.nvim_buf_get_offset(buf, vim.api.nvim_buf_line_count(buf)) <= M.MAX_SIZE
end

---@param buf integer
---@return string
function M.line_end(buf)
  return LINE_ENDS[vim.bo[buf].fileformat] or '\n'
end

--- Returns whether the buffer has no lines, like an empty file. A single empty line does not count as empty.
---@param buf integer
---@return boolean
function M.is_empty(buf)
  if vim.api.nvim_buf_line_count(buf) > 1 or vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] ~= '' then
    return false
  end
  return vim.api.nvim_buf_call(buf, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

--- Returns the whole text, with the line endings that Neovim writes.
---@param buf integer
---@return string
function M.text(buf)
  if M.is_empty(buf) then
    return ''
  end
  local line_end = M.line_end(buf)
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), line_end)
  return vim.bo[buf].endofline and text .. line_end or text
end

--- Returns whether LSP counts the lines of this text differently than Neovim.
---@param text string
---@param fileformat string
---@return boolean
function M.lines_differ(text, fileformat)
  if fileformat == 'mac' then
    return text:find('\n', 1, true) ~= nil
  elseif not text:find('\r', 1, true) then
    return false
  end
  return fileformat ~= 'dos' or text:gsub('\r\n', ''):find('[\r\n]') ~= nil
end

--- Returns `b3:` and the first half of the BLAKE3 hash of a text, in hexadecimal.
---@param text string
---@return string
function M.hash_of(text)
  return 'b3:' .. blake3.hex(text, 16)
end

--- Returns the hash of the buffer text; nil if the text is too large.
---@param buf integer
---@return string?
function M.hash(buf)
  local lines = vim.api.nvim_buf_line_count(buf)
  if vim.api.nvim_buf_get_offset(buf, lines) > M.HASH_LIMIT then
    return nil
  end
  local text = M.text(buf)
  return #text <= M.HASH_LIMIT and M.hash_of(text) or nil
end

---@class editd.DocumentState
---@field uri string
---@field version integer
---@field hash string|vim.NIL
---@field dirty boolean
---@field saved boolean

--- Returns the state of a buffer, as reported after a request has changed it.
---@param buf integer
---@param uri string
---@param version integer
---@return editd.DocumentState
function M.describe(buf, uri, version)
  local dirty = vim.bo[buf].modified
  return {
    uri = uri,
    version = version,
    hash = M.hash(buf) or vim.NIL,
    dirty = dirty,
    saved = not dirty and vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf)) ~= nil,
  }
end

return M
