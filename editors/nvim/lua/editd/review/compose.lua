--- Composes the text that results from applying some hunks of a proposal to a file.

local client = require('editd.client')
local document = require('editd.document')
local overlay = require('editd.review.overlay')

local M = {}

---@class editd.Composed
---@field lines string[]
---@field eol boolean

--- Returns the hunks of a file with their current rows, from top to bottom.
---@param buf integer
---@param proposal editd.Proposal
---@param file editd.File
---@return editd.At[]
local function locations(buf, proposal, file)
  return vim.tbl_filter(function(at)
    return at.shown.proposal.id == proposal.id and at.shown.file.path == file.path
  end, overlay.all(buf))
end

--- Returns the buffer text, with each hunk replaced for which `wanted` returns lines.
---@param buf integer
---@param proposal editd.Proposal
---@param file editd.File
---@param wanted fun(hunk: editd.Hunk): string[]?, boolean? Lines, and whether the last has no line ending, if that changes.
---@return editd.Composed
function M.with(buf, proposal, file, wanted)
  local now = document.is_empty(buf) and {} or vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local lines, row, eol = {}, 0, vim.bo[buf].endofline ---@type string[], integer, boolean
  for _, at in ipairs(locations(buf, proposal, file)) do
    local hunk = at.shown.hunk
    local new, no_end = wanted(hunk)
    if new then
      local insertion = #hunk.old == 0
      local first = insertion and (hunk.row == 0 and 0 or at.first + 1) or at.first
      local stop = insertion and first or at.last + 1
      vim.list_extend(lines, now, row + 1, first)
      vim.list_extend(lines, new)
      row = stop
      if stop >= #now and no_end ~= nil then
        eol = not no_end
      end
    end
  end
  vim.list_extend(lines, now, row + 1, #now)
  return { lines = lines, eol = eol }
end

--- Returns the lines of a hunk on the proposed side, including the user's edits. Returns nil, which keeps the
--- current text, for rejected and conflicted hunks. On this side of a landed change, rejected hunks are reverted.
---@param hunk editd.Hunk
---@return string[]? lines
---@return boolean? no_end
function M.proposed(hunk)
  if hunk.earlier then
    if hunk.draft or hunk.written then
      return hunk.draft or hunk.written
    elseif hunk.state == 'rejected' then
      return M.earlier(hunk)
    end
  elseif hunk.draft then
    return hunk.draft, hunk.no_end or false
  elseif hunk.state ~= 'rejected' and hunk.state ~= 'conflicted' then
    return hunk.written or hunk.new, hunk.no_end or false
  end
end

--- Returns the lines of a hunk before a landed change.
---@param hunk editd.Hunk
---@return string[]? lines
---@return boolean? no_end
function M.earlier(hunk)
  return hunk.earlier, hunk.no_end or false
end

---@param composed editd.Composed
---@return string
function M.text(composed)
  if #composed.lines == 0 then
    return ''
  end
  return table.concat(composed.lines, '\n') .. (composed.eol and '\n' or '')
end

--- Fetches the daemon's hash of the current content of a file; `vim.NIL` if the file is missing.
---@param file editd.File
---@param callback fun(hash?: string|vim.NIL, err?: lsp.ResponseError)
function M.hash(file, callback)
  client.request('editd/read', { uri = file.uri, limit = 1 }, function(err, result)
    if err and type(err.data) == 'table' and err.data.kind == 'missing' then
      callback(vim.NIL)
    else
      callback(result and result.hash, err)
    end
  end)
end

return M
