-- Entry point for plugin managers that install the whole repository. The Neovim plugin is in editors/nvim.
local root = debug.getinfo(1, 'S').source:match('^@(.*)[/\\]plugin[/\\]editd%.lua$')
local folder = root .. '/editors/nvim'

vim.opt.runtimepath:prepend(folder)
dofile(folder .. '/plugin/editd.lua')

-- Plugin managers generate help tags only at the top of a repository.
local doc = folder .. '/doc'
if vim.fn.getftime(doc .. '/editd.txt') > vim.fn.getftime(doc .. '/tags') and vim.fn.filewritable(doc) == 2 then
  pcall(vim.cmd, { cmd = 'helptags', args = { doc }, magic = { file = false } })
end
