--- Key maps for reviews, and the keys or commands to show for an action.

local config = require('editd.config')

local M = {}

---@type table<integer, { lhs: string, before: table? }[]>
local maps_by_buffer = {}

---@param action string
---@return string
local function plug(action)
  return ('<Plug>(editd-%s)'):format((action:gsub('_', '-')))
end

--- Defines the default maps, if enabled. Existing maps are left alone. The maps stay when no proposal is
--- pending, so that a key does not fall back to a built-in command of Neovim.
function M.define()
  local options = config.get()
  for action, lhs in pairs(options.keymaps) do
    if options.own_keymaps[action] == nil and vim.fn.mapcheck(lhs, 'n') == '' then
      vim.keymap.set({ 'n', 'x' }, lhs, plug(action), { remap = true, desc = 'editd: ' .. action:gsub('_', ' ') })
    end
  end
end

--- Defines the user's own maps in a buffer. They shadow existing maps of the buffer.
---@param buf integer
function M.make(buf)
  if maps_by_buffer[buf] then
    return
  end
  maps_by_buffer[buf] = {}
  for action, lhs in pairs(config.get().own_keymaps) do
    if lhs then
      local before = vim.api.nvim_buf_call(buf, function()
        return vim.fn.maparg(lhs, 'n', false, true)
      end)
      local own = before.buffer == 1 and before or nil
      table.insert(maps_by_buffer[buf], { lhs = lhs, before = own })
      vim.keymap.set({ 'n', 'x' }, lhs, plug(action), {
        buffer = buf,
        remap = true,
        desc = 'editd: ' .. action:gsub('_', ' '),
      })
    end
  end
end

--- Removes the maps and restores the previous ones.
---@param buf integer
function M.remove(buf)
  for _, map in ipairs(maps_by_buffer[buf] or {}) do
    if vim.api.nvim_buf_is_valid(buf) then
      pcall(vim.keymap.del, { 'n', 'x' }, map.lhs, { buffer = buf })
      if map.before then
        vim.api.nvim_buf_call(buf, function()
          vim.fn.mapset('n', false, map.before)
        end)
      end
    end
  end
  maps_by_buffer[buf] = nil
end

---@param maps table[]
---@param rhs string
---@return string?
local function key_for(maps, rhs)
  for _, map in ipairs(maps) do
    if map.rhs == rhs then
      return vim.fn.keytrans(map.lhsraw)
    end
  end
end

--- Returns the key for an action in a buffer, if there is one.
---@param buf integer
---@param action string
---@return string?
function M.key(buf, action)
  return key_for(vim.api.nvim_buf_get_keymap(buf, 'n'), plug(action))
    or key_for(vim.api.nvim_get_keymap('n'), plug(action))
end

--- Returns the input that triggers an action: a key, else the command.
---@param buf integer
---@param action string
---@return string
function M.reach(buf, action)
  return M.key(buf, action) or (':Editd %s'):format(action)
end

return M
