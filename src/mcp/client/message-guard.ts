// Sees every message of a server before the SDK does.
import { isSpecType, type JSONRPCMessage } from '@modelcontextprotocol/client';

/** Requests and notifications in one second: no server has that much to tell. */
const MAX_PER_SECOND = 2_000;
const SECOND_MS = 1_000;

export interface MessageGuard {
  /** Takes tools out of a list that are none, since the SDK would refuse the whole list. */
  readonly onDropped: (name: string) => void;
  /** The server tells more than anybody can use. */
  readonly onFlood: () => void;
}

/** @returns what is to be called with each message, in order */
export function guardMessages({ onDropped, onFlood }: MessageGuard): (message: JSONRPCMessage) => void {
  let count = 0;
  let since = 0;
  return (message) => {
    if ('result' in message) return dropBroken(message.result, onDropped);
    if (!('method' in message)) return;
    const now = performance.now();
    if (now - since > SECOND_MS) [count, since] = [0, now];
    count += 1;
    if (count === MAX_PER_SECOND) onFlood();
  };
}

function dropBroken(result: Record<string, unknown>, onDropped: (name: string) => void): void {
  const { tools } = result;
  if (!Array.isArray(tools)) return;
  result['tools'] = tools.filter((tool: unknown) => {
    const whole = isSpecType.Tool(tool);
    if (!whole) onDropped(nameOf(tool));
    return whole;
  });
}

function nameOf(tool: unknown): string {
  const name: unknown = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined;
  return typeof name === 'string' ? name : '(without a name)';
}
