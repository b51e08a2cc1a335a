--- Runs decisions one after another: each one names the revision that the previous one produced.

local message = require('editd.message')

local M = {}

---@type (fun(done: fun()))[]
local pending = {}
local busy = false

local function run_next()
  local act = table.remove(pending, 1)
  busy = act ~= nil
  if act then
    local ok, err = pcall(act, run_next)
    if not ok then
      message.fail(err)
      run_next()
    end
  end
end

--- Runs `act` once all earlier decisions have been answered.
---@param act fun(done: fun())
function M.push(act)
  pending[#pending + 1] = act
  if not busy then
    run_next()
  end
end

return M
