--- Proposals and their hunks, built from the responses of the daemon.

local M = {}

---@alias editd.HunkKind 'text'|'create'|'delete'|'rename'|'encoding'|'binary'|'whole'|'link'|'folder'|'permissions'
---@alias editd.HunkState 'pending'|'accepted'|'rejected'|'edited'|'conflicted'

--- A syntax error that a change adds.
---@class editd.SyntaxError
---@field line integer Line of the text with all hunks that are not rejected, from 1.
---@field index? integer Index among the new lines of its hunk.
---@field text string Description, on one line.

---@class editd.Hunk
---@field id string
---@field kind editd.HunkKind
---@field before? string State of a link, a folder or permissions, in words.
---@field after? string
---@field state editd.HunkState
---@field row integer First of the current lines, 0-based; if there are none, the row that the hunk precedes.
---@field old string[] Current lines.
---@field new string[] Lines after the hunk is accepted.
---@field earlier? string[] Lines before a landed change, which come back if the hunk is rejected.
---@field no_end? boolean True if the new text, or the text before a landed change, has no final line ending.
---@field draft? string[] The user's replacement, not sent yet.
---@field written? string[] The user's replacement, already sent to the daemon.
---@field kept? string[] The user's replacement from before the text here changed.
---@field capped? boolean True if changed text of a long line is not shown.
---@field comments string[]
---@field errors editd.SyntaxError[] New syntax errors in the proposed lines.

---@class editd.File
---@field path string
---@field uri string
---@field action 'edit'|'create'|'delete'|'rename'
---@field executable boolean True if a new file is created executable.
---@field new_path? string
---@field hunks editd.Hunk[]
---@field warnings string[]
---@field errors editd.SyntaxError[] New syntax errors.
---@field tags string[]

---@class editd.Proposal
---@field id string
---@field revision integer
---@field state string
---@field author string
---@field label string
---@field landed boolean True if the change has been made already, so that the user keeps or reverts it.
---@field files editd.File[]

---@class editd.Run
---@field row integer
---@field old string[]
---@field new string[]
---@field no_end? boolean

