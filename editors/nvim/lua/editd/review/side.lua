--- Shows both sides of a file in a tab page: the current text, and the proposed text, which can be edited. Of a
--- landed change, they are the earlier text and the current text.

local compose = require('editd.review.compose')
local merge = require('editd.review.merge')
local hunks = require('editd.hunks')
local message = require('editd.message')
local review = require('editd.review')
local scratch = require('editd.review.scratch')
local viewed = require('editd.review.viewed')

local M = {}

---@class editd.Sides
---@field id string Proposal id.
---@field file editd.File
---@field current integer Buffer on the left.
---@field proposed integer Buffer on the right.
---@field base string[] Lines of the file that the right side is based on.
---@field hash string|vim.NIL
---@field eol boolean

--- Open diffs by the buffer on the right.
---@type table<integer, editd.Sides>
local opened = {}

---@param proposal editd.Proposal
---@param file editd.File
---@param side string
---@return string
local function name_of(proposal, file, side)
  return ('editd://%s/%s/%s'):format(proposal.id, side, vim.fn.fnamemodify(file.path, ':~:.'))
end

---@param proposal editd.Proposal
---@return string left
---@return string right
local function titles_of(proposal)
  if proposal.landed then
    return 'before', 'now'
  end
  return 'now', 'proposed'
end

--- Returns the lines on the left: the current ones, or those before a landed change.
---@param sides editd.Sides
---@return string[]
local function left_of(sides)
  local proposal = review.get(sides.id)
  if not proposal or not proposal.landed then
    return sides.base
  end
  local hunk = sides.file.hunks[1]
  if hunk.kind ~= 'text' and hunk.kind ~= 'encoding' then
    return hunk.earlier or {}
  end
  return compose.with(require('editd.review.go').load(sides.file), proposal, sides.file, compose.earlier).lines
end

---@param file editd.File
---@param hash string|vim.NIL
---@return string[] # Current lines of the file.
local function lines_of(file, hash)
  if hash == vim.NIL then
    return {}
  end
  return vim.api.nvim_buf_get_lines(require('editd.review.go').load(file), 0, -1, false)
end

---@param proposal editd.Proposal
---@param file editd.File
---@return editd.Composed
local function proposed(proposal, file)
  local hunk = file.hunks[1]
  if file.action == 'create' and not proposal.landed then
    return { lines = hunk.draft or hunk.new, eol = not hunk.no_end }
  elseif file.action == 'delete' then
    return { lines = {}, eol = true }
  end
  return compose.with(require('editd.review.go').load(file), proposal, file, compose.proposed)
end

---@param buf integer
---@param path string
---@param title string
local function decorate(buf, path, title)
  vim.bo[buf].syntax = vim.filetype.match({ filename = path, buf = buf }) or ''
  vim.wo.winbar = (' %s%%<'):format(title:gsub('%%', '%%%%'))
  vim.cmd.diffthis()
end

---@param buf integer
---@return string[]
local function lines_in(buf)
  local empty = vim.api.nvim_buf_call(buf, vim.fn.wordcount).bytes == 0
  return empty and {} or vim.api.nvim_buf_get_lines(buf, 0, -1, false)
end

---@param buf integer
---@param lines string[]
local function fill_read_only(buf, lines)
  vim.bo[buf].modifiable = true
  scratch.fill(buf, lines)
  vim.bo[buf].modifiable = false
end

--- Updates both sides to the current text. The user's changes on the right are preserved. `done` receives
--- whether the file has changed, and whether the right side includes that change.
---@param sides editd.Sides
---@param done? fun(changed: boolean, merged: boolean)
local function follow(sides, done)
  compose.hash(sides.file, function(hash, err)
    if err then
      message.fail(err)
      return
    elseif not vim.api.nvim_buf_is_valid(sides.proposed) then
      return
    end
    local changed, merged = hash ~= sides.hash, nil
    if changed then
      local now = lines_of(sides.file, hash)
      merged = merge.blocks(sides.base, lines_in(sides.proposed), now)
      local modified = vim.bo[sides.proposed].modified
      for _, block in ipairs(merged or {}) do
        vim.api.nvim_buf_set_lines(sides.proposed, block.from, block.stop, false, block.lines)
      end
      vim.bo[sides.proposed].modified = modified
      sides.hash, sides.base = hash, now
      if vim.api.nvim_buf_is_valid(sides.current) then
        fill_read_only(sides.current, left_of(sides))
      end
      vim.cmd.diffupdate()
    end
    if done then
      done(changed, merged ~= nil)
    end
  end)
end

---@param sides editd.Sides
local function close_tab(sides)
  local win = vim.fn.win_findbuf(sides.proposed)[1]
  vim.bo[sides.proposed].modified = false
  if win and #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(win)))
  end
end

