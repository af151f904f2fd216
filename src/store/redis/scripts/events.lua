#!lua flags=no-writes
-- Reads the entries of a log from the one that holds the event after a seq, until they hold enough events, or enough bytes.
--
-- KEYS  1 session  2 log
-- ARGV  1 seq  2 how many events  3 bytes after which no more are read
-- Returns the seq of the event before the first that is wanted and kept, then id, lines, id, lines … as commit.lua writes them,
--         with at least one such event if there is one.
local AT_ONCE = 8
local first = tonumber(redis.call('HGET', KEYS[1], 'first') or '1')
local after = math.max(tonumber(ARGV[1]), first - 1)
local last, enough, bytes = after, after + tonumber(ARGV[2]), tonumber(ARGV[3])
local found = { string.format('%.0f', after) }
while last < enough and bytes > 0 do
  local entries = redis.call('XRANGE', KEYS[2], string.format('%.0f-0', last + 1), '+', 'COUNT', AT_ONCE)
  for _, entry in ipairs(entries) do
    local id, lines = entry[1], entry[2][2]
    found[#found + 1] = id
    found[#found + 1] = lines
    bytes = bytes - #lines
    last = tonumber(string.match(id, '^%d+'))
  end
  if #entries < AT_ONCE then
    break
  end
end
return found
