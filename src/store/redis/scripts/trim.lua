#!lua flags=allow-oom
-- Drops the events below a seq, and the turns below an ordinal with their calls.
--
-- KEYS  1 session  2 log  3 turns  4 ordinals  5 open turns  6 calls  7 names of calls
-- ARGV  1 seq  2 ordinal
-- Returns nothing; a session that is not there stays so.
local session, log, turns, ordinals, open = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local calls, names = KEYS[6], KEYS[7]
local known = redis.call('HMGET', session, 'version', 'first', 'last')
if not known[1] then
  return
end

local first = math.min(tonumber(ARGV[1]), tonumber(known[3]) + 1)
if first > tonumber(known[2] or '1') then
  redis.call('XTRIM', log, 'MINID', string.format('%.0f-0', first))
  redis.call('HSET', session, 'first', string.format('%.0f', first))
end

for _, turn in ipairs(redis.call('ZRANGEBYSCORE', ordinals, '-inf', '(' .. ARGV[2])) do
  -- As call-names.ts makes them.
  local head = 't' .. #turn .. ':' .. turn
  for _, name in ipairs(redis.call('ZRANGEBYLEX', names, '[' .. head .. '"', '(' .. head .. '#')) do
    local id = string.sub(name, #head + 1)
    redis.call('HDEL', calls, name)
    redis.call('ZREM', names, name, 'i' .. #id .. ':' .. id .. turn)
  end
  redis.call('HDEL', turns, turn)
  redis.call('ZREM', ordinals, turn)
  redis.call('ZREM', open, turn)
end