---@param sides editd.Sides
local function send(sides)
  local proposal = review.get(sides.id)
  if not proposal then
    message.show('this proposal is no longer pending; your text stays here', vim.log.levels.WARN)
    return
  end
  local content = compose.text({ lines = lines_in(sides.proposed), eol = sides.eol })
  local replace = { path = sides.file.path, baseHash = sides.hash, content = content }
  review.decide(proposal, { replace = { replace } }, function(err)
    if not err and vim.api.nvim_buf_is_valid(sides.proposed) then
      close_tab(sides)
    end
  end)
end

--- Applies the right side, unless the file differs from the left side that the user has seen.
---@param sides editd.Sides
local function save(sides)
  follow(sides, function(changed, merged)
    if not changed then
      send(sides)
    elseif merged then
      message.show('the file has changed and both sides are updated; :w again applies the right side', vim.log.levels.WARN)
    else
      message.show('the file has changed on the same lines; see the left side, :w again applies the right side', vim.log.levels.WARN)
    end
  end)
end

--- Cleans up after the right side was hidden: closes the left side, and deletes the right buffer unless it
--- has changes.
---@param sides editd.Sides
local function on_hidden(sides)
  local buf = sides.proposed
  if vim.api.nvim_buf_is_valid(buf) and #vim.fn.win_findbuf(buf) == 0 then
    if not vim.bo[buf].modified then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
    for _, win in ipairs(vim.api.nvim_buf_is_valid(sides.current) and vim.fn.win_findbuf(sides.current) or {}) do
      pcall(vim.api.nvim_win_close, win, true)
    end
  end
end

---@param sides editd.Sides
local function watch(sides)
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = sides.proposed,
    callback = function()
      save(sides)
    end,
  })
  vim.api.nvim_create_autocmd('BufEnter', {
    buffer = sides.proposed,
    callback = function()
      follow(sides)
    end,
  })
  vim.api.nvim_create_autocmd('BufHidden', {
    buffer = sides.proposed,
    callback = vim.schedule_wrap(function()
      on_hidden(sides)
    end),
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = sides.proposed,
    callback = function()
      opened[sides.proposed] = nil
    end,
  })
end

---@param sides editd.Sides
---@param proposal editd.Proposal
local function show(sides, proposal)
  viewed.note_file(proposal, sides.file)
  vim.cmd('tab split')
  if vim.api.nvim_buf_is_valid(sides.current) then
    vim.api.nvim_buf_delete(sides.current, { force = true })
  end
  sides.current = vim.api.nvim_create_buf(false, true)
  vim.bo[sides.current].bufhidden = 'wipe'
  local left, right = titles_of(proposal)
  vim.api.nvim_buf_set_name(sides.current, name_of(proposal, sides.file, left))
  fill_read_only(sides.current, left_of(sides))
  vim.api.nvim_win_set_buf(0, sides.current)
  decorate(sides.current, sides.file.path, left)
  vim.cmd('rightbelow vertical split')
  vim.api.nvim_win_set_buf(0, sides.proposed)
  decorate(sides.proposed, sides.file.path, right .. ' (:w applies this side)  ' .. hunks.title(proposal))
end

---@param proposal editd.Proposal
---@param file editd.File
---@param hash string|vim.NIL
local function open_new(proposal, file, hash)
  local composed = proposed(proposal, file)
  local buf = vim.api.nvim_create_buf(false, true)
  local _, right = titles_of(proposal)
  vim.api.nvim_buf_set_name(buf, name_of(proposal, file, right))
  scratch.fill(buf, composed.lines)
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modified = false
  vim.b[buf].auto_save = 0
  local sides = { id = proposal.id, file = file, current = -1, proposed = buf } ---@type editd.Sides
  sides.base, sides.hash, sides.eol = lines_of(file, hash), hash, composed.eol
  opened[buf] = sides
  show(sides, proposal)
  watch(sides)
  vim.cmd('normal! gg')
  pcall(vim.cmd, 'silent normal! ]c')
end

---@param proposal editd.Proposal
---@param file editd.File
---@return editd.Sides? # The open diff of this file.
local function sides_of(proposal, file)
  for _, sides in pairs(opened) do
    if sides.id == proposal.id and sides.file.path == file.path then
      return sides
    end
  end
end

--- Opens both sides, or goes to them. `:w` on the right applies its text; closing it postpones the decision.
---@param proposal editd.Proposal
---@param file editd.File
function M.open(proposal, file)
  local sides = sides_of(proposal, file)
  local win = sides and vim.fn.win_findbuf(sides.proposed)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  elseif sides then
    show(sides, proposal)
  else
    compose.hash(file, function(hash, err)
      if err then
        message.fail(err)
      elseif sides_of(proposal, file) then
        M.open(proposal, file)
      else
        open_new(proposal, file, hash)
      end
    end)
  end
end

return M
