--- The LSP client `editd`: one for all files. Reconnects when the daemon is lost.

local config = require('editd.config')
local document = require('editd.document')
local message = require('editd.message')
local wire = require('editd.wire')

local M = {}

--- Milliseconds before each attempt to reconnect. The last delay repeats.
local RETRY_DELAYS_MS = { 100, 300, 1000, 2000, 5000 }
--- Milliseconds that the bridge has to exit before it is killed.
local EXIT_TIMEOUT_MS = 500
--- Number of failed attempts to reconnect before the user is notified.
local QUIET_ATTEMPTS = 3

---@type integer?
local client_id
---@type boolean
local wanted = false
---@type integer
local attempts = 0
---@type table<integer, fun(err?: lsp.ResponseError, result?: any)>
local waiting = {}
---@type integer
local next_request = 0
---@type boolean
local stopped = false
---@type boolean
local reported_missing = false

--- Handlers of requests from the daemon, by method.
---@type table<string, fun(params: table): any>
local requests = {
  ['editd/applyEdits'] = function(params)
    return require('editd.apply').handle(params)
  end,
  ['editd/save'] = function(params)
    return require('editd.disk').save(params)
  end,
  ['editd/reload'] = function(params)
    return require('editd.disk').reload(params)
  end,
  ['editd/resync'] = function(params)
    return require('editd.disk').resync(params)
  end,
  ['editd/rename'] = function(params)
    return require('editd.rename').handle(params)
  end,
}

---@return table<string, lsp.Handler>
local function handlers()
  local all = {} ---@type table<string, lsp.Handler>
  for method, handle in pairs(requests) do
    all[method] = function(_, params)
      return handle(params)
    end
  end
  all['editd/proposalChanged'] = function(_, params)
    require('editd.review').changed(params)
  end
  all['editd/fileRenamed'] = function(_, params)
    require('editd.renamed').handle(params)
  end
  -- This notification is for agents; the editor has nothing to show.
  all['editd/fileChanged'] = function() end
  return all
end

--- Returns the LSP client, if it is connected.
---@return vim.lsp.Client?
function M.get()
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  return client and client.initialized and not client:is_stopped() and client or nil
end

--- Returns the daemon's description of itself, if connected.
---@return { version: string, protocol: integer, methods: string[] }?
function M.daemon()
  local client = M.get()
  local experimental = client and client.server_capabilities.experimental
  return type(experimental) == 'table' and experimental.editd or nil
end

--- Returns the root of a file: its repository, else its folder. A file directly in the home folder or above
--- it has none.
---@param path string
---@return string?
local function root_of(path)
  local root = vim.fs.root(path, config.get().root_markers) or vim.fs.dirname(path)
  local home = vim.uv.os_homedir()
  if root == '/' or root == home or (home and vim.startswith(home, root .. '/')) then
    return nil
  end
  return root
end

--- Roots that were sent to the daemon.
---@type table<string, true>
local roots = {}

---@param path string
---@return lsp.WorkspaceFolder
local function folder_of(path)
  return { uri = vim.uri_from_fname(path), name = vim.fs.basename(path) }
end

