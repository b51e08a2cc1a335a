--- Maps in buffers under review, and how a person reaches an action.

local config = require('editd.config')

local M = {}

---@type table<integer, { lhs: string, before: table? }[]>
local made = {}

---@param action string
---@return string
local function plug(action)
  return ('<Plug>(editd-%s)'):format((action:gsub('_', '-')))
end

--- Makes the default maps, if they are wanted. They stay, so that a key does not fall through to one of Neovim's own
--- when nothing waits any more. What is mapped already is left alone.
function M.define()
  local options = config.get()
  for action, lhs in pairs(options.keymaps) do
    if options.own_keymaps[action] == nil and vim.fn.mapcheck(lhs, 'n') == '' then
      vim.keymap.set({ 'n', 'x' }, lhs, plug(action), { remap = true, desc = 'editd: ' .. action:gsub('_', ' ') })
    end
  end
end

--- Makes the maps that the person gave in a buffer, over maps of the buffer that are there.
---@param buf integer
function M.make(buf)
  if made[buf] then
    return
  end
  made[buf] = {}
  for action, lhs in pairs(config.get().own_keymaps) do
    if lhs then
      local before = vim.api.nvim_buf_call(buf, function()
        return vim.fn.maparg(lhs, 'n', false, true)
      end)
      local own = before.buffer == 1 and before or nil
      table.insert(made[buf], { lhs = lhs, before = own })
      vim.keymap.set({ 'n', 'x' }, lhs, plug(action), {
        buffer = buf,
        remap = true,
        desc = 'editd: ' .. action:gsub('_', ' '),
      })
    end
  end
end

--- Takes the maps away, and puts back what was there.
---@param buf integer
function M.remove(buf)
  for _, map in ipairs(made[buf] or {}) do
    if vim.api.nvim_buf_is_valid(buf) then
      pcall(vim.keymap.del, { 'n', 'x' }, map.lhs, { buffer = buf })
      if map.before then
        vim.api.nvim_buf_call(buf, function()
          vim.fn.mapset('n', false, map.before)
        end)
      end
    end
  end
  made[buf] = nil
end

---@param maps table[]
---@param rhs string
---@return string?
local function among(maps, rhs)
  for _, map in ipairs(maps) do
    if map.rhs == rhs then
      return vim.fn.keytrans(map.lhsraw)
    end
  end
end

--- The key for an action in a buffer, if there is one.
---@param buf integer
---@param action string
---@return string?
function M.key(buf, action)
  return among(vim.api.nvim_buf_get_keymap(buf, 'n'), plug(action))
    or among(vim.api.nvim_get_keymap('n'), plug(action))
end

--- What a person types for an action: a key, else the command.
---@param buf integer
---@param action string
---@return string
function M.reach(buf, action)
  return M.key(buf, action) or (':Editd %s'):format(action)
end

return M
