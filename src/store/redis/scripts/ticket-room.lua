#!lua
-- Takes room for a ticket, if its owner has fewer waiting than it may. Those that have expired do not count.
--
-- KEYS  1 digests of an owner's tickets by the time they expire
-- ARGV  1 digest  2 milliseconds until it expires  3 how many may wait
-- Returns 1, or 0 when there is no room.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
