#!lua flags=no-writes
-- Reads the calls of a turn.
--
-- KEYS  1 calls  2 calls by turn
-- ARGV  1 turn id
-- Returns their rows, in no order.
local prefix = #ARGV[1] .. ':' .. ARGV[1]
local rows = {}
for i, field in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], '[' .. prefix .. '"', '(' .. prefix .. '\255')) do
  rows[i] = redis.call('HGET', KEYS[1], field)
end
return rows
