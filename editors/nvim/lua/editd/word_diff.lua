--- Finds the changed words of a line.

local M = {}

--- Maximum length of a line, in bytes; longer ones are not compared by words.
local MAX_LINE = 1000
--- Minimum share of common bytes; less similar lines are not compared by words.
local MIN_SIMILARITY = 0.3

---@type fun(a: string, b: string, options: table): any
local diff = vim.text and vim.text.diff or vim.diff

---@param line string
---@return string joined One word per line.
---@return integer[] starts Offset of each word, 0-based.
local function words(line)
  local parts, starts = {}, {} ---@type string[], integer[]
  local at, length = 1, #line
  while at <= length do
    local _, stop = line:find('^[%w_\128-\255]+', at)
    if not stop then
      _, stop = line:find('^%s+', at)
    end
    stop = stop or at
    parts[#parts + 1] = line:sub(at, stop)
    starts[#starts + 1] = at - 1
    at = stop + 1
  end
  starts[#starts + 1] = length
  return table.concat(parts, '\n') .. '\n', starts
end

---@alias editd.Span { [1]: integer, [2]: integer } Byte offsets, 0-based, end-exclusive.

---@param spans editd.Span[]
---@param from integer
---@param to integer
local function add(spans, from, to)
  local last = spans[#spans]
  if last and last[2] == from then
    last[2] = to
  elseif to > from then
    spans[#spans + 1] = { from, to }
  end
end

--- Returns the spans in which two lines differ; nil if they have little in common.
---@param old string
---@param new string
---@return editd.Span[]? old
---@return editd.Span[]? new
function M.differences(old, new)
  if old == '' or new == '' or #old > MAX_LINE or #new > MAX_LINE then
    return nil
  end
  local old_words, old_starts = words(old)
  local new_words, new_starts = words(new)
  local in_old, in_new = {}, {} ---@type editd.Span[], editd.Span[]
  local changed = 0
  for _, block in ipairs(diff(old_words, new_words, { result_type = 'indices' })) do
    local from, count, new_from, new_count = unpack(block)
    if count > 0 then
      add(in_old, old_starts[from], old_starts[from + count])
      changed = changed + old_starts[from + count] - old_starts[from]
    end
    if new_count > 0 then
      add(in_new, new_starts[new_from], new_starts[new_from + new_count])
      changed = changed + new_starts[new_from + new_count] - new_starts[new_from]
    end
  end
  if 1 - changed / (#old + #new) < MIN_SIMILARITY then
    return nil
  end
  return in_old, in_new
end

--- Maximum length of two lines together, in bytes, whose words are compared. Of longer ones, the common start and
--- end are found.
local MAX_WORDS = 400 * 1000

---@param old string
---@param new string
---@return editd.Span[] old
---@return editd.Span[] new
local function between_common_ends(old, new)
  local shorter = math.min(#old, #new)
  local start = 0
  while start < shorter and old:byte(start + 1) == new:byte(start + 1) do
    start = start + 1
  end
  start = start < #old and start + vim.str_utf_start(old, start + 1) or start
  local stop = 0
  while stop < shorter - start and old:byte(#old - stop) == new:byte(#new - stop) do
    stop = stop + 1
  end
  stop = stop > 0 and stop + vim.str_utf_start(old, #old - stop + 1) or stop
  return { { start, #old - stop } }, { { start, #new - stop } }
end

--- Returns the spans in which two lines differ, however long and different they are. Where only one line has text,
--- the other one has an empty span.
---@param old string
---@param new string
---@return editd.Span[] old
---@return editd.Span[] new
function M.all_differences(old, new)
  if #old + #new > MAX_WORDS then
    return between_common_ends(old, new)
  end
  local old_words, old_starts = words(old)
  local new_words, new_starts = words(new)
  local in_old, in_new = {}, {} ---@type editd.Span[], editd.Span[]
  ---@param starts integer[]
  ---@param from integer
  ---@param count integer
  ---@return editd.Span
  local function span(starts, from, count)
    -- Without words, the span is after the word `from`.
    local first = count > 0 and from or from + 1
    return { starts[first], starts[first + count] }
  end
  for _, block in ipairs(diff(old_words, new_words, { result_type = 'indices' })) do
    in_old[#in_old + 1] = span(old_starts, block[1], block[2])
    in_new[#in_new + 1] = span(new_starts, block[3], block[4])
  end
  return in_old, in_new
end

return M
