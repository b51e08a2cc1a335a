--- Decisions wait for the answer to the one before: each names the revision that the last one led to.

local message = require('editd.message')

local M = {}

---@type (fun(done: fun()))[]
local turns = {}
local busy = false

local function next_turn()
  local act = table.remove(turns, 1)
  busy = act ~= nil
  if act then
    local ok, err = pcall(act, next_turn)
    if not ok then
      message.fail(err)
      next_turn()
    end
  end
end

--- Does something once all decisions before it are answered.
---@param act fun(done: fun())
function M.take(act)
  turns[#turns + 1] = act
  if not busy then
    next_turn()
  end
end

return M
