#!lua
-- Adds one to a count, which ends with its window.
--
-- KEYS  1 count
-- ARGV  1 milliseconds of a window
-- Returns the count, and the milliseconds until the window ends.
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return { count, redis.call('PTTL', KEYS[1]) }
