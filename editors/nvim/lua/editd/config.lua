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
---@field keymaps? boolean|table<string, string|false> Maps in buffers under review. Default false.
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
---@field advance boolean
---@field diagnostics boolean
---@field notify boolean
---@field signs editd.Signs|false

local M = {}

--- The maps that `keymaps = true` makes, by the name of the `<Plug>` map.
---@type table<string, string>
M.default_keymaps = {
  accept = 'ga',
  reject = 'gr',
  accept_all = 'gA',
  reject_all = 'gR',
  next = ']g',
  prev = '[g',
  edit = 'gE',
  comment = 'gC',
}

---@type editd.Config
local defaults = {
  cmd = { 'editd', 'lsp' },
  env = {},
  autostart = true,
  root_markers = { '.git', '.jj', '.hg' },
  keymaps = {},
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

--- What is wrong with these options, one sentence each.
---@param options table
---@return string[]
function M.problems(options)
  local problems = {} ---@type string[]
  for name, value in pairs(options) do
    local wanted = types[name]
    if not wanted then
      problems[#problems + 1] = ('There is no option `%s`.'):format(name)
    elseif not vim.list_contains(type(wanted) == 'table' and wanted or { wanted }, type(value)) then
      local either = type(wanted) == 'table' and table.concat(wanted, ' or ') or wanted
      problems[#problems + 1] = ('The option `%s` is a %s, not a %s.'):format(name, either, type(value))
    end
  end
  table.sort(problems)
  return problems
end

---@param options editd.Options
---@return editd.Options
local function fitting(options)
  local kept = {} ---@type table<string, any>
  for name, value in pairs(options) do
    if #M.problems({ [name] = value }) == 0 then
      kept[name] = value
    end
  end
  return kept
end

--- Takes options in place of those given before. What does not fit is left out and told.
---@param options? editd.Options
function M.set(options)
  given = options or {}
  resolved = nil
  for _, problem in ipairs(M.problems(given)) do
    vim.notify('editd: ' .. problem .. ' See :help editd-options.', vim.log.levels.WARN)
  end
end

--- All options, with defaults where nothing was given.
---@return editd.Config
function M.get()
  if resolved then
    return resolved
  end
  local global = type(vim.g.editd) == 'table' and vim.g.editd or {}
  local options = vim.tbl_extend('force', fitting(global), fitting(given))
  local config = vim.tbl_extend('force', defaults, options)
  if options.keymaps == true then
    config.keymaps = M.default_keymaps
  elseif not options.keymaps then
    config.keymaps = {}
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
