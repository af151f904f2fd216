// What the tests of the client send.
import { assistant, type Json } from '../support/server.ts';

let sent = 0;

/** Options of a session that may do everything. */
export const free: Json = { permissions: { mode: 'bypassPermissions' } };
/** Bash asks each time. */
export const asking: Json = { permissions: { ask: ['Bash'] } };

/** A message with one command, whose call has an id of its own. */
export function bash(command: string): Json {
  sent += 1;
  return assistant([{ id: `toolu_${sent}`, name: 'Bash', input: { command } }]);
}
