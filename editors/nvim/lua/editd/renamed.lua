--- Moves buffers to the new paths of files that were renamed.

local disk = require('editd.disk')
local wire = require('editd.wire')

local M = {}

--- Detaches all language servers from a buffer: they know it by its old path.
---@param buf integer
---@return integer[] ids
local function detach(buf)
  local ids = {} ---@type integer[]
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buf })) do
    ids[#ids + 1] = client.id
    vim.lsp.buf_detach_client(buf, client.id)
  end
  return ids
end

---@param buf integer
---@param ids integer[]
local function attach(buf, ids)
  for _, id in ipairs(ids) do
    local client = vim.lsp.get_client_by_id(id)
    if client and not client:is_stopped() then
      vim.lsp.buf_attach_client(buf, id)
    end
  end
end

--- Removes the buffer that Neovim leaves behind at the old path.
---@param path string
---@param buf integer
local function forget_old_name(path, buf)
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    if other ~= buf and vim.api.nvim_buf_get_name(other) == path and not vim.api.nvim_buf_is_loaded(other) then
      pcall(vim.api.nvim_buf_delete, other, { force = true })
    end
  end
end

---@param buf integer
---@return table<integer, table> views By window.
local function views_of(buf)
  local views = {} ---@type table<integer, table>
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  return views
end

---@param views table<integer, table>
local function restore(views)
  for win, view in pairs(views) do
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

--- Gives a buffer another path and loads the text there. Text that was not saved stays in the buffer, unsaved. Undo
--- works as before.
---@param buf integer
---@param path string
local function move(buf, path)
  local old = vim.api.nvim_buf_get_name(buf)
  local unsaved = vim.bo[buf].modified and vim.api.nvim_buf_get_lines(buf, 0, -1, false) or nil
  local views = views_of(buf)
  local ids = detach(buf)
  vim.api.nvim_buf_call(buf, function()
    vim.cmd(('silent keepalt file %s'):format(vim.fn.fnameescape(vim.fn.fnamemodify(path, ':.'))))
    -- Otherwise the buffer counts as not read from its file, and `:w` refuses to overwrite that.
    vim.cmd('silent keepalt edit!')
  end)
  if unsaved then
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, unsaved)
  end
  restore(views)
  forget_old_name(old, buf)
  attach(buf, ids)
  disk.note(buf)
end

--- Shows the buffer that already has the new path in the windows of the other one, which is removed.
---@param buf integer
---@param other integer
local function replace(buf, other)
  local views = views_of(buf)
  for win in pairs(views) do
    vim.api.nvim_win_set_buf(win, other)
  end
  restore(views)
  pcall(vim.api.nvim_buf_delete, buf, {})
end

---@param path string
---@param except integer
---@return integer?
local function loaded_at(path, except)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if buf ~= except and vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == path then
      return buf
    end
  end
end

--- Handles `editd/fileRenamed`.
---@param params { uri: string, newPath: string }
function M.handle(params)
  local sent = wire.find(params.uri)
  if not sent or not vim.api.nvim_buf_is_loaded(sent.buf) or not vim.uv.fs_stat(params.newPath) then
    return
  end
  local buf, other = sent.buf, loaded_at(params.newPath, sent.buf)
  if other and vim.bo[buf].modified then
    -- Both have text of the user, so neither is removed.
    return
  elseif other then
    replace(buf, other)
    vim.cmd(('silent! checktime %d'):format(other))
  else
    move(buf, params.newPath)
  end
end

return M
