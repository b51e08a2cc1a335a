--- Options: defaults, `vim.g.editd`, and the arguments of `setup()`.

---@class editd.Signs
---@field pending string
---@field accepted string
---@field rejected string
---@field edited string
---@field conflicted string

---@class editd.Options
---@field cmd? string[] Command line of the bridge to the daemon. Default `{ 'editd', 'lsp' }`.
---@field env? table<string, string> Additional environment variables of the bridge.
---@field autostart? boolean Connect when the first file is opened. Default true.
---@field root_markers? string[] Names of files or folders that mark a project root.
---@field keymaps? boolean|table<string, string|false> Default false. A table overrides default keys.
---@field advance? boolean After a decision, go to the next undecided hunk. Default true.
---@field diagnostics? boolean Share diagnostics with agents. Default true.
---@field notify? boolean Show a one-line message when a proposal arrives. Default true.
---@field signs? editd.Signs|false Signs next to hunks; false for none.

---@class editd.Config
---@field cmd string[]
---@field env table<string, string>
---@field autostart boolean
---@field root_markers string[]
---@field keymaps table<string, string|false>
---@field own_keymaps table<string, string|false> Keys set by the user.
---@field advance boolean
---@field diagnostics boolean
---@field notify boolean
---@field signs editd.Signs|false

local message = require('editd.message')

local M = {}

--- Default keys of `keymaps = true`, by action.
---@type table<string, string>
M.default_keymaps = {
  accept = '<Leader>ga',
  reject = '<Leader>gr',
  accept_all = '<Leader>gA',
  reject_all = '<Leader>gR',
  next = ']g',
  prev = '[g',
  edit = '<Leader>ge',
  comment = '<Leader>gc',
}

--- Actions that can be mapped. There is a `<Plug>` map for each.
---@type string[]
M.actions = { 'accept', 'reject', 'accept_all', 'reject_all', 'next', 'prev', 'edit', 'comment', 'diff', 'review', 'list' }

---@type editd.Config
local defaults = {
  cmd = { 'editd', 'lsp' },
  env = {},
  autostart = true,
  root_markers = { '.git', '.jj', '.hg' },
  keymaps = {},
  own_keymaps = {},
  advance = true,
  diagnostics = true,
  notify = true,
  signs = { pending = '┃', accepted = '✓', rejected = '✗', edited = '✎', conflicted = '!' },
}

---@type table<string, string|string[]>
local types = {
  cmd = 'table',
  env = 'table',
  autostart = 'boolean',
  root_markers = 'table',
  keymaps = { 'boolean', 'table' },
  advance = 'boolean',
  diagnostics = 'boolean',
  notify = 'boolean',
  signs = { 'boolean', 'table' },
}

---@type editd.Options
local given = {}
---@type editd.Config?
local resolved
--- True once the problems in `vim.g.editd` were reported.
local reported = false

---@param value any
---@return boolean # True if the value is a list of non-empty strings.
local function is_string_list(value)
  return vim.islist(value) and vim.iter(value):all(function(each)
    return type(each) == 'string' and each ~= ''
  end)
end

--- Checks of the entries of table options. Each returns a problem, or nil.
---@type table<string, fun(key: any, value: any): string?>
local parts = {
  signs = function(state, text)
    if not defaults.signs[state] then
      return ('Unknown sign `%s`.'):format(state)
    elseif type(text) ~= 'string' or not vim.list_contains({ 1, 2 }, vim.fn.strdisplaywidth(text)) then
      return ('The sign `%s` must be a string of one or two cells.'):format(state)
    end
  end,
  keymaps = function(action, key)
    if not vim.list_contains(M.actions, action) then
      return ('Unknown action `%s` in `keymaps`.'):format(action)
    elseif key ~= false and (type(key) ~= 'string' or key == '') then
      return ('The key for `%s` must be a string, or false for none.'):format(action)
    end
  end,
  env = function(name, value)
    if type(name) ~= 'string' or type(value) == 'table' then
      return 'The option `env` must map names to strings.'
    end
  end,
}

--- Returns the problems of an option, and its usable part.
---@param name string
---@param value any
---@return string[] problems
---@return any usable
local function check(name, value)
  local wanted = types[name]
  if not wanted then
    return { ('Unknown option `%s`.'):format(name) }
  elseif not vim.list_contains(type(wanted) == 'table' and wanted or { wanted }, type(value)) then
    local either = type(wanted) == 'table' and table.concat(wanted, ' or ') or wanted
    return { ('The option `%s` must be a %s, not a %s.'):format(name, either, type(value)) }
  elseif (name == 'cmd' or name == 'root_markers') and not is_string_list(value) or name == 'cmd' and #value == 0 then
    return { ('The option `%s` must be a list of non-empty strings.'):format(name) }
  elseif not parts[name] or type(value) ~= 'table' then
    return {}, value
  end
  local problems, usable = {}, {} ---@type string[], table
  for key, part in pairs(value) do
    local problem = parts[name](key, part)
    if problem then
      problems[#problems + 1] = problem
    else
      usable[key] = part
    end
  end
  return problems, usable
end

--- Returns the problems of these options, one sentence each.
---@param options table
---@return string[]
function M.problems(options)
  local problems = {} ---@type string[]
  for name, value in pairs(options) do
    vim.list_extend(problems, (check(name, value)))
  end
  table.sort(problems)
  return problems
end

---@param options editd.Options
---@return editd.Options
local function usable_options(options)
  local result = {} ---@type table<string, any>
  for name, value in pairs(options) do
    local _, usable = check(name, value)
    result[name] = usable
  end
  return result
end

---@param options table
local function report(options)
  local problems = M.problems(options)
  if #problems == 1 then
    message.show(problems[1] .. ' See :help editd-options.', vim.log.levels.WARN)
  elseif #problems > 1 then
    message.show(('%d options are invalid; see :checkhealth editd'):format(#problems), vim.log.levels.WARN)
  end
end

---@return table
local function global()
  return type(vim.g.editd) == 'table' and vim.g.editd or {}
end

--- Sets options, replacing those of earlier calls. Reports and ignores invalid ones.
---@param options? editd.Options
function M.set(options)
  given = options or {}
  resolved = nil
  report(given)
end

--- Returns the problems of all options, from `vim.g.editd` and `setup()`.
---@return string[]
function M.all_problems()
  return vim.list_extend(M.problems(global()), M.problems(given))
end

--- Returns all options, with defaults for those that are not set.
---@return editd.Config
function M.get()
  if resolved then
    return resolved
  end
  if not reported then
    reported = true
    report(global())
  end
  local options = vim.tbl_extend('force', usable_options(global()), usable_options(given))
  local config = vim.tbl_extend('force', defaults, options)
  config.keymaps = options.keymaps and M.default_keymaps or {}
  config.own_keymaps = type(options.keymaps) == 'table' and options.keymaps or {}
  if type(options.keymaps) == 'table' then
    config.keymaps = vim.tbl_extend('force', M.default_keymaps, options.keymaps)
  end
  if options.signs == true then
    config.signs = defaults.signs
  elseif type(options.signs) == 'table' then
    config.signs = vim.tbl_extend('force', defaults.signs, options.signs)
  end
  resolved = config
  return config
end

return M
