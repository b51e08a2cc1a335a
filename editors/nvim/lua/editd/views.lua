--- Saves and restores cursors and views of all windows while the surrounding text changes.

local M = {}

local namespace = vim.api.nvim_create_namespace('editd.views')

---@class editd.View
---@field win integer
---@field cursor integer Extmark id.
---@field top integer Extmark id.
---@field curswant integer
---@field leftcol integer
---@field col integer

---@param buf integer
---@param row integer
---@param col integer
---@return integer
local function mark(buf, row, col)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  return vim.api.nvim_buf_set_extmark(buf, namespace, row, math.min(col, #line), {})
end

--- Saves the cursor and view of each window that shows the buffer. Neovim adjusts only the windows of the
--- current tab page itself.
---@param buf integer
---@return editd.View[]
function M.save(buf)
  local views = {} ---@type editd.View[]
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local row, col = unpack(vim.api.nvim_win_get_cursor(win))
    local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
    views[#views + 1] = {
      win = win,
      cursor = mark(buf, row - 1, col),
      top = mark(buf, view.topline - 1, 0),
      curswant = view.curswant,
      leftcol = view.leftcol,
      col = col,
    }
  end
  return views
end

--- Restores the cursors and views at the text where they were.
---@param buf integer
---@param views editd.View[]
function M.restore(buf, views)
  for _, view in ipairs(views) do
    local cursor = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, view.cursor, {})
    local top = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, view.top, {})
    if vim.api.nvim_win_is_valid(view.win) and cursor[1] and top[1] then
      vim.api.nvim_win_call(view.win, function()
        vim.fn.winrestview({
          lnum = cursor[1] + 1,
          col = cursor[2],
          curswant = cursor[2] == view.col and view.curswant or nil,
          topline = top[1] + 1,
          leftcol = view.leftcol,
        })
      end)
    end
  end
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
end

return M
