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

local done = false

--- Defines the groups, once and again with every colour scheme.
function M.define()
  if done then
    return
  end
  done = true
  local function link()
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
