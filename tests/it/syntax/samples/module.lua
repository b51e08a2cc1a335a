--- A module.
local M = {}

local config = { size = 3, on_done = function() print('done') end }

-- Adds two numbers.
---@param a number
---@param b number
local function add(a, b)
  return a + b
end

function M.sum(list)
  local total = 0
  for _, item in ipairs(list) do
    total = add(total, item)
  end

  return total
end

function M.nested.deep:method(x)
  self.x = x
end

M.handler = function(event)
  if event then return config.size end
end

M.table = {
  first = function() return 1 end,

  second = function()
    return 2
  end,
}

return M
