--- Buffers that are not over files.

local M = {}

--- Puts lines into a buffer without an undo step, so that `u` never takes them out again.
---@param buf integer
---@param lines string[]
function M.fill(buf, lines)
  local levels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].undolevels = levels
end

return M
