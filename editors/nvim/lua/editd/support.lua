--- Checks for the features that the plugin requires. It tests features, never version numbers.

local M = {}

---@type { name: string, present: fun(): boolean }[]
local required = {
  {
    name = 'vim.lsp.config()',
    present = function()
      return vim.lsp.config ~= nil
    end,
  },
  {
    name = 'positions counted in UTF-8 (positionEncodings)',
    present = function()
      local offered = vim.lsp.protocol.make_client_capabilities().general
      return vim.list_contains(offered and offered.positionEncodings or {}, 'utf-8')
    end,
  },
  {
    name = 'LuaJIT or its `bit` library',
    present = function()
      return (pcall(require, 'bit'))
    end,
  },
}

---@type string[]?
local missing

--- Returns the required features that this Neovim lacks.
---@return string[]
function M.missing()
  if not missing then
    missing = {}
    for _, feature in ipairs(required) do
      local ok, present = pcall(feature.present)
      if not (ok and present) then
        missing[#missing + 1] = feature.name
      end
    end
  end
  return missing
end

--- Returns whether the plugin works in this Neovim. If not, the first call shows a message with the reason.
---@return boolean
function M.ok()
  local missing = M.missing()
  if #missing == 0 then
    return true
  end
  if not M.reported then
    M.reported = true
    -- Must fit into one line of a small terminal; `:checkhealth editd` lists all missing features.
    vim.notify('editd is off: it needs Neovim 0.11 (no ' .. missing[1] .. ')', vim.log.levels.WARN)
  end
  return false
end

return M
