-- Configuration for vim.lsp.enable('editd'), an alternative to the automatic connection of the plugin.
-- It shares the plugin's client: there is never a second one.
local config = require('editd.client').lsp_config()
config.workspace_folders = nil
return vim.tbl_extend('force', config, {
  root_dir = function(buf)
    require('editd.client').attach(buf)
  end,
})
