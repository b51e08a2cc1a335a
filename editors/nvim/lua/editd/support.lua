--- What this Neovim must have. Features are looked for, never version numbers.

local M = {}

---@type { what: string, there: fun(): boolean }[]
local needed = {
  {
    what = 'vim.lsp.config()',
    there = function()
      return vim.lsp.config ~= nil
    end,
  },
  {
    what = 'positions counted in UTF-8 (positionEncodings)',
    there = function()
      local offered = vim.lsp.protocol.make_client_capabilities().general
      return vim.list_contains(offered and offered.positionEncodings or {}, 'utf-8')
    end,
  },
  {
    what = 'LuaJIT or its `bit` library',
    there = function()
      return (pcall(require, 'bit'))
    end,
  },
}

---@type string[]?
local found

--- The features that this Neovim lacks; empty if the plugin works here.
---@return string[]
function M.missing()
  if not found then
    found = {}
    for _, feature in ipairs(needed) do
      local ok, there = pcall(feature.there)
      if not (ok and there) then
        found[#found + 1] = feature.what
      end
    end
  end
  return found
end

--- Whether the plugin works here. The first time that it does not, one message says why.
---@return boolean
function M.ok()
  local missing = M.missing()
  if #missing == 0 then
    return true
  end
  if not M.told then
    M.told = true
    -- Short enough for one line of a small terminal: `:checkhealth editd` lists all.
    vim.notify('editd is off: it needs Neovim 0.11 (no ' .. missing[1] .. ')', vim.log.levels.WARN)
  end
  return false
end

return M
