#!lua
-- Says what an index should have of a session. Where that differs from what it has, the session's version goes up, so that a
-- commit which has just written the index and not yet the session has to begin again.
--
-- KEYS  1 session  2 open turns
-- ARGV  1 which index: e expiry, l list of an owner, o open turns  2 stamp of its entry
--       3 score of its entry (e)
-- Returns  {'gone'}: there is no such session
--          {'keep'}: the entry is right
--          {'move', version, score}: it belongs there      {'drop', version}: it does not belong into the index
local session, open = KEYS[1], KEYS[2]
local known = redis.call('HMGET', session, 'version', 'expiresAt')
if not known[1] then
  return { 'gone' }
end
local function raise()
  local version = string.format('%.0f', math.max(tonumber(known[1]) + 1, tonumber(ARGV[2])))
  redis.call('HSET', session, 'version', version)
  return version
end

if ARGV[1] == 'e' then
  if tonumber(known[2]) == tonumber(ARGV[3]) then
    return { 'keep' }
  end
  redis.call('HSET', session, 'indexedExpiry', known[2])
  return { 'move', raise(), known[2] }
end
if ARGV[1] == 'l' then
  return { 'keep' }
end
if redis.call('ZCARD', open) > 0 then
  return { 'keep' }
end
redis.call('HDEL', session, 'indexedOpen')
return { 'drop', raise() }
