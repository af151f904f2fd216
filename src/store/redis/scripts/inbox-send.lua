#!lua
-- Leaves a message for the owner of a session.
--
-- KEYS  1 inbox
-- ARGV  1 text  2 how many may wait  3 milliseconds after which an inbox goes that nobody writes to  4 channel that is told
-- Returns the id of the message, or nil when too many wait.
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[2]) then
  return nil
end
local id = redis.call('XADD', KEYS[1], '*', 'm', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[4], id)
return id
