#!lua flags=no-writes
-- Reads events after a seq until there are enough of them, or enough bytes.
--
-- KEYS  1 log
-- ARGV  1 seq  2 how many  3 bytes after which no more are read
-- Returns seq, json, seq, json … of at least one event if there is one.
local AT_ONCE = 8
local after, left, bytes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local found = {}
while left > 0 and bytes > 0 do
  local entries = redis.call('XRANGE', KEYS[1], string.format('%.0f-0', after + 1), '+', 'COUNT', math.min(left, AT_ONCE))
  for _, entry in ipairs(entries) do
    local seq, json = string.match(entry[1], '^%d+'), entry[2][2]
    found[#found + 1] = seq
    found[#found + 1] = json
    bytes = bytes - #json
    after = tonumber(seq)
  end
  left = left - #entries
  if #entries < AT_ONCE then
    break
  end
end
return found
