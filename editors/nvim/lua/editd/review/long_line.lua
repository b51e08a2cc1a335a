--- Long lines in a review: the changed parts with their surroundings. Only unchanged text is left out.

local word_diff = require('editd.word_diff')

local M = {}

--- Length of a line, in bytes, up to which it is shown whole.
M.WHOLE = 1000
--- Unchanged text that is shown on each side of a change, in bytes.
local AROUND = 80
--- Changed text that is shown of a line that is all new, in bytes.
local MAX_CHANGED = 1000

---@class editd.Excerpt
---@field text string
---@field spans editd.Span[] Changed parts of the text.
---@field capped boolean True if changed text is left out.

---@param line string
---@return boolean
function M.is_long(line)
  return #line > M.WHOLE
end

--- Returns whether a hunk has a long line on any side.
---@param hunk editd.Hunk
---@return boolean
function M.has_long(hunk)
  for _, lines in ipairs({ hunk.old, hunk.new, hunk.earlier or {} }) do
    if vim.iter(lines):any(M.is_long) then
      return true
    end
  end
  return false
end

--- Moves an offset to the start of its character.
---@param line string
---@param offset integer
---@return integer
local function boundary(line, offset)
  if offset <= 0 then
    return 0
  elseif offset >= #line then
    return #line
  end
  return offset + vim.str_utf_start(line, offset + 1)
end

---@param line string
---@param from integer
---@param to integer
---@return string
local function omitted(line, from, to)
  return ('…%d characters…'):format(vim.fn.strchars(line:sub(from + 1, to)))
end

--- Returns the parts of a line around its changes.
---@param line string
---@param spans editd.Span[] Changed parts. An empty one is a place where the other side has more text.
---@return editd.Excerpt
function M.excerpt(line, spans)
  local pieces, marked, length, at, capped = {}, {}, 0, 0, false ---@type string[], editd.Span[], integer, integer, boolean
  ---@param text string
  local function add(text)
    pieces[#pieces + 1] = text
    length = length + #text
  end
  ---@param from integer
  ---@param to integer
  local function show(from, to)
    if from - at > AROUND / 4 then
      add(omitted(line, at, from))
    else
      from = at
    end
    add(line:sub(from + 1, to))
    at = to
  end
  for index, span in ipairs(spans) do
    local stop = boundary(line, math.min(span[2], span[1] + MAX_CHANGED))
    capped = capped or stop < span[2]
    local from = math.max(boundary(line, span[1] - AROUND), at)
    local next_start = spans[index + 1] and boundary(line, spans[index + 1][1]) or #line
    show(from, math.max(span[1], from))
    local start = length
    add(line:sub(at + 1, stop))
    at = math.max(stop, at)
    marked[#marked + 1] = { start, length }
    if stop < span[2] then
      add(omitted(line, stop, span[2]))
      at = span[2]
    end
    local rest = math.min(boundary(line, at + AROUND), next_start)
    if rest > at then
      add(line:sub(at + 1, rest))
      at = rest
    end
  end
  if at < #line then
    add(omitted(line, at, #line))
  end
  return { text = table.concat(pieces), spans = marked, capped = capped }
end

--- Returns the excerpts of two versions of a line. Without a counterpart, all of a line is changed.
---@param old? string
---@param new? string
---@return editd.Excerpt? old
---@return editd.Excerpt? new
function M.pair(old, new)
  local in_old, in_new ---@type editd.Span[], editd.Span[]
  if old and new then
    in_old, in_new = word_diff.all_differences(old, new)
  else
    in_old, in_new = { { 0, #(old or '') } }, { { 0, #(new or '') } }
  end
  return old and M.excerpt(old, in_old), new and M.excerpt(new, in_new)
end

return M
