#!lua flags=allow-oom
-- Extends a lease, or a claim, if it is still the same one.
--
-- KEYS  1 where it is kept
-- ARGV  1 lease as it is kept  2 milliseconds until another can take it
-- Returns 1, or 0 when it is not the same any more.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
