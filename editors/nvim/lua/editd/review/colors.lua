--- Highlight groups. All are links that a colour scheme or a person may set otherwise.

local M = {}

---@type table<string, string>
M.links = {
  EditdAdd = 'DiffAdd',
  EditdAddText = 'DiffText',
  EditdDelete = 'DiffDelete',
  EditdDeleteText = 'DiffText',
  EditdAccepted = 'DiffAdd',
  EditdConflict = 'DiffChange',
  EditdGone = 'Comment',
  EditdHint = 'Comment',
  EditdHintKey = 'Special',
  EditdSignPending = 'DiagnosticInfo',
  EditdSignAccepted = 'DiagnosticOk',
  EditdSignRejected = 'Comment',
  EditdSignEdited = 'DiagnosticHint',
  EditdSignConflicted = 'DiagnosticWarn',
}

--- Backgrounds of lines that would go, where the colour scheme has none for them: without one, blanks are not seen.
---@type table<string, vim.api.keyset.highlight>
local gone = {
  dark = { bg = '#4b2329', ctermbg = 52, default = true },
  light = { bg = '#ffd7d5', ctermbg = 224, default = true },
}

--- Whether a group shows where there is no text.
---@param group string
---@return boolean
local function fills(group)
  local look = vim.api.nvim_get_hl(0, { name = group, link = false })
  return look.bg ~= nil or look.reverse == true
end

local done = false

--- Defines the groups, once and again with every colour scheme.
function M.define()
  if done then
    return
  end
  done = true
  local function link()
    if not fills('DiffDelete') then
      vim.api.nvim_set_hl(0, 'EditdDelete', gone[vim.o.background] or gone.dark)
    end
    for group, target in pairs(M.links) do
      vim.api.nvim_set_hl(0, group, { link = target, default = true })
    end
  end
  link()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('editd.colors', { clear = true }),
    callback = link,
  })
end

return M
