-- Defines the command and the <Plug> maps; all other modules are loaded on first use.
if vim.g.loaded_editd then
  return
end
vim.g.loaded_editd = true

vim.api.nvim_create_user_command('Editd', function(command)
  require('editd.command').run(command)
end, {
  nargs = '*',
  range = true,
  desc = 'Review agent proposals and more: see :help :Editd',
  complete = function(lead, line)
    return require('editd.command').complete(lead, line)
  end,
})

for _, action in ipairs(require('editd.config').actions) do
  vim.keymap.set({ 'n', 'x' }, ('<Plug>(editd-%s)'):format(action:gsub('_', '-')), function()
    require('editd.command').map(action)
  end, { desc = 'editd: ' .. action:gsub('_', ' ') })
end

local options = vim.g.editd
if type(options) ~= 'table' or options.autostart ~= false then
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWritePost', 'BufFilePost' }, {
    group = vim.api.nvim_create_augroup('editd', { clear = true }),
    desc = 'editd: connect and attach',
    callback = function(event)
      require('editd').attach(event.buf)
    end,
  })
end

-- A plugin manager may load the plugin late, when files are already open.
if vim.v.vim_did_enter == 1 then
  vim.schedule(function()
    require('editd').attach(vim.api.nvim_get_current_buf())
  end)
end
