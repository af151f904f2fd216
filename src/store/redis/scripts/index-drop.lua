#!lua flags=allow-oom
-- Takes a session out of an index, unless it was put there anew.
--
-- KEYS  1 entries  2 notes
-- ARGV  1 session id  2 the highest stamp that may go, or '' for those that are old enough  3 how old in milliseconds
-- Returns 1 when it went, 0 when it stays or was not there.
local note = redis.call('HGET', KEYS[2], ARGV[1])
local highest = tonumber(ARGV[2])
if not highest then
  local now = redis.call('TIME')
  highest = now[1] * 1000 + math.floor(now[2] / 1000) - tonumber(ARGV[3])
end
if note and tonumber(string.match(note, '^%d+')) > highest then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])
