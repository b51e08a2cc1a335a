--- Public API for other plugins and the user's configuration.

local M = {}

--- Sets options. Optional: the defaults apply without it, and `vim.g.editd` is equivalent.
---@param options? editd.Options
function M.setup(options)
  require('editd.config').set(options)
  if not require('editd.support').ok() then
    return
  end
  if vim.v.vim_did_enter == 1 then
    require('editd.review.keys').define()
    M.attach(vim.api.nvim_get_current_buf())
  end
end

--- Attaches a buffer, unless `autostart` is off.
---@param buf integer
function M.attach(buf)
  if vim.bo[buf].buftype ~= '' or vim.api.nvim_buf_get_name(buf) == '' then
    return
  end
  if require('editd.support').ok() and require('editd.config').get().autostart then
    require('editd.client').attach(buf)
  end
end

---@class editd.Edit
---@field oldText string
---@field newText string
---@field replaceAll? boolean
---@field expectedReplacements? integer

---@class editd.Outcome
---@field id string
---@field state 'applied'|'partial'|'rejected'|'superseded'|'discarded'|'stale'|'failed'
---@field files table[] As in the response to `editd/apply`.
---@field userEdits? { path: string, diff: string }[]
---@field comments? { path?: string, hunk?: string, text: string }[]

---@class editd.Propose
---@field path string
---@field edits editd.Edit[]
---@field label? string
---@field author? string
---@field review? boolean If true, the user must decide. Default true.
---@field base_hash? string Hash of the text that the edits apply to. Default: the current text.
---@field on_done? fun(outcome?: editd.Outcome, err?: lsp.ResponseError)

---@param options editd.Propose
local function send(options, base_hash)
  local client = require('editd.client')
  local done = options.on_done or function() end
  client.request('editd/edit', {
    path = vim.fs.normalize(vim.fn.fnamemodify(options.path, ':p')),
    baseHash = base_hash,
    edits = options.edits,
    label = options.label,
    author = options.author,
    review = options.review ~= false or nil,
  }, function(err, result)
    if err then
      done(nil, err)
    elseif result.state == 'pending' then
      require('editd.review').await(result.id, done)
      require('editd.review').refresh(result.id)
    else
      done(result)
    end
  end)
end

--- Proposes edits to a file, as an agent would. The user reviews them like any others.
---@param options editd.Propose
function M.propose(options)
  vim.validate('path', options.path, 'string')
  vim.validate('edits', options.edits, 'table')
  vim.validate('on_done', options.on_done, 'function', true)
  if options.base_hash then
    send(options, options.base_hash)
    return
  end
  local path = vim.fs.normalize(vim.fn.fnamemodify(options.path, ':p'))
  require('editd.client').request('editd/read', { path = path, limit = 1 }, function(err, result)
    if err then
      local done = options.on_done or function() end
      done(nil, err)
    else
      send(options, result.hash)
    end
  end)
end

---@class editd.Pending
---@field id string
---@field author string
---@field label string
---@field files string[]
---@field hunks integer
---@field undecided integer

--- Returns the pending proposals, oldest first.
---@return editd.Pending[]
function M.pending()
  local hunks = require('editd.hunks')
  return vim.tbl_map(function(proposal)
    local all, open = hunks.count(proposal)
    return {
      id = proposal.id,
      author = proposal.author,
      label = proposal.label,
      files = vim.tbl_map(function(file)
        return file.path
      end, proposal.files),
      hunks = all,
      undecided = open,
    }
  end, require('editd.review').pending())
end

---@param name string
---@return fun(argument?: any)
local function action(name)
  return function(argument)
    require('editd.review.actions')[name](argument)
  end
end

--- Accept or reject the hunk under the cursor, or all hunks in a range of 0-based rows.
M.accept = action('accept') ---@type fun(range?: editd.Range)
M.reject = action('reject') ---@type fun(range?: editd.Range)
--- Accept or reject a whole proposal.
M.accept_all = action('accept_all') ---@type fun(id?: string)
M.reject_all = action('reject_all') ---@type fun(id?: string)
M.review = action('review') ---@type fun(id?: string)
M.comment = action('comment') ---@type fun(text?: string)
M.edit = action('edit') ---@type fun()
M.diff = action('diff') ---@type fun()
M.list = action('list') ---@type fun()

function M.next()
  require('editd.review.actions').go(1)
end

function M.prev()
  require('editd.review.actions').go(-1)
end

--- Returns a text for the statusline: empty without a connection, else `editd` and the number of undecided
--- hunks, if any.
---@return string
function M.status()
  if not package.loaded['editd.client'] then
    return ''
  end
  local state = require('editd.client').state()
  if state == 'off' then
    return ''
  elseif state == 'connecting' then
    return 'editd …'
  end
  local open = 0
  for _, proposal in ipairs(M.pending()) do
    open = open + proposal.undecided
  end
  return open > 0 and ('editd %d'):format(open) or 'editd'
end

return M
