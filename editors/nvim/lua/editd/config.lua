--- Options: defaults, those in `vim.g.editd`, and those given to `setup()`.

---@class editd.Signs
---@field pending string
---@field accepted string
---@field rejected string
---@field edited string
---@field conflicted string

---@class editd.Options
---@field cmd? string[] The bridge to the daemon. Default `{ 'editd', 'lsp' }`.
---@field env? table<string, string> Added to the bridge's environment.
---@field autostart? boolean Connect when the first file is opened. Default true.
---@field root_markers? string[] What makes a folder the root of a file.
---@field keymaps? boolean|table<string, string|false> Default false. A table has keys other than the default ones.
---@field advance? boolean After a decision, go to the next undecided hunk. Default true.
---@field diagnostics? boolean Share diagnostics with agents. Default true.
---@field notify? boolean Say in one line when a proposal arrives. Default true.
---@field signs? editd.Signs|false Signs beside hunks; false for none.

---@class editd.Config
---@field cmd string[]
---@field env table<string, string>
---@field autostart boolean
---@field root_markers string[]
---@field keymaps table<string, string|false>
---@field own_keymaps table<string, string|false> Those that were given.
---@field advance boolean
---@field diagnostics boolean
---@field notify boolean
---@field signs editd.Signs|false

local message = require('editd.message')

local M = {}

--- The maps that `keymaps = true` makes, by the name of the `<Plug>` map.
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

--- What a key can do: there is a `<Plug>` map for each.
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
--- Whether the person was told what is wrong in `vim.g.editd`.
local told = false

---@param value any
---@return boolean # Whether it is a list of texts.
local function is_texts(value)
  return vim.islist(value) and vim.iter(value):all(function(each)
    return type(each) == 'string' and each ~= ''
  end)
end

--- What is wrong with one part of an option; nil if nothing is.
---@type table<string, fun(key: any, value: any): string?>
local parts = {
  signs = function(state, text)
    if not defaults.signs[state] then
      return ('There is no sign `%s`.'):format(state)
    elseif type(text) ~= 'string' or not vim.list_contains({ 1, 2 }, vim.fn.strdisplaywidth(text)) then
      return ('The sign `%s` is a text of one or two cells.'):format(state)
    end
  end,
  keymaps = function(action, key)
    if not vim.list_contains(M.actions, action) then
      return ('There is no action `%s` for a key.'):format(action)
    elseif key ~= false and (type(key) ~= 'string' or key == '') then
      return ('The key for `%s` is a text, or false for none.'):format(action)
    end
  end,
  env = function(name, value)
    if type(name) ~= 'string' or type(value) == 'table' then
      return 'The option `env` has names and texts.'
    end
  end,
}

--- What is wrong with an option, and what of it can be used.
---@param name string
---@param value any
---@return string[] problems
---@return any usable
local function check(name, value)
  local wanted = types[name]
  if not wanted then
    return { ('There is no option `%s`.'):format(name) }
  elseif not vim.list_contains(type(wanted) == 'table' and wanted or { wanted }, type(value)) then
    local either = type(wanted) == 'table' and table.concat(wanted, ' or ') or wanted
    return { ('The option `%s` is a %s, not a %s.'):format(name, either, type(value)) }
  elseif (name == 'cmd' or name == 'root_markers') and not is_texts(value) or name == 'cmd' and #value == 0 then
    return { ('The option `%s` is a list of texts.'):format(name) }
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

--- What is wrong with these options, one sentence each.
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
local function fitting(options)
  local kept = {} ---@type table<string, any>
  for name, value in pairs(options) do
    local _, usable = check(name, value)
    kept[name] = usable
  end
  return kept
end

---@param options table
local function tell(options)
  local problems = M.problems(options)
  if #problems == 1 then
    message.say(problems[1] .. ' See :help editd-options.', vim.log.levels.WARN)
  elseif #problems > 1 then
    message.say(('%d options do not fit; see :checkhealth editd'):format(#problems), vim.log.levels.WARN)
  end
end

---@return table
local function global()
  return type(vim.g.editd) == 'table' and vim.g.editd or {}
end

--- Takes options in place of those given before. What does not fit is left out and told.
---@param options? editd.Options
function M.set(options)
  given = options or {}
  resolved = nil
  tell(given)
end

--- What is wrong with the options in force, wherever they were given.
---@return string[]
function M.all_problems()
  return vim.list_extend(M.problems(global()), M.problems(given))
end

--- All options, with defaults where nothing was given.
---@return editd.Config
function M.get()
  if resolved then
    return resolved
  end
  if not told then
    told = true
    tell(global())
  end
  local options = vim.tbl_extend('force', fitting(global()), fitting(given))
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