---@param value any
---@return any # nil for JSON null.
local function non_null(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

--- Returns the runs of changed lines in a unified diff.
---@param diff string
---@return editd.Run[]
function M.runs(diff)
  local runs = {} ---@type editd.Run[]
  local run ---@type editd.Run?
  local row, old_left, new_left = 0, 0, 0
  for line in vim.gsplit(diff, '\n', { plain = true }) do
    local sign, text = line:sub(1, 1), line:sub(2)
    if old_left <= 0 and new_left <= 0 and sign ~= '\\' then
      local start, count, new_count = line:match('^@@ %-(%d+),?(%d*) %+%d+,?(%d*) @@')
      if start then
        old_left, new_left = tonumber(count) or 1, tonumber(new_count) or 1
        -- The header of a side without lines gives the number of the line before it.
        row = old_left == 0 and tonumber(start) or tonumber(start) - 1
        run = nil
      end
    elseif sign == '-' or sign == '+' then
      if not run then
        run = { row = row, old = {}, new = {} }
        runs[#runs + 1] = run
      end
      if sign == '-' then
        run.old[#run.old + 1] = text
        row, old_left = row + 1, old_left - 1
      else
        run.new[#run.new + 1] = text
        new_left = new_left - 1
      end
    elseif sign == '\\' then
      if run and #run.new > 0 and new_left <= 0 then
        run.no_end = true
      end
    else
      run = nil
      row, old_left, new_left = row + 1, old_left - 1, new_left - 1
    end
  end
  return runs
end

--- Splits a text into lines. A final line ending does not start another line.
---@param text string
---@return string[]
---@return boolean # True if the last line has no line ending.
function M.lines(text)
  if text == '' then
    return {}, false
  end
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
    return lines, false
  end
  return lines, true
end

--- Strips a trailing CR from each line: a buffer with CRLF line endings does not store it.
---@param lines string[]
---@return string[]
local function without_cr(lines)
  for index, line in ipairs(lines) do
    if line:byte(-1) == 13 then
      lines[index] = line:sub(1, -2)
    end
  end
  return lines
end

---@param file table
---@param index integer
---@param count integer
---@param of_text integer
---@return editd.HunkKind
local function kind_of(file, index, count, of_text)
  if file.action == 'create' or file.action == 'delete' then
    return file.action
  elseif file.action == 'rename' and index == 1 then
    return 'rename'
  end
  return count > of_text and of_text == 0 and 'encoding' or 'text'
end

--- Returns both sides of a hunk as lines, and whether the last lines have no line ending.
---@param hunk table As received.
---@param run editd.Run
local function sides_of(hunk, run)
  local old, new, no_end, old_no_end = run.old, run.new, run.no_end, nil
  if non_null(hunk.oldText) then
    old, old_no_end = M.lines(hunk.oldText)
  end
  if non_null(hunk.newText) then
    new, no_end = M.lines(hunk.newText)
  end
  return without_cr(old), without_cr(new), no_end, old_no_end
end

--- Makes a text from an agent safe to display: one line, no control characters.
---@param text string
---@return string
local function plain(text)
  return (text:gsub('%c+', ' '))
end

---@param file table As received.
---@return editd.SyntaxError[]
local function errors_of(file)
  return vim.tbl_map(function(error)
    local text = ('new syntax error in line %d: %s'):format(error.line, plain(error.excerpt))
    return { line = error.line, text = text }
  end, non_null(file.syntax) or {})
end

--- Returns the new syntax errors in the proposed lines of a hunk.
---@param errors editd.SyntaxError[] Those of the file.
---@param hunk table As received.
---@param kind editd.HunkKind
---@return editd.SyntaxError[]
local function errors_in(errors, hunk, kind)
  local start, count = hunk.newStart, hunk.newLines
  if kind == 'create' then
    start, count = 1, math.huge
  elseif kind ~= 'text' then
    return {}
  end
  local found = {} ---@type editd.SyntaxError[]
  for _, error in ipairs(errors) do
    if error.line >= start and error.line < start + count then
      found[#found + 1] = vim.tbl_extend('error', error, { index = error.line - start + 1 })
    end
  end
  return found
end

---@param file table As received.
---@param landed boolean
---@return editd.File
local function file_of(file, landed)
  local runs = M.runs(file.diff or '')
  local made = {
    path = file.path,
    uri = file.uri,
    action = file.action,
    executable = non_null(file.mode) ~= nil,
    new_path = non_null(file.newPath),
    hunks = {},
    warnings = non_null(file.warnings) or {},
    errors = errors_of(file),
    tags = non_null(file.tags) or {},
  }
  local next_run = 1
  for index, hunk in ipairs(file.hunks) do
    local kind = non_null(hunk.kind) or kind_of(file, index, #file.hunks, #runs)
    local run = { row = 0, old = {}, new = {} } ---@type editd.Run
    local before, after = non_null(hunk.before), non_null(hunk.after)
    if kind ~= 'rename' and kind ~= 'encoding' and kind ~= 'binary' and not before then
      run = runs[next_run] or run
      next_run = next_run + 1
    end
    local old, new, no_end, old_no_end = sides_of(hunk, run)
    local start, count = hunk.oldStart, hunk.oldLines
    if landed then
      start, count = hunk.newStart, hunk.newLines
    end
    made.hunks[index] = {
      id = hunk.id,
      kind = kind,
      state = hunk.state,
      row = kind ~= 'text' and 0 or count == 0 and start or start - 1,
      old = landed and new or old,
      new = new,
      earlier = landed and old or nil,
      no_end = landed and old_no_end or not landed and no_end or nil,
      comments = {},
      before = before and plain(before),
      after = after and plain(after),
      errors = landed and {} or errors_in(made.errors, hunk, kind),
    }
  end
  return made
end

--- Returns whether a proposal in this state waits for the user.
---@param state string
---@return boolean
function M.is_waiting(state)
  return state == 'pending' or state == 'landed'
end

--- Converts a response to `editd/proposal`.
---@param answer table
---@return editd.Proposal
function M.proposal(answer)
  local landed = answer.state == 'landed'
  return {
    id = answer.id,
    revision = answer.revision,
    state = answer.state,
    author = plain(answer.author),
    label = plain(non_null(answer.label) or ''),
    landed = landed,
    files = vim.tbl_map(function(file)
      return file_of(file, landed)
    end, answer.files),
  }
end

---@param proposal editd.Proposal
---@return string # For example `ada: Fix the sum`, or `ada ran make fix`.
function M.title(proposal)
  if proposal.landed then
    return ('%s ran %s'):format(proposal.author, proposal.label == '' and 'a command' or proposal.label)
  end
  return proposal.label == '' and proposal.author or ('%s: %s'):format(proposal.author, proposal.label)
end

---@param hunk editd.Hunk
---@return boolean
function M.is_open(hunk)
  return (hunk.state == 'pending' or hunk.state == 'conflicted') and hunk.draft == nil
end

--- Counts the hunks of a proposal and its undecided hunks.
---@param proposal editd.Proposal
---@return integer all
---@return integer open
function M.count(proposal)
  local all, open = 0, 0
  for _, file in ipairs(proposal.files) do
    for _, hunk in ipairs(file.hunks) do
      all = all + 1
      open = open + (M.is_open(hunk) and 1 or 0)
    end
  end
  return all, open
end

--- Finds the hunk with this id, and its file.
---@param proposal editd.Proposal
---@param id string
---@return editd.Hunk?
---@return editd.File?
function M.find(proposal, id)
  for _, file in ipairs(proposal.files) do
    for _, hunk in ipairs(file.hunks) do
      if hunk.id == id then
        return hunk, file
      end
    end
  end
end

--- Returns the resulting lines of a hunk: the user's replacement, else the proposed lines. Empty if only the
--- daemon has the user's replacement.
---@param hunk editd.Hunk
---@return string[]
function M.result(hunk)
  local own = hunk.draft or hunk.written or hunk.state == 'conflicted' and hunk.kept
  if own then
    return own
  end
  return hunk.state == 'edited' and {} or hunk.new
end

--- Returns the new syntax errors in the resulting lines of a hunk. The user's replacement is not checked.
---@param hunk editd.Hunk
---@return editd.SyntaxError[]
function M.errors(hunk)
  return hunk.state ~= 'rejected' and M.result(hunk) == hunk.new and hunk.errors or {}
end

--- Returns the lines with which the user starts to edit a hunk.
---@param hunk editd.Hunk
---@return string[]
function M.initial_draft(hunk)
  return hunk.draft or hunk.kept or hunk.written or hunk.new
end

--- Carries the user's replacement over from the previous version of a hunk.
---@param old editd.Hunk
---@param now editd.Hunk
function M.carry_over_edits(old, now)
  local own = old.draft or old.kept or old.written
  if now.state == 'edited' then
    now.written = own
  elseif now.state == 'pending' then
    now.draft = own
  elseif old.state == now.state and vim.deep_equal(old.old, now.old) then
    now.draft, now.kept = old.draft, old.kept
  else
    now.kept = own
  end
end

--- Returns the size of a hunk, such as `+2 -1`.
---@param hunk editd.Hunk
---@return string
function M.size(hunk)
  local new, old = M.result(hunk), hunk.earlier or hunk.old
  if #old == 0 then
    return ('+%d'):format(#new)
  elseif #new == 0 then
    return ('-%d'):format(#old)
  end
  return ('+%d -%d'):format(#new, #old)
end

return M
