#!lua
-- Writes one step of a session, all or nothing: whatever could refuse it is looked at before the first write.
--
-- KEYS  1 session  2 log  3 turns  4 ordinals  5 open turns  6 calls  7 names of calls  8 epoch
-- ARGV  1 id of this commit, by which a repeat of the last one is known, or '' for none   2 epoch, or '' for none
--       3 version at which the indexes were written for this step, or '' when they were not   4 their stamp
--       5 seq of the first event, or '' when there are none
--       then '0', or '1' owner createdAt expiresAt document
--       then '0', or '1' id ordinal open(0|1) document
--       then how many calls, each: turn id, its two names, row
--       then the events, numbered from the first one, in groups: how many, and a line of JSON for each
-- Returns  {'ok'}: written, now or by the same commit before
--          {'index', version, wants}: nothing written; write the indexes first (letters: e expiry, l list of the owner, o open turns)
--          {'stale'}  {'no-session'}  {'seq', the one it must be}  {'no-turn', id}  {'ordinal', n}: nothing written
local session, log, turns, ordinals, open = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local calls, names, epoch_key = KEYS[6], KEYS[7], KEYS[8]
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end
local function whole(number)
  return string.format('%.0f', number)
end

local id, epoch, indexed_at, stamp, first = take(), take(), take(), take(), take()
local row, turn, rows = nil, nil, {}
if take() == '1' then
  row = { owner = take(), created = take(), expires = take(), document = take() }
end
if take() == '1' then
  turn = { id = take(), ordinal = take(), open = take(), document = take() }
end
for i = 1, tonumber(take()) do
  rows[i] = { turn = take(), in_turn = take(), by_id = take(), row = take() }
end
local groups = (#ARGV - at) / 2

local known = redis.call('HMGET', session, 'version', 'last', 'indexedExpiry', 'indexedOpen', 'commit', 'top')
local version, last, top = known[1], tonumber(known[2] or '0'), tonumber(known[6] or '-1')
local indexed_expiry, indexed_open = known[3], known[4]

if id ~= '' and known[5] == id then
  return { 'ok' }
end
if epoch ~= '' and (redis.call('GET', epoch_key) or '0') ~= epoch then
  return { 'stale' }
end
if not version and not row then
  return { 'no-session' }
end
if groups > 0 and tonumber(first) ~= last + 1 then
  return { 'seq', whole(last + 1) }
end
-- Of a turn above all others nothing is there yet.
local known_turn = turn and tonumber(turn.ordinal) <= top
if known_turn then
  local same = redis.call('ZRANGEBYSCORE', ordinals, turn.ordinal, turn.ordinal)
  if same[1] and same[1] ~= turn.id then
    return { 'ordinal', turn.ordinal }
  end
end
for _, call in ipairs(rows) do
  if not (turn and turn.id == call.turn) and redis.call('HEXISTS', turns, call.turn) == 0 then
    return { 'no-turn', call.turn }
  end
end

local wants = ''
if row and (not indexed_expiry or tonumber(row.expires) < tonumber(indexed_expiry)) then
  wants = wants .. 'e'
end
if row and not version then
  wants = wants .. 'l'
end
if turn and turn.open == '1' and not indexed_open then
  wants = wants .. 'o'
end
if wants ~= '' and indexed_at ~= (version or '0') then
  return { 'index', version or '0', wants }
end

local next_version = whole(math.max(tonumber(version or '0') + 1, tonumber(stamp) or 0))
if row then
  redis.call('HSET', session, 'owner', row.owner, 'createdAt', row.created, 'expiresAt', row.expires, 'document', row.document)
  if string.find(wants, 'e', 1, true) then
    redis.call('HSET', session, 'indexedExpiry', row.expires)
  end
  if not version then
    redis.call('PERSIST', epoch_key)
  end
end
if turn then
  redis.call('HSET', turns, turn.id, turn.ordinal .. ' ' .. turn.open .. ' ' .. turn.document)
  redis.call('ZADD', ordinals, turn.ordinal, turn.id)
  if turn.open == '1' then
    redis.call('ZADD', open, turn.ordinal, turn.id)
    redis.call('HSET', session, 'indexedOpen', '1')
  elseif known_turn then
    redis.call('ZREM', open, turn.id)
  end
  top = math.max(top, tonumber(turn.ordinal))
end
for _, call in ipairs(rows) do
  redis.call('HSET', calls, call.in_turn, call.row)
  redis.call('ZADD', names, 0, call.in_turn, 0, call.by_id)
end
-- A group is one entry, under the number of its last event and, behind the dash, how many are before that: so whatever follows
-- a number is what lies behind it, and what was read and trimmed by event is so by entry.
for i = 1, groups do
  local count = tonumber(take())
  last = last + count
  redis.call('XADD', log, whole(last) .. '-' .. (count - 1), 'e', take())
end
redis.call('HSET', session, 'version', next_version, 'last', whole(last), 'commit', id, 'top', whole(top))
return { 'ok' }
