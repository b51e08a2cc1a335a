--- Handles `editd/applyEdits`: edits all documents or none, each in a separate undo step.

local client = require('editd.client')
local document = require('editd.document')
local position = require('editd.position')
local views = require('editd.views')
local wire = require('editd.wire')

local M = {}

---@class editd.DocumentEdits
---@field uri string
---@field version integer
---@field baseHash string|vim.NIL
---@field edits lsp.TextEdit[]

---@class editd.ApplyParams
---@field id string
---@field label? string
---@field documents editd.DocumentEdits[]

---@class editd.Job
---@field buf integer
---@field uri string URI as sent to the daemon.
---@field sent editd.Sent
---@field changes editd.Change[]
---@field views editd.View[]
---@field state? integer Position in the undo tree before the edit.
---@field lines? string[] Lines before the edit, for a buffer without undo.
---@field modified boolean
---@field eol boolean

--- Returns the reason why this buffer cannot be edited, or nil.
---@param buf integer
---@return string?
local function blocked_reason(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return 'is not loaded'
  elseif not vim.bo[buf].modifiable then
    return "is not 'modifiable'"
  elseif vim.bo[buf].readonly then
    return "is 'readonly'"
  elseif vim.bo[buf].buftype ~= '' then
    return ('has the buftype %s'):format(vim.bo[buf].buftype)
  end
end

--- Validates the request for one document and computes its changes.
---@param wanted editd.DocumentEdits
---@param encoding string
---@return editd.Job? job
---@return string? reason
local function prepare(wanted, encoding)
  local sent, uri = wire.find(wanted.uri)
  local name = vim.fs.basename(vim.uri_to_fname(wanted.uri))
  if not sent then
    return nil, ('%s is not open'):format(name)
  end
  local reason = blocked_reason(sent.buf)
  if reason then
    return nil, ('%s %s'):format(name, reason)
  elseif wanted.version ~= sent.version then
    return nil, ('%s is at version %d, not %s'):format(name, sent.version, tostring(wanted.version))
  end
  local hash = type(wanted.baseHash) == 'string' and document.hash(sent.buf)
  if hash and hash ~= wanted.baseHash then
    -- The versions match but the texts differ: the daemon's copy is corrupt, so send the whole text again.
    vim.schedule(function()
      require('editd.disk').resend(sent.buf)
    end)
    return nil, ('%s does not have the expected text (its hash is %s)'):format(name, hash)
  end
  local changes, problem = position.changes(sent.buf, wanted.edits, encoding, sent.lines_differ)
  if not changes then
    return nil, ('%s: %s'):format(name, problem)
  end
  return {
    buf = sent.buf,
    uri = uri,
    sent = sent,
    changes = changes,
    views = {},
    modified = vim.bo[sent.buf].modified,
    eol = vim.bo[sent.buf].endofline,
  }
end

--- Closes the current undo step, including in the middle of Insert mode.
---@param buf integer
local function break_undo(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

---@param buf integer
---@return integer
local function undo_state(buf)
  return vim.api.nvim_buf_call(buf, vim.fn.undotree).seq_cur
end

---@param job editd.Job
local function perform(job)
  local buf = job.buf
  for index = #job.changes, 1, -1 do
    local change = job.changes[index]
    if change.empties then
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, {})
    else
      local start, stop = change.start, change.stop
      vim.api.nvim_buf_set_text(buf, start.row, start.col, stop.row, stop.col, change.lines)
    end
    if change.eol ~= nil and change.eol ~= vim.bo[buf].endofline then
      vim.bo[buf].endofline = change.eol
    end
  end
end

--- Rolls back a complete or partial change of a buffer.
---@param job editd.Job
local function roll_back(job)
  local restored
  if job.lines then
    restored = pcall(vim.api.nvim_buf_set_lines, job.buf, 0, -1, true, job.lines)
  else
    break_undo(job.buf)
    vim.api.nvim_buf_call(job.buf, function()
      restored = pcall(vim.cmd, ('silent noautocmd undo %d'):format(job.state))
    end)
  end
  vim.bo[job.buf].endofline = job.eol
  -- A buffer that could not be restored must not appear as saved.
  vim.bo[job.buf].modified = job.modified or not restored
  views.restore(job.buf, job.views)
end

--- Returns whether undo is enabled for the buffer. A buffer without a local 'undolevels' has a large negative
--- value.
---@param buf integer
---@return boolean
local function has_undo(buf)
  local own = vim.bo[buf].undolevels
  return (own < -1 and vim.go.undolevels or own) > 0
end

---@param jobs editd.Job[]
---@return string? reason Why no buffer was changed.
local function perform_all(jobs)
  for index, job in ipairs(jobs) do
    job.views = views.save(job.buf)
    break_undo(job.buf)
    job.state = undo_state(job.buf)
    if not has_undo(job.buf) then
      job.lines = vim.api.nvim_buf_get_lines(job.buf, 0, -1, true)
    end
    local ok, err = pcall(perform, job)
    if not ok then
      for previous = index, 1, -1 do
        roll_back(jobs[previous])
      end
      return tostring(err):gsub('^.-:%d+: ', '')
    end
    break_undo(job.buf)
    views.restore(job.buf, job.views)
  end
end

---@param reason string
---@param jobs? editd.Job[]
---@return table
local function refused(reason, jobs)
  local documents = {} ---@type editd.DocumentState[]
  for _, job in ipairs(jobs or {}) do
    documents[#documents + 1] = document.describe(job.buf, job.uri, job.sent.version)
  end
  return { applied = false, reason = reason, documents = documents }
end

--- Handles an `editd/applyEdits` request.
---@param params editd.ApplyParams
---@return table
function M.handle(params)
  local encoding = client.get().offset_encoding
  local jobs = {} ---@type editd.Job[]
  for _, wanted in ipairs(params.documents) do
    local job, reason = prepare(wanted, encoding)
    if not job then
      return refused(reason or '')
    end
    jobs[#jobs + 1] = job
  end
  local reason = perform_all(jobs)
  if reason then
    return refused(reason, jobs)
  end
  local documents = {} ---@type editd.DocumentState[]
  for _, job in ipairs(jobs) do
    require('editd.disk').resend_if_needed(job.buf)
    local _, sent = wire.uri_of(job.buf)
    documents[#documents + 1] = document.describe(job.buf, job.uri, (sent or job.sent).version)
  end
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'EditdApplied',
    modeline = false,
    data = { id = params.id, label = params.label, documents = documents },
  })
  return { applied = true, documents = documents }
end

return M
