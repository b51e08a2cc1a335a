--- Previews of files that are created, deleted or renamed.

local colors = require('editd.review.colors')
local hunks = require('editd.hunks')
local keys = require('editd.review.keys')
local message = require('editd.message')
local overlay_draw = require('editd.review.draw')
local scratch = require('editd.review.scratch')
local viewed = require('editd.review.viewed')

local M = {}

local namespace = vim.api.nvim_create_namespace('editd.review.preview')

--- Describes a hunk in a sentence.
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
---@return string
function M.sentence(proposal, file, hunk)
  local name = vim.fn.fnamemodify(file.path, ':~:.')
  if proposal.landed then
    local made = {
      create = ('created %s (%s%s)'):format(name, file.executable and 'executable, ' or '', message.count(#hunk.new, 'line')),
      delete = ('deleted %s (%s)'):format(name, message.count(#hunk.earlier, 'line')),
      encoding = ('written %s in another encoding'):format(name),
      binary = ('changed the binary file %s'):format(name),
    }
    return ('%s has %s'):format(proposal.author, made[hunk.kind] or ('changed %s'):format(name))
  end
  local actions = {
    create = ('create %s (%s%s)'):format(name, file.executable and 'executable, ' or '', message.count(#hunk.new, 'line')),
    delete = ('delete %s (%s)'):format(name, message.count(#hunk.old, 'line')),
    rename = ('rename %s to %s'):format(name, vim.fn.fnamemodify(file.new_path or '', ':~:.')),
    encoding = ('write %s in another encoding'):format(name),
  }
  return ('%s wants to %s'):format(proposal.author, actions[hunk.kind] or ('change %s'):format(name))
end

--- Effects of the keys, for accept and reject.
local effects = {
  proposed = { '%s accepts, %s rejects', "conflict, the file has changed: %s takes the agent's, %s keeps yours" },
  landed = { '%s keeps it, %s reverts it', 'conflict, the file has changed: %s keeps yours, %s restores what was there' },
}

--- Number of lines above the preview.
local HEAD = 2

--- Shows the lines above the preview.
---@param buf integer
local function reveal_head(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    overlay_draw.make_room_on_top(win, HEAD)
  end
end

---@param buf integer
---@param head string
---@param conflict boolean
---@param landed boolean
local function draw(buf, head, group, keep, conflict, landed)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  local words = effects[landed and 'landed' or 'proposed'][conflict and 2 or 1]
  local how = words:format(keys.reach(buf, 'accept'), keys.reach(buf, 'reject'))
  vim.api.nvim_buf_set_extmark(buf, namespace, 0, 0, {
    virt_lines = { { { head, 'EditdHintKey' } }, { { how, conflict and 'EditdSignConflicted' or 'EditdHint' } } },
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
  reveal_head(buf)
end

---@param buf integer
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
local function fill(buf, proposal, file, hunk)
  local lines = hunk.kind == 'create' and hunk.new or hunk.earlier or hunk.old
  if hunk.before then
    lines = { 'before: ' .. hunk.before, 'after:  ' .. hunk.after }
  end
  vim.bo[buf].modifiable = true
  scratch.fill(buf, lines)
  vim.bo[buf].modifiable = false
  vim.b[buf].editd_hunk = { id = proposal.id, hunk = hunk.id, state = hunk.state }
  local group = hunk.kind == 'create' and 'EditdAdd' or 'EditdDelete'
  draw(buf, M.sentence(proposal, file, hunk), group, #lines > 0 and not hunk.before, hunk.state == 'conflicted', proposal.landed)
  for _, error in ipairs(hunks.errors(hunk)) do
    vim.api.nvim_buf_set_extmark(buf, namespace, error.index - 1, 0, {
      virt_text = { { 'new syntax error', 'EditdSyntaxError' } },
      strict = false,
    })
  end
end

--- Returns the name of the preview of a hunk. There is no file with this name, and none appears when the hunk is
--- accepted.
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
---@return string
function M.name(proposal, file, hunk)
  return ('editd://%s/%s%s'):format(proposal.id, hunk.id, file.path)
end

---@param buf integer
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
local function show(buf, proposal, file, hunk)
  colors.define()
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'unload'
  vim.bo[buf].swapfile = false
  vim.bo[buf].buflisted = false
  local filetype = vim.filetype.match({ filename = file.path, buf = buf })
  if filetype then
    vim.bo[buf].syntax = filetype
  end
  keys.make(buf)
  viewed.note(proposal, hunk)
  fill(buf, proposal, file, hunk)
end

--- Opens the preview of a hunk that affects a whole file.
---@param proposal editd.Proposal
---@param file editd.File
---@param hunk editd.Hunk
function M.open(proposal, file, hunk)
  local buf = vim.fn.bufadd(M.name(proposal, file, hunk))
  require('editd.review.go').show_buffer(buf)
  show(buf, proposal, file, hunk)
end

--- Fills a buffer that was opened by the name of a preview, for example from the quickfix list.
---@param buf integer
---@param find fun(id: string): editd.Proposal?
function M.read(buf, find)
  local id, hunk_id = vim.api.nvim_buf_get_name(buf):match('^editd://([^/]+)/(h%d+)/')
  local proposal = id and find(id)
  local hunk, file
  if proposal then
    hunk, file = hunks.find(proposal, hunk_id)
  end
  if proposal and hunk and file and hunk.kind ~= 'text' then
    show(buf, proposal, file, hunk)
    -- The window shows the buffer only after this event.
    vim.schedule(function()
      reveal_head(buf)
    end)
  else
    vim.bo[buf].buftype = 'nofile'
    message.show('this change is no longer pending', vim.log.levels.WARN)
  end
end

--- Returns the displayed state of a hunk, if the current buffer is its preview.
---@param id string
---@param hunk string
---@return editd.HunkState?
function M.state(id, hunk)
  local shown = vim.b.editd_hunk
  return shown and shown.id == id and shown.hunk == hunk and shown.state or nil
end

--- Refreshes the current buffer, if it is a preview of this proposal.
---@param proposal editd.Proposal
function M.refresh(proposal)
  local shown = vim.b.editd_hunk
  if shown and shown.id == proposal.id then
    local hunk, file = hunks.find(proposal, shown.hunk)
    if hunk and file then
      fill(vim.api.nvim_get_current_buf(), proposal, file, hunk)
    end
  end
end

--- Closes the previews of decided hunks.
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
        -- An entry of the quickfix list may still name it.
        pcall(vim.api.nvim_buf_delete, buf, { force = true, unload = true })
      end
    end
  end
end

return M
