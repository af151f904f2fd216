#!lua
-- Puts a record where the claim of whoever made it stands, or has stood and faded.
--
-- KEYS  1 key of the record
-- ARGV  1 the claim as it is kept  2 record  3 milliseconds since 1970 until which the record stays
-- Returns 1, or 0 when another has the key.
local kept = redis.call('GET', KEYS[1])
if kept and kept ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[3])
return 1
