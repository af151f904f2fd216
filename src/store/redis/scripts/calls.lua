#!lua flags=no-writes
-- Reads calls by their names.
--
-- KEYS  1 calls  2 names of calls
-- ARGV  1 bytes with which the names begin that are wanted  2 bytes that come after the last of them
-- Returns their rows, in no order.
local rows = {}
for i, name in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], '[' .. ARGV[1], '(' .. ARGV[2])) do
  rows[i] = redis.call('HGET', KEYS[1], name)
end
return rows
