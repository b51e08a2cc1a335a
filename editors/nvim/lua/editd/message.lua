--- What the plugin says to the person.

local M = {}

--- Cuts a text to a width in cells.
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

--- Messages that were longer than the line they were said in.
---@type string[]
local cut = {}
--- So many of them are kept.
local MOST_CUT = 20

--- The messages that were cut, in full, the newest last.
---@return string[]
function M.cut()
  return vim.list_slice(cut)
end

--- Whether messages go to Neovim's command line. Its own functions are compiled without the name of a file, or are
--- below `vim/`; others show long messages in their own way.
---@return boolean
local function is_command_line()
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or source == '=?' or vim.startswith(source, '@vim/')
end

--- One line; cut, for the command line, to what fits without a hit-enter prompt.
---@param text string
---@param level? integer
function M.say(text, level)
  local line = ('editd: ' .. text):gsub('%s*\n%s*', ' ')
  local short = is_command_line() and M.fit(line, math.max(vim.v.echospace, 20)) or line
  if short ~= line then
    cut[#cut + 1] = line
    if #cut > MOST_CUT then
      table.remove(cut, 1)
    end
  end
  vim.notify(short, level or vim.log.levels.INFO)
end

--- Paths as a person would write them here.
---@param text string
---@return string
local function with_short_paths(text)
  return (text:gsub('`(/[^`]*)`', function(path)
    return ('`%s`'):format(vim.fn.fnamemodify(path, ':~:.'))
  end))
end

--- A refusal or failure, with the hint of the daemon where it has one.
---@param err lsp.ResponseError|string
function M.fail(err)
  if type(err) ~= 'table' then
    M.say(tostring(err), vim.log.levels.ERROR)
    return
  end
  local hint = type(err.data) == 'table' and type(err.data.hint) == 'string' and ' ' .. err.data.hint or ''
  M.say(with_short_paths(err.message .. hint), vim.log.levels.ERROR)
end

---@param count integer
---@param one string
---@param many? string
---@return string
function M.count(count, one, many)
  return ('%d %s'):format(count, count == 1 and one or (many or one .. 's'))
end

return M
