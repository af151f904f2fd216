// A round of a session: calls of every kind, each result looked at, and nothing left running when it ends.
import type { WebSocket } from 'ws';
import { callId, createPlace, createSession, framesOf, openSocket, TOOL_RESULT, TURN_COMPLETED, type HttpClient } from '../client.ts';
import { passingReader, type PassingReader } from './passing-reader.ts';
import { runMessage, watch, type Counted, type Watcher } from './run-calls.ts';

/** Fewer than a round of the session has events. */
const EVENTS_A_VISIT = 60;
const STREAMED_CALLS = 5;
const FILES = 20;
const COMMAND_CHARS = 50_000;

export interface MixedSession {
  /** @throws Error when the service refuses something */
  round(): Promise<Counted>;
  readonly watcher: Watcher;
  readonly reader: PassingReader;
  close(): void;
}

interface Use {
  readonly name: string;
  readonly input: unknown;
  /** Must be in the result, which must be no error. */
  readonly says: string;
}

/** @param address `host:port` of the service */
export async function openMixedSession(http: HttpClient, address: string): Promise<MixedSession> {
  const { id: session, directory } = await createPlace(http);
  const url = `ws://${address}/v1/sessions/${session}/stream`;
  const watcher = await watch(url);
  const reader = passingReader(url);
  let rounds = 0;
  return {
    watcher,
    reader,
    close: () => watcher.close(),
    async round() {
      rounds += 1;
      const socket = await openSocket(url);
      const counts: Counted[] = [];
      counts.push(await runMessage(http, session));
      counts.push(await runUses(http, session, fileUses(directory, rounds)));
      counts.push(await streamed(socket));
      counts.push(await aborted(socket));
      socket.close();
      await Promise.all([reader.visit(EVENTS_A_VISIT), shortSession(http)]);
      return { calls: sum(counts, 'calls'), lost: sum(counts, 'lost') };
    },
  };
}

function fileUses(directory: string, rounds: number): Use[] {
  const file_path = `${directory}/notes-${rounds % FILES}.txt`;
  const [before, after] = [`one thing of round ${rounds}`, `another thing of round ${rounds}`];
  return [
    { name: 'Bash', input: { command: `rm -f ${file_path}; head -c ${COMMAND_CHARS} /dev/zero | tr '\\0' x` }, says: 'xxxxxxxx' },
    { name: 'Write', input: { file_path, content: `${before}\n` }, says: '' },
    { name: 'Read', input: { file_path }, says: before },
    { name: 'Edit', input: { file_path, old_string: before, new_string: after }, says: '' },
    { name: 'Grep', input: { pattern: after, path: directory, output_mode: 'content' }, says: after },
  ];
}

interface Reply {
  readonly messages: readonly {
    readonly content: readonly { readonly tool_use_id: string; readonly content: unknown; readonly is_error?: boolean }[];
  }[];
}

async function runUses(http: HttpClient, session: string, uses: readonly Use[]): Promise<Counted> {
  const content = uses.map(({ name, input }) => ({ type: 'tool_use', id: callId(), name, input }));
  const text = await http.post(`/v1/sessions/${session}/messages`, JSON.stringify({ role: 'assistant', content }));
  const results = (JSON.parse(text) as Reply).messages[0]?.content ?? [];
  const lost = uses.filter(({ says }, index) => {
    const result = results[index];
    return result?.tool_use_id !== content[index]?.id || result?.is_error === true || !JSON.stringify(result?.content).includes(says);
  });
  return { calls: uses.length, lost: lost.length };
}

/** Calls one by one over a socket, which end their turn. */
async function streamed(socket: WebSocket): Promise<Counted> {
  const ids = Array.from({ length: STREAMED_CALLS }, callId);
  const results = framesOf(socket, TOOL_RESULT, STREAMED_CALLS);
  const completed = framesOf(socket, TURN_COMPLETED);
  for (const id of ids) socket.send(JSON.stringify({ type: 'tool_use', id, name: 'Echo', input: { text: `the text of ${id}` } }));
  socket.send('{"type":"end"}');
  const texts = (await results).map(({ text }) => text);
  await completed;
  return { calls: ids.length, lost: ids.filter((id, index) => texts[index]?.includes(`the text of ${id}"`) !== true).length };
}

/** A call that would take long, and is stopped with its turn. */
async function aborted(socket: WebSocket): Promise<Counted> {
  const started = framesOf(socket, '{"type":"call_started"');
  const result = framesOf(socket, TOOL_RESULT);
  const completed = framesOf(socket, TURN_COMPLETED);
  socket.send(JSON.stringify({ type: 'tool_use', id: callId(), name: 'Bash', input: { command: 'sleep 600' } }));
  await started;
  socket.send('{"type":"abort"}');
  const [{ text } = { text: '' }] = await result;
  await completed;
  return { calls: 1, lost: text.includes('"is_error":true') ? 0 : 1 };
}

/** One that is there for a message alone. Its calls are in nobody's log after it. */
async function shortSession(http: HttpClient): Promise<void> {
  const session = await createSession(http);
  const { lost } = await runMessage(http, session);
  if (lost > 0) throw new Error(`${lost} results were lost in a session of one message.`);
  await http.delete(`/v1/sessions/${session}`);
}

function sum(counts: readonly Counted[], key: keyof Counted): number {
  return counts.reduce((all, count) => all + count[key], 0);
}
