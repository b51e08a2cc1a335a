--- Three-way merge of non-overlapping changes.
---
--- The text that the user writes over the proposed side exists only in this buffer until it is sent. The merge
--- runs here and at once, because after a round trip to the daemon the user could have typed more.

local M = {}

---@type fun(a: string, b: string, options: table): any
local diff = vim.text and vim.text.diff or vim.diff

---@class editd.Block
---@field from integer First replaced row, 0-based.
---@field stop integer Row after the last replaced one.
---@field lines string[]

---@param lines string[]
---@return string
local function joined(lines)
  return #lines == 0 and '' or table.concat(lines, '\n') .. '\n'
end

---@param base string[]
---@param now string[]
---@return editd.Block[]
local function blocks(base, now)
  return vim.tbl_map(function(block)
    local start, count, new_start, new_count = unpack(block)
    local from = count == 0 and start or start - 1
    return { from = from, stop = from + count, lines = vim.list_slice(now, new_start, new_start + new_count - 1) }
  end, diff(joined(base), joined(now), { result_type = 'indices' }))
end

--- Returns the blocks to replace in `mine` to include the changes of `theirs`; nil if both changed the same
--- lines.
---@param base string[]
---@param mine string[]
---@param theirs string[]
---@return editd.Block[]? # From last to first.
function M.blocks(base, mine, theirs)
  local own, made = blocks(base, mine), {} ---@type editd.Block[], editd.Block[]
  for _, block in ipairs(blocks(base, theirs)) do
    local moved = 0
    for _, each in ipairs(own) do
      if each.from <= block.stop and block.from <= each.stop then
        return nil
      elseif each.stop < block.from then
        moved = moved + #each.lines - (each.stop - each.from)
      end
    end
    table.insert(made, 1, { from = block.from + moved, stop = block.stop + moved, lines = block.lines })
  end
  return made
end

return M
