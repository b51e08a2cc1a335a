--- Messages to the user.

local M = {}

--- Returns the first line of a text, with a mark if there are more.
---@param text string
---@return string
function M.first_line(text)
  local first, rest = vim.trim(text):match('^([^\n]*)(.*)$')
  local plain = (vim.trim(first):gsub('%c+', ' '))
  return rest == '' and plain or plain .. ' …'
end

--- Truncates a text to a width in cells.
---@param text string
---@param width integer
---@return string
function M.fit(text, width)
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  local cut = vim.fn.strcharpart(text, 0, math.max(width - 1, 0))
  while vim.fn.strdisplaywidth(cut) > width - 1 and cut ~= '' do
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. '…'
end

--- Full text of recent messages that were truncated.
---@type string[]
local truncated = {}
--- Maximum number of stored messages.
local MAX_TRUNCATED = 20

--- Returns the full text of recent truncated messages, newest last.
---@return string[]
function M.truncated()
  return vim.list_slice(truncated)
end

--- Returns whether messages go to Neovim's command line. The built-in functions are compiled without a file
--- name or are defined under `vim/`; a replacement by a plugin handles long messages itself.
---@return boolean
local function is_command_line()
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or source == '=?' or vim.startswith(source, '@vim/')
end

--- Shows a message in one line. On the command line it is truncated to avoid a hit-enter prompt.
---@param text string
---@param level? integer
function M.show(text, level)
  local line = ('editd: ' .. text):gsub('%s*\n%s*', ' ')
  local short = is_command_line() and M.fit(line, math.max(vim.v.echospace, 20)) or line
  if short ~= line then
    truncated[#truncated + 1] = line
    if #truncated > MAX_TRUNCATED then
      table.remove(truncated, 1)
    end
  end
  vim.notify(short, level or vim.log.levels.INFO)
end

--- Shortens the absolute paths in a text relative to the current or the home directory.
---@param text string
---@return string
local function with_short_paths(text)
  return (text:gsub('`(/[^`]*)`', function(path)
    return ('`%s`'):format(vim.fn.fnamemodify(path, ':~:.'))
  end))
end

--- Shows a refusal or failure, with the daemon's hint if there is one.
---@param err lsp.ResponseError|string
---@param before? string Text that precedes the reason, such as what was done until then.
function M.fail(err, before)
  before = before and before .. ': ' or ''
  if type(err) ~= 'table' then
    M.show(before .. tostring(err), vim.log.levels.ERROR)
    return
  end
  local hint = type(err.data) == 'table' and type(err.data.hint) == 'string' and ' ' .. err.data.hint or ''
  M.show(before .. with_short_paths(err.message .. hint), vim.log.levels.ERROR)
end

---@param count integer
---@param one string
---@param many? string
---@return string
function M.count(count, one, many)
  return ('%d %s'):format(count, count == 1 and one or (many or one .. 's'))
end

return M
