--- Converts LSP edits to positions in a buffer.

local document = require('editd.document')

local M = {}

---@class editd.BufferPosition
---@field row integer 0-based.
---@field col integer Byte offset.

--- A replacement in buffer positions.
---@class editd.Change
---@field start editd.BufferPosition
---@field stop editd.BufferPosition
---@field lines string[]
---@field eol? boolean New value of 'endofline'; nil if unchanged.
---@field empties? boolean True if the buffer is empty afterwards.

--- Converts an LSP position in a buffer whose lines LSP counts like Neovim. A position after the final line
--- ending becomes the row after the last one.
---@param buf integer
---@param position lsp.Position
---@param encoding string
---@return editd.BufferPosition?
local function by_line(buf, position, encoding)
  local count = vim.api.nvim_buf_line_count(buf)
  local row = position.line
  if row == count and position.character == 0 and vim.bo[buf].endofline then
    return { row = row, col = 0 }
  elseif row >= count then
    return nil
  end
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  if encoding == 'utf-8' then
    return position.character <= #line and { row = row, col = position.character } or nil
  end
  local ok, col = pcall(vim.str_byteindex, line, encoding, position.character, true)
  return ok and { row = row, col = col } or nil
end

--- Converts an LSP position in a buffer whose lines LSP counts like Neovim; nil if it is outside the text.
---@param buf integer
---@param position lsp.Position
---@param encoding string
---@return editd.BufferPosition?
function M.of(buf, position, encoding)
  return by_line(buf, position, encoding)
end

--- Returns the start offsets of lines as LSP counts them: they end at LF, CRLF and CR.
---@param text string
---@return integer[] # 0-based.
local function lsp_lines(text)
  local starts = { 0 }
  local from = 1
  while true do
    local at = text:find('[\r\n]', from)
    if not at then
      return starts
    end
    from = text:sub(at, at + 1) == '\r\n' and at + 2 or at + 1
    starts[#starts + 1] = from - 1
  end
end

--- Returns the start offsets of lines as Neovim counts them.
---@param text string
---@param line_end string
---@return integer[] # 0-based.
local function nvim_lines(text, line_end)
  local starts = { 0 }
  local from = 1
  while true do
    local _, stop = text:find(line_end, from, true)
    if not stop then
      return starts
    end
    from = stop + 1
    starts[#starts + 1] = stop
  end
end

--- Returns a converter of LSP positions for a buffer whose lines LSP counts differently.
---@param buf integer
---@param encoding string
---@return fun(position: lsp.Position): editd.BufferPosition?
local function by_offset(buf, encoding)
  local text = document.text(buf)
  local lsp_starts, nvim_starts = lsp_lines(text), nvim_lines(text, document.line_end(buf))
  return function(position)
    local start = lsp_starts[position.line + 1]
    if not start then
      return nil
    end
    local stop = lsp_starts[position.line + 2] or #text
    local line = text:sub(start + 1, stop):gsub('[\r\n]+$', '')
    local col = position.character
    if encoding ~= 'utf-8' then
      local ok, at = pcall(vim.str_byteindex, line, encoding, col, true)
      if not ok then
        return nil
      end
      col = at
    end
    if col > #line then
      return nil
    end
    local offset = start + col
    local low, high = 1, #nvim_starts
    while low < high do
      local middle = math.ceil((low + high) / 2)
      if nvim_starts[middle] <= offset then
        low = middle
      else
        high = middle - 1
      end
    end
    return { row = low - 1, col = offset - nvim_starts[low] }
  end
end

---@param buf integer
---@return editd.BufferPosition
local function last_position(buf)
  local row = vim.api.nvim_buf_line_count(buf) - 1
  return { row = row, col = #vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] }
end

--- Converts a replacement that reaches the end of the text. The final line ending is not part of any buffer
--- line.
---@param buf integer
---@param start editd.BufferPosition
---@param new_text string
---@param line_end string
---@return editd.Change
local function at_end(buf, start, new_text, line_end)
  local last = last_position(buf)
  local after_end = start.row > last.row
  local at_line_start = start.col == 0
  if document.is_empty(buf) then
    start, after_end = { row = 0, col = 0 }, false
  end
  if new_text == '' and at_line_start and not after_end then
    if start.row == 0 then
      return { start = start, stop = last, lines = {}, empties = true }
    end
    local before = vim.api.nvim_buf_get_lines(buf, start.row - 1, start.row, false)[1]
    start = { row = start.row - 1, col = #before }
    return { start = start, stop = last, lines = { '' }, eol = true }
  end
  local ends = vim.endswith(new_text, line_end)
  local body = ends and new_text:sub(1, -#line_end - 1) or new_text
  local lines = vim.split(body, line_end, { plain = true })
  if after_end then
    start = last
    table.insert(lines, 1, '')
  end
  return { start = start, stop = last, lines = lines, eol = ends }
end

--- Converts LSP edits to buffer changes in the same order, or returns the reason why that is impossible.
---@param buf integer
---@param edits lsp.TextEdit[]
---@param encoding string
---@param lines_differ boolean True if LSP counts the lines of this buffer differently than Neovim.
---@return editd.Change[]? changes
---@return string? reason
function M.changes(buf, edits, encoding, lines_differ)
  local convert = lines_differ and by_offset(buf, encoding) or function(position)
    return by_line(buf, position, encoding)
  end
  local line_end = document.line_end(buf)
  local last = last_position(buf)
  local has_end = vim.bo[buf].endofline and not document.is_empty(buf)
  local changes = {} ---@type editd.Change[]
  for index, edit in ipairs(edits) do
    local start, stop = convert(edit.range.start), convert(edit.range['end'])
    if not start or not stop then
      return nil, ('edit %d is outside the text'):format(index - 1)
    end
    local bare = edit.newText:gsub(line_end, '')
    if line_end ~= '\n' and bare:find('\n', 1, true) then
      return nil, "the buffer's 'fileformat' cannot represent the line endings of the new text"
    end
    local to_end = stop.row > last.row or (not has_end and stop.row == last.row and stop.col == last.col)
    if to_end then
      changes[index] = at_end(buf, start, edit.newText, line_end)
    else
      changes[index] =
        { start = start, stop = stop, lines = vim.split(edit.newText, line_end, { plain = true }) }
    end
  end
  return changes
end

return M
