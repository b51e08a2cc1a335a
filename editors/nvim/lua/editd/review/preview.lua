--- Files that would be created, deleted or renamed, in a buffer to look at.

local colors = require('editd.review.colors')
local keys = require('editd.review.keys')

local M = {}

local namespace = vim.api.nvim_create_namespace('editd.review.preview')

--- What such a hunk does, in a sentence.
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
---@return string
function M.sentence(proposal, file, hunk)
  local name = vim.fn.fnamemodify(file.path, ':~:.')
  local what = {
    create = ('create %s (%d lines)'):format(name, #hunk.new),
    delete = ('delete %s (%d lines)'):format(name, #hunk.old),
    rename = ('rename %s to %s'):format(name, vim.fn.fnamemodify(file.new_path or '', ':~:.')),
    encoding = ('write %s in another encoding'):format(name),
  }
  return ('%s wants to %s'):format(proposal.author, what[hunk.kind] or ('change %s'):format(name))
end

---@param buf integer
---@param head string
local function draw(buf, head, group, keep)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  local how = ('%s accepts, %s rejects'):format(keys.reach(buf, 'accept'), keys.reach(buf, 'reject'))
  vim.api.nvim_buf_set_extmark(buf, namespace, 0, 0, {
    virt_lines = { { { head, 'EditdHintKey' } }, { { how, 'EditdHint' } } },
    virt_lines_above = true,
  })
  if keep then
    vim.api.nvim_buf_set_extmark(buf, namespace, 0, 0, {
      end_row = vim.api.nvim_buf_line_count(buf),
      hl_group = group,
      hl_eol = true,
      strict = false,
    })
  end
  vim.fn.winrestview({ topline = 1, topfill = 2 })
end

--- Opens the preview of a hunk that is about a whole file.
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
function M.open(proposal, file, hunk)
  colors.define()
  local name = ('editd://%s/%s%s'):format(proposal.id, hunk.id, file.path)
  local buf = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?\\') .. '$')
  if buf == -1 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, name)
  end
  local lines = hunk.kind == 'create' and hunk.new or hunk.old
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  vim.b[buf].editd_hunk = { id = proposal.id, hunk = hunk.id }
  require('editd.review.go').show_buffer(buf)
  vim.bo[buf].buflisted = false
  local filetype = vim.filetype.match({ filename = file.path, buf = buf })
  if filetype then
    vim.bo[buf].syntax = filetype
  end
  keys.make(buf)
  draw(buf, M.sentence(proposal, file, hunk), hunk.kind == 'create' and 'EditdAdd' or 'EditdDelete', #lines > 0)
end

--- Closes previews of hunks that are decided.
---@param is_open fun(id: string, hunk: string): boolean
function M.close_decided(is_open)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local shown = vim.api.nvim_buf_is_loaded(buf) and vim.b[buf].editd_hunk
    if shown and not is_open(shown.id, shown.hunk) then
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        local before = vim.api.nvim_win_call(win, function()
          return vim.fn.bufnr('#')
        end)
        vim.api.nvim_win_set_buf(win, before > 0 and before ~= buf and before or vim.api.nvim_create_buf(true, false))
      end
      if vim.api.nvim_buf_is_valid(buf) then
        pcall(vim.api.nvim_buf_delete, buf, { force = true })
      end
    end
  end
end

return M