--- Returns the roots of all file buffers and of the working folder, or nil if there are none: Neovim 0.12 takes
--- the first entry of a list without looking whether it has one.
---@return lsp.WorkspaceFolder[]?
local function folders()
  roots = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local root = document.is_file(buf) and root_of(vim.api.nvim_buf_get_name(buf))
    if root then
      roots[root] = true
    end
  end
  local here = vim.uv.cwd()
  local root = here and root_of(here .. '/.')
  if root and root ~= here .. '/.' then
    roots[root] = true
  end
  local list = {} ---@type lsp.WorkspaceFolder[]
  for path in vim.spairs(roots) do
    list[#list + 1] = folder_of(path)
  end
  return list[1] and list or nil
end

--- Sends the root of a buffer to the daemon, unless it was already sent.
---@param buf integer
local function send_root(buf)
  local root = root_of(vim.api.nvim_buf_get_name(buf))
  local client = M.get()
  if root and client and not roots[root] then
    roots[root] = true
    local event = { added = { folder_of(root) }, removed = {} }
    client:notify('workspace/didChangeWorkspaceFolders', { event = event })
  end
end

local function fail_waiting()
  local failed = waiting
  waiting = {}
  for _, callback in pairs(failed) do
    callback({ code = -32803, message = 'The connection to editd was lost.' })
  end
end

--- Schedules an attempt to reconnect. It restarts a daemon that was lost, but not one that was stopped.
---@param orderly boolean
local function reconnect(orderly)
  stopped = stopped or orderly
  attempts = attempts + 1
  if attempts == QUIET_ATTEMPTS + 1 then
    message.show('not connected; retrying until :Editd stop', vim.log.levels.WARN)
  end
  vim.defer_fn(function()
    if wanted and not M.get() then
      M.start({ no_spawn = stopped })
    end
  end, RETRY_DELAYS_MS[math.min(attempts, #RETRY_DELAYS_MS)])
end

---@param code integer
local function exited(code)
  vim.schedule(function()
    client_id = nil
    fail_waiting()
    require('editd.review').lost()
    if wanted and vim.v.exiting == vim.NIL then
      reconnect(code == 0)
    end
  end)
end

--- Tells the user what was changed without a review while no editor was connected.
local function report_unreviewed()
  M.request('editd/reviewers', {}, function(_, result)
    if result and result.unreviewed then
      message.show(result.unreviewed.message .. ' :Editd log')
    end
  end)
end

local function connected()
  if attempts > QUIET_ATTEMPTS then
    message.show('connected again')
  end
  attempts, stopped = 0, false
  local daemon = M.daemon()
  if not daemon then
    message.show('the connected server is not editd', vim.log.levels.ERROR)
    return
  end
  require('editd.review.keys').define()
  require('editd.state').start()
  require('editd.review').connected()
  report_unreviewed()
  vim.api.nvim_create_autocmd('ExitPre', {
    group = vim.api.nvim_create_augroup('editd.exit', { clear = true }),
    callback = function()
      if vim.v.exitreason == 'restart' then
        M.announce_return()
      end
    end,
  })
end

--- Returns the configuration of the LSP client, also for |vim.lsp.enable()|.
---@param options? { no_spawn?: boolean }
---@return vim.lsp.ClientConfig
function M.lsp_config(options)
  return {
    name = 'editd',
    cmd = function(dispatchers)
      local cmd = vim.list_extend({}, config.get().cmd)
      if options and options.no_spawn then
        cmd[#cmd + 1] = '--no-spawn'
      end
      return wire.start(cmd, config.get().env, dispatchers, exited)
    end,
    workspace_folders = folders(),
    flags = { debounce_text_changes = 0 },
    capabilities = {
      experimental = {
        editd = {
          review = true,
          applyEdits = true,
          save = true,
          reload = true,
          documentState = true,
          rename = true,
          diagnostics = config.get().diagnostics,
        },
      },
    },
    handlers = handlers(),
    on_init = function(client)
      client_id = client.id
      wanted = true
      vim.schedule(connected)
    end,
  }
end

---@return boolean
local function is_client(client)
  return client.name == 'editd' and not client:is_stopped()
end

--- Returns whether the bridge is executable. If not, notifies the user once.
---@return boolean
function M.executable()
  local program = config.get().cmd[1]
  if program and vim.fn.executable(program) == 1 then
    return true
  end
  if not reported_missing then
    reported_missing = true
    message.show(('`%s` is not executable; see :checkhealth editd'):format(program), vim.log.levels.WARN)
  end
  return false
end

--- Connects, and attaches all file buffers.
---@param options? { no_spawn?: boolean }
function M.start(options)
  if not require('editd.support').ok() or not M.executable() then
    return
  end
  wanted = true
  client_id = vim.lsp.start(M.lsp_config(options), { attach = false, reuse_client = is_client, silent = true })
    or client_id
  if not client_id then
    return
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if document.is_file(buf) then
      vim.lsp.buf_attach_client(buf, client_id)
    elseif vim.lsp.buf_is_attached(buf, client_id) then
      -- A Neovim without support for `attach = false` attaches the current buffer, whatever it is.
      vim.lsp.buf_detach_client(buf, client_id)
    end
  end
end

--- Attaches a buffer, and connects if necessary.
---@param buf integer
function M.attach(buf)
  if not document.is_file(buf) then
    return
  end
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  if client and not client:is_stopped() then
    send_root(buf)
    vim.lsp.buf_attach_client(buf, client.id)
  elseif not wanted or attempts == 0 then
    M.start()
  end
end

--- Stops a client, by force if it does not exit in time.
---@param client vim.lsp.Client
local function finish(client)
  client:stop()
  vim.defer_fn(function()
    if client_id == client.id then
      client:stop(true)
    end
  end, EXIT_TIMEOUT_MS)
end

--- Disconnects until the next `start`.
function M.stop()
  wanted = false
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  if client then
    finish(client)
  end
end

--- Announces that the connection ends and comes back at once: until then, changes wait for a review.
function M.announce_return()
  M.notify('editd/leaving', {})
end

--- Disconnects and connects again.
function M.restart()
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  attempts = 0
  if not client then
    M.start()
    return
  end
  wanted = false
  M.announce_return()
  finish(client)
  local timer = assert(vim.uv.new_timer())
  local waited = 0
  timer:start(20, 20, vim.schedule_wrap(function()
    waited = waited + 20
    if client_id == nil or waited > 3000 then
      if not timer:is_closing() then
        timer:close()
        client_id = nil
        M.start()
      end
    end
  end))
end

--- Returns the state of the connection.
---@return 'connected'|'connecting'|'off'
function M.state()
  return M.get() and 'connected' or wanted and 'connecting' or 'off'
end

--- Calls a method. The callback always runs, also when the connection is lost.
---@param method string
---@param params table
---@param callback fun(err?: lsp.ResponseError, result?: any)
function M.request(method, params, callback)
  local client = M.get()
  next_request = next_request + 1
  local id = next_request
  waiting[id] = callback
  local function answer(err, result)
    local answered = waiting[id]
    waiting[id] = nil
    if answered then
      answered(err, result)
    end
  end
  -- An empty Lua table would be encoded as a JSON array.
  local object = next(params) and params or vim.empty_dict()
  local sent = client and client:request(method, object, answer)
  if not sent then
    vim.schedule(function()
      answer({ code = -32803, message = 'Not connected to editd.' })
    end)
  end
end

--- Sends a notification, if connected.
---@param method string
---@param params table
function M.notify(method, params)
  local client = M.get()
  if client then
    client:notify(method, next(params) and params or vim.empty_dict())
  end
end

return M
