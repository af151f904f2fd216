#!lua flags=allow-oom
-- Removes a session with all that is its own. Its epoch stays for a while, so that a former owner stays a former one.
--
-- KEYS  1 session  2 epoch  then whatever else goes
-- ARGV  1 milliseconds for which the epoch stays
-- Returns {version, owner}, or nil when the session was not there.
local known = redis.call('HMGET', KEYS[1], 'version', 'owner')
redis.call('PEXPIRE', KEYS[2], ARGV[1])
for i = 3, #KEYS do
  redis.call('UNLINK', KEYS[i])
end
redis.call('UNLINK', KEYS[1])
if not known[1] then
  return nil
end
return known
