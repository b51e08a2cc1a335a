--- Buffers without a file.

local M = {}

--- Sets the lines of a buffer without creating an undo step, so that `u` never removes them.
---@param buf integer
---@param lines string[]
function M.fill(buf, lines)
  local levels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].undolevels = levels
end

return M
