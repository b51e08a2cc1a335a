-- For those who rather write vim.lsp.enable('editd') than let the plugin connect by itself.
-- The plugin's own client is the same one: there is never a second.
local config = require('editd.client').lsp_config()
config.workspace_folders = nil
return vim.tbl_extend('force', config, {
  root_dir = function(buf)
    require('editd.client').attach(buf)
  end,
})
