-- Supports a `require('editd').setup()` in init.lua, which may run before plugin/editd.lua is loaded.
local root = debug.getinfo(1, 'S').source:match('^@(.*)[/\\]lua[/\\]editd%.lua$')
local folder = root .. '/editors/nvim'

vim.opt.runtimepath:prepend(folder)
return dofile(folder .. '/lua/editd/init.lua')
