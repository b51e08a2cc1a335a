--- Edits one hunk in a floating window.

local hunks = require('editd.hunks')
local message = require('editd.message')
local scratch = require('editd.review.scratch')

local M = {}

--- Opens the proposed lines of a hunk. `:w` calls `done` with the lines; closing without it changes nothing.
---@param stop editd.Stop
---@param done fun(lines: string[]): boolean Returns whether the lines were accepted.
function M.open(stop, done)
  local source = vim.api.nvim_get_current_buf()
  local hunk = stop.hunk
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, ('editd://%s/%s/edit%s'):format(stop.proposal.id, hunk.id, stop.file.path))
  local start = hunks.initial_draft(hunk)
  scratch.fill(buf, start)
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modified = false
  vim.bo[buf].tabstop = vim.bo[source].tabstop
  vim.bo[buf].shiftwidth = vim.bo[source].shiftwidth
  vim.bo[buf].expandtab = vim.bo[source].expandtab
  -- Auto-save plugins check this variable or the buftype.
  vim.b[buf].auto_save = 0
  local width = math.min(vim.o.columns - 4, 100)
  local height = math.max(math.min(#start + 1, vim.o.lines - 6), 3)
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'cursor',
    row = 1,
    col = 0,
    width = width,
    height = height,
    border = 'rounded',
    title = (' %s: :w saves this, :q! discards it '):format(stop.proposal.author),
  })
  vim.bo[buf].syntax = vim.bo[source].filetype
  vim.wo[win].number = false
  vim.wo[win].signcolumn = 'no'
  vim.wo[win].fillchars = 'eob: '
  vim.keymap.set('n', 'q', '<Cmd>quit<CR>', { buffer = buf, nowait = true, desc = 'editd: close, if nothing was changed' })
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function()
      local empty = vim.fn.wordcount().bytes == 0
      local lines = empty and {} or vim.api.nvim_buf_get_lines(buf, 0, -1, false)
      if not done(lines) then
        return
      end
      vim.bo[buf].modified = false
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(win) then
          vim.api.nvim_win_close(win, true)
        end
      end)
    end,
  })
  if #start == 0 then
    local event = stop.proposal.landed and 'were' or 'would be'
    message.show(('these lines %s deleted; your text replaces them instead'):format(event))
  end
end

return M
