-- Runs functions after a delay, in the order of their times.
local heap = require("heap")

local M = {}

M.version = "1.3"
M.limit = 1000

local defaults = {
  tick = 0.05,
  name = "scheduler",
  on_error = function(message)
    io.stderr:write(message, "\n")
  end,
}

---A job and the time at which it is due.
---@class Job
local Job = {}
Job.__index = Job

--- Creates a job.
function Job.new(run, due)
  return setmetatable({ run = run, due = due, done = false }, Job)
end

function Job:cancel()
  self.done = true
end

Job.is_due = function(self, now)
  return not self.done and self.due <= now
end

local Scheduler = {}
Scheduler.__index = Scheduler

-- Creates a scheduler. Options that are missing have their defaults.
function M.new(options)
  local self = setmetatable({}, Scheduler)
  for name, value in pairs(defaults) do
    self[name] = (options or {})[name] or value
  end
  self.jobs = heap.new(function(a, b)
    return a.due < b.due
  end)
  return self
end

---Adds a function. Returns its job.
function Scheduler:after(delay, run)
  if self.jobs:len() >= M.limit then
    error(("more than %d jobs"):format(M.limit), 2)
  end
  local job = Job.new(run, os.clock() + delay)
  self.jobs:push(job)
  return job
end

function Scheduler:every(delay, run)
  local function again()
    run()
    self:after(delay, again)
  end

  return self:after(delay, again)
end

function Scheduler:step(now)
  local ran = 0
  while true do
    local job = self.jobs:peek()
    if not job or not (job.done or job:is_due(now)) then
      break
    end
    self.jobs:pop()
    local ok, message = pcall(job.run)
    if not ok then
      self.on_error(message)
    else
      ran = ran + 1
    end
  end
  return ran
end

local function sleep(seconds)
  local stop = os.clock() + seconds
  repeat until os.clock() >= stop
end

function M.run(scheduler, seconds)
  local stop = os.clock() + seconds
  while os.clock() < stop do
    scheduler:step(os.clock())
    sleep(scheduler.tick)
  end
end

return M
