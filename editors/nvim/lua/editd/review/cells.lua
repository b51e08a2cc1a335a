--- Renders lines of text as virtual lines: expands tabs, shows control characters, wraps and pads to the
--- window.

local M = {}

---@alias editd.Chunk { [1]: string, [2]: string|string[] } Text and its highlight group, or stacked groups.

---@class editd.Room
---@field width integer Width of the text area in cells.
---@field wrap boolean
---@field tabstop integer

--- Returns the width of the line number column.
---@param buf integer
---@param win integer
---@return integer
local function number_width(buf, win)
  if not vim.wo[win].number and not vim.wo[win].relativenumber then
    return 0
  end
  return math.max(vim.wo[win].numberwidth, #tostring(vim.api.nvim_buf_line_count(buf)) + 1)
end

--- Returns the width of all columns before the text, including those that appear only with the next redraw.
---@param buf integer
---@param win integer
---@param with_signs boolean
---@return integer
local function text_offset(buf, win, with_signs)
  local now = vim.fn.getwininfo(win)[1].textoff
  if not with_signs or not vim.wo[win].signcolumn:match('^auto') then
    return math.max(now, number_width(buf, win))
  end
  local signs = vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { type = 'sign', limit = 1 })
  return math.max(#signs == 0 and now + 2 or now, number_width(buf, win) + 2)
end

--- Returns the room of a buffer in the narrowest of its windows in this tab page.
---@param buf integer
---@param with_signs boolean
---@return editd.Room
function M.room(buf, with_signs)
  local room = { width = vim.o.columns, wrap = true, tabstop = math.max(vim.bo[buf].tabstop, 1) }
  local wins = vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()
  end, vim.fn.win_findbuf(buf))
  for _, win in ipairs(wins) do
    local width = vim.api.nvim_win_get_width(win) - text_offset(buf, win, with_signs)
    room.width = math.max(math.min(room.width, width), 10)
    room.wrap = win == wins[1] and vim.wo[win].wrap or win ~= wins[1] and room.wrap
  end
  return room
end

---@param text string
---@return integer
function M.width(text)
  return text:find('[^ -~]') and vim.fn.strdisplaywidth(text) or #text
end

--- Characters that Neovim shows as nothing: some have no width, others change the direction of text.
local INVISIBLE = vim.regex([=[[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]]=])

--- Returns a text in which control characters and invisible characters are shown by their names.
---@param text string
---@return string
function M.visible(text)
  if not text:find('[%z\1-\31\127-\255]') then
    return text
  end
  local shown = vim.fn.strtrans(text)
  if not INVISIBLE:match_str(shown) then
    return shown
  end
  local out = {} ---@type string[]
  for _, char in ipairs(vim.fn.split(shown, '\\zs')) do
    -- An invisible character may be combined with the one before it.
    for _, code in ipairs(INVISIBLE:match_str(char) and vim.fn.str2list(char) or {}) do
      local one = vim.fn.nr2char(code, true)
      out[#out + 1] = INVISIBLE:match_str(one) and ('<%04x>'):format(code) or one
    end
    if not INVISIBLE:match_str(char) then
      out[#out + 1] = char
    end
  end
  return table.concat(out)
end

--- Renders a piece of a line that starts at a column.
---@param text string
---@param column integer
---@param tabstop integer
---@return string
---@return integer column Column after the piece.
local function rendered(text, column, tabstop)
  if not text:find('[^ -~]') then
    return text, column + #text
  end
  local out = {} ---@type string[]
  for piece, tab in text:gmatch('([^\t]*)(\t?)') do
    if piece ~= '' then
      local printable = M.visible(piece)
      out[#out + 1] = printable
      column = column + M.width(printable)
    end
    if tab ~= '' then
      local cells = tabstop - column % tabstop
      out[#out + 1] = (' '):rep(cells)
      column = column + cells
    end
  end
  return table.concat(out), column
end

--- Wraps chunks into rows of a width.
---@param chunks editd.Chunk[]
---@param width integer
---@return editd.Chunk[][]
local function wrapped(chunks, width)
  local rows, row, used = {}, {}, 0 ---@type editd.Chunk[][], editd.Chunk[], integer
  for _, chunk in ipairs(chunks) do
    local part = {} ---@type string[]
    for _, char in ipairs(vim.fn.split(chunk[1], '\\zs')) do
      local cells = M.width(char)
      if used + cells > width and used > 0 then
        row[#row + 1] = { table.concat(part), chunk[2] }
        rows[#rows + 1] = row
        row, part, used = {}, {}, 0
      end
      part[#part + 1] = char
      used = used + cells
    end
    row[#row + 1] = { table.concat(part), chunk[2] }
  end
  rows[#rows + 1] = row
  return rows
end

--- Returns the total width of chunks in cells.
---@param chunks editd.Chunk[]
---@return integer
function M.used_by(chunks)
  local used = 0
  for _, chunk in ipairs(chunks) do
    used = used + M.width(chunk[1])
  end
  return used
end

--- Renders a line as virtual lines, each as wide as the window.
---@param line string
---@param spans editd.Span[]? Emphasized parts.
---@param group string
---@param emphasis string
---@param room editd.Room
---@return editd.Chunk[][]
function M.rows(line, spans, group, emphasis, room)
  local chunks, column, from = {}, 0, 0 ---@type editd.Chunk[], integer, integer
  local function take(to, hl)
    if to > from then
      local text
      text, column = rendered(line:sub(from + 1, to), column, room.tabstop)
      chunks[#chunks + 1] = { text, hl }
      from = to
    end
  end
  for _, span in ipairs(spans or {}) do
    take(span[1], group)
    take(span[2], emphasis)
  end
  take(#line, group)
  local rows = room.wrap and column > room.width and wrapped(chunks, room.width) or { chunks }
  for _, row in ipairs(rows) do
    local rest = room.width - (rows[2] and M.used_by(row) or column)
    if rest > 0 then
      row[#row + 1] = { (' '):rep(rest), group }
    end
  end
  return rows
end

--- Puts a text at the end of a padded row, if there is room.
---@param row editd.Chunk[]
---@param text editd.Chunk[]
---@return boolean
function M.append(row, text)
  local padding = row[#row]
  local width = M.used_by(text)
  if not padding or not padding[1]:match('^ +$') or #padding[1] < width + 2 then
    return false
  end
  row[#row] = { padding[1]:sub(1, #padding[1] - width - 1), padding[2] }
  for _, chunk in ipairs(text) do
    row[#row + 1] = { chunk[1], { padding[2], chunk[2] } }
  end
  row[#row + 1] = { ' ', padding[2] }
  return true
end

return M
