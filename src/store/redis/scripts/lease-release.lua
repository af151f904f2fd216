#!lua flags=allow-oom
-- Ends a lease, if it is still the same one.
--
-- KEYS  1 owner
-- ARGV  1 epoch and node as they are kept
-- Returns 1, or 0 when it was not the same any more.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
