#!lua flags=allow-oom
-- Hands messages to the owner of a session: first those that earlier owners took and did not finish, then new ones. Each
-- owner is a consumer of its own, named by its epoch.
--
-- KEYS  1 inbox  2 epoch
-- ARGV  1 epoch of the owner  2 how many  3 '1' for the first time: looks for what was left
--       4 how often a message is handed out, before it is taken for one that no owner survives
-- Returns  {messages, given up}: each message is {id, text}; given up are ids, and they are gone
--          nil when the session has a newer owner
local GROUP = 'owners'
local inbox, me, count = KEYS[1], ARGV[1], tonumber(ARGV[2])
if (redis.call('GET', KEYS[2]) or '0') ~= me then
  return nil
end
if redis.call('EXISTS', inbox) == 0 then
  return { {}, {} }
end

local messages, given_up = {}, {}
local function add(entries)
  for _, entry in ipairs(entries) do
    messages[#messages + 1] = { entry[1], entry[2][2] }
  end
end

local groups = redis.call('XINFO', 'GROUPS', inbox)
if not groups[1] then
  redis.call('XGROUP', 'CREATE', inbox, GROUP, '0')
end
if ARGV[3] == '1' then
  for _, pending in ipairs(redis.call('XPENDING', inbox, GROUP, '-', '+', count)) do
    if pending[4] >= tonumber(ARGV[4]) then
      redis.call('XACK', inbox, GROUP, pending[1])
      redis.call('XDEL', inbox, pending[1])
      given_up[#given_up + 1] = pending[1]
    end
  end
  add(redis.call('XAUTOCLAIM', inbox, GROUP, me, 0, '0-0', 'COUNT', count)[2])
  for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', inbox, GROUP)) do
    -- Name and pending, in a list of names and values.
    if consumer[2] ~= me and consumer[4] == 0 then
      redis.call('XGROUP', 'DELCONSUMER', inbox, GROUP, consumer[2])
    end
  end
end
if #messages == 0 then
  local streams = redis.call('XREADGROUP', 'GROUP', GROUP, me, 'COUNT', count, 'STREAMS', inbox, '>')
  if streams then
    add(streams[1][2])
  end
end
return { messages, given_up }
