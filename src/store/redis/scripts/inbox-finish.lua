#!lua flags=allow-oom
-- Takes a message away that was handled.
--
-- KEYS  1 inbox
-- ARGV  1 id
-- Returns 1, or 0 when it was gone.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('XACK', KEYS[1], 'owners', ARGV[1])
return redis.call('XDEL', KEYS[1], ARGV[1])
