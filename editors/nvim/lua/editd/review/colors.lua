--- Highlight groups. All are default links that a color scheme or the user may override.

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
  EditdSyntaxError = 'DiagnosticError',
}

--- Backgrounds of deleted lines if the color scheme has none: without one, empty lines and spaces are
--- invisible.
---@type table<string, vim.api.keyset.highlight>
local fallbacks = {
  dark = { bg = '#4b2329', ctermbg = 52, default = true },
  light = { bg = '#ffd7d5', ctermbg = 224, default = true },
}

--- Returns whether a group is visible where there is no text.
---@param group string
---@return boolean
local function fills(group)
  local attributes = vim.api.nvim_get_hl(0, { name = group, link = false })
  return attributes.bg ~= nil or attributes.reverse == true
end

local done = false

--- Defines the groups, now and after every change of the color scheme.
function M.define()
  if done then
    return
  end
  done = true
  local function link()
    if not fills('DiffDelete') then
      vim.api.nvim_set_hl(0, 'EditdDelete', fallbacks[vim.o.background] or fallbacks.dark)
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
