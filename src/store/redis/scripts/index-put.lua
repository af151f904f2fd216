#!lua
-- Puts a session into an index, or moves it there.
--
-- KEYS  1 entries  2 notes
-- ARGV  1 session id  2 score  3 version of the session  4 what the note says beside its stamp
--       5 the highest stamp that may be overwritten, or '' for any
-- Returns the entry's new stamp: above the version, and about the milliseconds since 1970 of this server. Nil when it was not put.
local now = redis.call('TIME')
local stamp = string.format('%.0f', math.max(tonumber(ARGV[3]) + 1, now[1] * 1000 + math.floor(now[2] / 1000)))
if ARGV[5] ~= '' then
  local note = redis.call('HGET', KEYS[2], ARGV[1])
  if not note or tonumber(string.match(note, '^%d+')) > tonumber(ARGV[5]) then
    return nil
  end
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], stamp .. ' ' .. ARGV[4])
return stamp
