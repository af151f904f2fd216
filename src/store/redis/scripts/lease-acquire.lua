#!lua
-- Takes the lease of a session that nobody has, with a new epoch. An epoch is also at least the milliseconds since 1970, so
-- that one which a crash of Redis lost is not given out again.
--
-- KEYS  1 owner  2 epoch  3 session
-- ARGV  1 node  2 milliseconds until another can take it  3 milliseconds for which the epoch of a session that is not there stays
-- Returns the epoch, or nil when somebody has the lease.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return nil
end
local now = redis.call('TIME')
local epoch = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, now[1] * 1000 + math.floor(now[2] / 1000))
epoch = string.format('%.0f', epoch)
redis.call('SET', KEYS[2], epoch)
if redis.call('EXISTS', KEYS[3]) == 0 then
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
redis.call('SET', KEYS[1], epoch .. ' ' .. ARGV[1], 'PX', ARGV[2])
return epoch
