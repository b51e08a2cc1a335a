-- The plugin for Neovim lies in editors/nvim. Plugin managers that take a whole repository begin here.
local root = debug.getinfo(1, 'S').source:match('^@(.*)[/\\]plugin[/\\]editd%.lua$')
local folder = root .. '/editors/nvim'

vim.opt.runtimepath:prepend(folder)
dofile(folder .. '/plugin/editd.lua')

-- Managers make the tags of a help only at the top of a repository.
local doc = folder .. '/doc'
if vim.fn.getftime(doc .. '/editd.txt') > vim.fn.getftime(doc .. '/tags') and vim.fn.filewritable(doc) == 2 then
  pcall(vim.cmd, { cmd = 'helptags', args = { doc }, magic = { file = false } })
end
