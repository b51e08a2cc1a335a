--- Both sides of a file in a tab page: what is there, and what is proposed, which can be edited.

local compose = require('editd.review.compose')
local message = require('editd.message')
local review = require('editd.review')

local M = {}

---@param proposal editd.Proposal
---@param file editd.File
---@param side string
---@return string
local function name_of(proposal, file, side)
  return ('editd://%s/%s/%s'):format(proposal.id, side, vim.fn.fnamemodify(file.path, ':~:.'))
end

---@param proposal editd.Proposal
---@param file editd.File
---@return integer
local function proposed_buffer(proposal, file)
  local name = name_of(proposal, file, 'proposed')
  local old = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?\\') .. '$')
  if old ~= -1 then
    pcall(vim.api.nvim_buf_delete, old, { force = true })
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  return buf
end

---@param lines string[]
---@param name string
---@return integer
local function scratch(lines, name)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  pcall(vim.api.nvim_buf_set_name, buf, name)
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  return buf
end

--- What is there now, and what would be. What is there is a copy, without the hunks shown in it.
---@param proposal editd.Proposal
---@param file editd.File
---@return integer there
---@return editd.Composed proposed
local function sides(proposal, file)
  local hunk = file.hunks[1]
  local name = name_of(proposal, file, 'now')
  if file.action == 'create' then
    return scratch({}, name), { lines = hunk.draft or hunk.new, eol = not hunk.no_end }
  end
  local buf = require('editd.review.go').load(file)
  local there = scratch(vim.api.nvim_buf_get_lines(buf, 0, -1, false), name)
  if file.action == 'delete' then
    return there, { lines = {}, eol = true }
  end
  return there, compose.with(buf, proposal, file, compose.proposed)
end

---@param buf integer
---@param path string
---@param title string
local function dress(buf, path, title)
  vim.bo[buf].syntax = vim.filetype.match({ filename = path, buf = buf }) or ''
  vim.wo.winbar = (' %s%%<'):format(title:gsub('%%', '%%%%'))
  vim.cmd.diffthis()
end

---@param buf integer
---@param eol boolean
---@return string
local function text_of(buf, eol)
  if vim.api.nvim_buf_call(buf, vim.fn.wordcount).bytes == 0 then
    return ''
  end
  return compose.text({ lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false), eol = eol })
end

---@param buf integer
---@param proposal editd.Proposal
---@param file editd.File
---@param hash string|vim.NIL
---@param eol boolean
local function send(buf, proposal, file, hash, eol)
  local now = review.get(proposal.id)
  if not now then
    message.say('this proposal is not pending any more', vim.log.levels.WARN)
    return
  end
  local content = text_of(buf, eol)
  review.decide(now, { replace = { { path = file.path, baseHash = hash, content = content } } }, function(err)
    if err then
      return
    end
    if vim.api.nvim_buf_is_valid(buf) then
      vim.bo[buf].modified = false
    end
    local tab = vim.b[buf] and vim.b[buf].editd_tab
    if tab and vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
      vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
    end
  end)
end

--- Opens both sides. `:w` on the right takes what stands there; closing it means later.
---@param proposal editd.Proposal
---@param file editd.File
function M.open(proposal, file)
  vim.cmd('tab split')
  local there, composed = sides(proposal, file)
  vim.api.nvim_win_set_buf(0, there)
  dress(there, file.path, 'now')
  compose.hash(file, function(hash, err)
    if err then
      message.fail(err)
      return
    end
    local buf = proposed_buffer(proposal, file)
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, composed.lines)
    vim.bo[buf].buftype = 'acwrite'
    vim.bo[buf].bufhidden = 'wipe'
    vim.bo[buf].swapfile = false
    vim.bo[buf].modified = false
    vim.b[buf].auto_save = 0
    vim.cmd('rightbelow vertical split')
    vim.api.nvim_win_set_buf(0, buf)
    vim.b[buf].editd_tab = vim.api.nvim_get_current_tabpage()
    dress(buf, file.path, 'proposed (:w takes this side)  ' .. review.title(proposal))
    vim.cmd('normal! gg')
    pcall(vim.cmd, 'silent normal! ]c')
    vim.api.nvim_create_autocmd('BufWriteCmd', {
      buffer = buf,
      callback = function()
        send(buf, proposal, file, hash, composed.eol)
      end,
    })
  end)
end

return M
