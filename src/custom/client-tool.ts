import type { Tool } from '../contract/index.ts';

/** Milliseconds that a client has for one of its calls. */
const CLIENT_TIMEOUT_MS = 300_000;

/** How a tool of the client's is called: the client does the work. */
export const clientExecution: Pick<Tool, 'timeoutMs' | 'call'> = {
  timeoutMs: CLIENT_TIMEOUT_MS,
  call: (input, { people }) => people.callClient(input),
};
