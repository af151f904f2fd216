#!lua flags=no-writes
-- Says which tool_use ids a session has calls of.
--
-- KEYS  1 names of calls
-- ARGV  of each id the bytes with which its names begin, and the bytes that come after the last of them
-- Returns a list of 0 and 1
local used = {}
for i = 1, #ARGV / 2 do
  used[i] = #redis.call('ZRANGEBYLEX', KEYS[1], '[' .. ARGV[2 * i - 1], '(' .. ARGV[2 * i], 'LIMIT', 0, 1)
end
return used
