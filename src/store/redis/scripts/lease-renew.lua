#!lua flags=allow-oom
-- Extends a lease, if it is still the same one.
--
-- KEYS  1 owner
-- ARGV  1 epoch and node as they are kept  2 milliseconds until another can take it
-- Returns 1, or 0 when it is not the same any more.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
