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

--- One line, cut to what fits without a hit-enter prompt.
---@param text string
---@param level? integer
function M.say(text, level)
  local line = ('editd: ' .. text):gsub('%s*\n%s*', ' ')
  vim.notify(M.fit(line, math.max(vim.v.echospace, 20)), level or vim.log.levels.INFO)
end

--- A refusal or failure, with the hint of the daemon where it has one.
---@param err lsp.ResponseError|string
function M.fail(err)
  M.say(type(err) == 'table' and err.message or tostring(err), vim.log.levels.ERROR)
end

---@param count integer
---@param one string
---@param many? string
---@return string
function M.count(count, one, many)
  return ('%d %s'):format(count, count == 1 and one or (many or one .. 's'))
end

return M
