--- `:checkhealth editd`.

local M = {}

local health = vim.health

local function check_neovim()
  health.start('editd: Neovim')
  local missing = require('editd.support').missing()
  if #missing == 0 then
    health.ok(('Neovim %s has all required features'):format(tostring(vim.version())))
    return true
  end
  for _, feature in ipairs(missing) do
    health.error('lacks ' .. feature, 'Neovim 0.11 or later has it')
  end
  return false
end

local function check_options()
  health.start('editd: options')
  local config = require('editd.config')
  local problems = config.all_problems()
  for _, problem in ipairs(problems) do
    health.warn(problem .. ' It is ignored.', 'see :help editd-options')
  end
  if #problems == 0 then
    health.ok('all given options are valid')
  end
  local keys = {} ---@type string[]
  for action, lhs in vim.spairs(config.get().keymaps) do
    local key = config.get().own_keymaps[action] ~= nil and lhs or require('editd.review.keys').key(0, action)
    keys[#keys + 1] = key and ('%s %s'):format(key, action) or nil
  end
  health.info(#keys > 0 and 'keys: ' .. table.concat(keys, ', ') or 'keys: none are mapped by editd')
end

local function check_program()
  health.start('editd: program')
  local cmd = require('editd.config').get().cmd
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    health.error(('`%s` is not executable'):format(cmd[1]), {
      'install editd: cargo install --locked --path .',
      "or set its path: vim.g.editd = { cmd = { '/path/to/editd', 'lsp' } }",
    })
    return
  end
  local run = vim.system({ path, '--version' }, { text = true, timeout = 3000 }):wait()
  health.ok(('%s: %s'):format(path, vim.trim(run.stdout or '')))
end

local function check_connection()
  health.start('editd: connection')
  local client = require('editd.client')
  local connected, daemon = client.get(), client.daemon()
  if not connected or not daemon then
    health.warn('not connected (' .. client.state() .. ')', {
      'open a file, or :Editd start',
      'the log of the connection: ' .. vim.lsp.log.get_filename(),
    })
    return
  end
  health.ok(('connected to editd %s, protocol %d'):format(daemon.version, daemon.protocol))
  local count = vim.tbl_count(require('editd.wire').documents)
  local known = require('editd.message').count(count, 'buffer')
  health.info(('positions in %s, %s shared with the daemon'):format(connected.offset_encoding, known))
  if daemon.protocol ~= 1 then
    health.warn('this plugin supports protocol 1 only', 'update the plugin or editd')
  end
  local methods = daemon.methods or {}
  for _, method in ipairs({ 'editd/decide', 'editd/proposal', 'editd/read', 'editd/undo', 'editd/history' }) do
    if not vim.list_contains(methods, method) then
      health.warn(('the daemon does not have %s'):format(method), 'update editd')
    end
  end
  local sync = connected.server_capabilities.textDocumentSync
  if not sync or sync == vim.NIL then
    health.error('the daemon does not accept unsaved text', 'update editd')
  end
  local answer ---@type table?
  client.request('editd/status', {}, function(err, result)
    answer = err and { error = err.message } or result
  end)
  vim.wait(2000, function()
    return answer ~= nil
  end, 10)
  if not answer or answer.error then
    health.error('the daemon does not answer' .. (answer and ': ' .. answer.error or ''))
  else
    health.ok('the daemon answers')
  end
end

local function check_saving()
  health.start('editd: saving and reloading')
  if vim.o.autoread then
    health.ok("'autoread' is on: unchanged buffers follow their files")
  else
    health.info("'autoread' is off: Neovim asks before it reloads; editd reloads only buffers that it has to change")
  end
  if vim.o.autowriteall or vim.o.autowrite then
    health.warn("'autowrite' or 'autowriteall' is on: buffers are saved automatically, and agents see that as your action")
  else
    health.ok("'autowrite' and 'autowriteall' are off")
  end
  for _, name in ipairs({ 'auto-save', 'autosave', 'auto_save' }) do
    if package.loaded[name] or vim.fn.exists(':ASToggle') == 2 then
      health.warn('an auto-save plugin is loaded', {
        'changes by agents reach the disk sooner than you may expect',
        'proposals are safe: their buffers are acwrite and have b:auto_save = 0',
      })
      return
    end
  end
  health.ok('no auto-save plugin was found')
end

function M.check()
  if not check_neovim() then
    return
  end
  check_options()
  check_program()
  check_connection()
  check_saving()
end

return M
