-- For a `require('editd').setup()` in init.lua, which may come before plugin/editd.lua has been read.
local root = debug.getinfo(1, 'S').source:match('^@(.*)[/\\]lua[/\\]editd%.lua$')
local folder = root .. '/editors/nvim'

vim.opt.runtimepath:prepend(folder)
return dofile(folder .. '/lua/editd/init.lua')
