// A call has two names in one sorted set, which is in order of bytes: `t`, its turn, its id, under which its row lies, so that the calls
// of a turn are side by side; and `i`, its id, its turn, so that an id is found. Each first part has its length in bytes in front,
// and ids are JSON text.
import type { CallRow } from '../../contract/index.ts';

/** Between which names, from the first to before the second, all of one kind are. */
export type Range = readonly [from: string, to: string];

export function callNames({ turnId, toolUseId }: Pick<CallRow, 'turnId' | 'toolUseId'>): { inTurn: string; byId: string } {
  const id = JSON.stringify(toolUseId);
  return { inTurn: `t${counted(turnId)}${id}`, byId: `i${counted(id)}${turnId}` };
}

/** The calls of a turn: behind it comes the quotation mark of an id. */
export function namesOfTurn(turnId: string): Range {
  return [`t${counted(turnId)}"`, `t${counted(turnId)}#`];
}

/** The calls of an id, in whichever turn. */
export function namesOfId(toolUseId: string): Range {
  const head = `i${counted(JSON.stringify(toolUseId))}`;
  // It ends with a quotation mark: what begins like it is below what has the next character there.
  return [head, `${head.slice(0, -1)}#`];
}

function counted(text: string): string {
  return `${Buffer.byteLength(text)}:${text}`;
}
