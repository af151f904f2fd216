// Calls of a session in one sorted set, whose members are in order of bytes: `<bytes of the turn id>:<turn id><tool_use id as JSON>`,
// a line break, which JSON text has none of, and the call as JSON. So those of a turn lie side by side, and so do two rows of one call.
import type { CallRow } from '../../contract/index.ts';

export function callMember(call: CallRow): string {
  return `${headOf(call.turnId)}${JSON.stringify(call.toolUseId)}\n${JSON.stringify(call)}`;
}

/** Between which members the calls of a turn are: behind the head comes a quotation mark. */
export function membersOfTurn(turnId: string): { from: string; to: string } {
  const head = headOf(turnId);
  return { from: `[${head}"`, to: `(${head}#` };
}

export function callOfMember(member: string): CallRow {
  return JSON.parse(member.slice(member.indexOf('\n') + 1)) as CallRow;
}

function headOf(turnId: string): string {
  return `${Buffer.byteLength(turnId)}:${turnId}`;
}
