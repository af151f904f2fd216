// Many calls in one session, message after message, each result compared with what it must be; a socket watches the log.
import { setTimeout as sleep } from 'node:timers/promises';
import { callId, openSocket, type HttpClient } from '../client.ts';
import { eventHead } from './event-head.ts';

const CALLS_A_MESSAGE = 20;

interface Reply {
  readonly messages: readonly { readonly content: readonly { readonly tool_use_id: string; readonly content: string }[] }[];
}

export interface Counted {
  readonly calls: number;
  /** Those that had no result, or not theirs, or not in their place. */
  readonly lost: number;
}

export async function runMessage(http: HttpClient, session: string): Promise<Counted> {
  const uses = Array.from({ length: CALLS_A_MESSAGE }, () => {
    const id = callId();
    return { type: 'tool_use', id, name: 'Echo', input: { text: `the text of ${id}` } };
  });
  const body = JSON.stringify({ role: 'assistant', content: uses });
  const reply = JSON.parse(await http.post(`/v1/sessions/${session}/messages`, body)) as Reply;
  const results = reply.messages[0]?.content ?? [];
  const lost = uses.filter(({ id, input }, index) => results[index]?.tool_use_id !== id || results[index]?.content !== input.text).length;
  return { calls: uses.length, lost };
}

export interface Watcher {
  /** How many of so many results have not come, also after a moment of waiting. */
  missing(results: number): Promise<number>;
  /** Events that did not follow their predecessor's number. */
  gaps(): number;
  close(): void;
}

/** A second reader of the session, which must miss nothing either. */
export async function watch(socketUrl: string): Promise<Watcher> {
  const socket = await openSocket(socketUrl);
  let results = 0;
  let gaps = 0;
  let last: number | undefined;
  socket.on('message', (data: Buffer) => {
    const head = eventHead(data);
    if (head === null) return;
    if (last !== undefined && head.seq !== last + 1) gaps += 1;
    last = head.seq;
    if (head.type === 'tool_result') results += 1;
  });
  async function missing(expected: number): Promise<number> {
    const left = (): number => expected - results;
    for (let waits = 0; left() > 0 && waits < 50; waits += 1) await sleep(100);
    return left();
  }
  return { missing, gaps: () => gaps, close: () => socket.close() };
}
