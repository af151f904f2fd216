#!lua flags=no-writes
-- Reads turns by their ordinals.
--
-- KEYS  1 turns  2 ordinals of those that count
-- ARGV  1 'newest' or 'oldest' first  2 ordinal that all are below ('+inf' for none)  3 how many (-1 for all)
-- Returns id, row, id, row …
local ids
if ARGV[1] == 'newest' then
  ids = redis.call('ZRANGE', KEYS[2], '(' .. ARGV[2], '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[3])
else
  ids = redis.call('ZRANGE', KEYS[2], '-inf', '(' .. ARGV[2], 'BYSCORE', 'LIMIT', 0, ARGV[3])
end
local found = {}
for _, id in ipairs(ids) do
  found[#found + 1] = id
  found[#found + 1] = redis.call('HGET', KEYS[1], id)
end
return found
