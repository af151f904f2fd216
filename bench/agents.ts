// Sessions at work: each makes a call, thinks a little and makes the next; what they call is as mixed as an agent's work.
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebSocket } from 'ws';
import { callId, createPlace, framesOf, httpClient, openSocket, times, TOOL_RESULT } from './client.ts';
import { linesOf } from './files.ts';
import type { ServerProcess } from './server-process.ts';
import { endTurns } from './socket-load.ts';

/** Milliseconds between a result and the next call of a session. */
const THINKING = { least: 250, most: 750 };
const AT_ONCE = 8;

const NOOP = { name: 'Echo', input: {} };
/** Every tenth call is none of nothing, and every tenth of those a command. */
const OTHERS = [
  { name: 'Read', input: { file_path: 'notes.txt' } },
  { name: 'Glob', input: { pattern: '*.txt' } },
  { name: 'Wait', input: { ms: 20, safe: false } },
  { name: 'Read', input: { file_path: 'notes.txt', limit: 10 } },
  { name: 'Bash', input: { command: 'true' } },
];
const OTHER_EACH = 10;

export interface Agents {
  /** Lets all work for so long. */
  work(ms: number): Promise<{ noopsMs: number[]; faults: number }>;
  close(): void;
}

export async function openAgents(server: ServerProcess, count: number): Promise<Agents> {
  const http = httpClient(server.address('http'));
  const sockets: WebSocket[] = [];
  await times(count, AT_ONCE, async () => {
    const { id, directory } = await createPlace(http);
    await writeFile(join(directory, 'notes.txt'), linesOf(100));
    sockets.push(await openSocket(`ws://${server.address('http')}/v1/sessions/${id}/stream`));
  });
  await http.close();
  let call = 0;
  const nextUse = () => {
    call += 1;
    return call % OTHER_EACH === 0 ? (OTHERS[(call / OTHER_EACH) % OTHERS.length] ?? NOOP) : NOOP;
  };
  return {
    async work(ms) {
      const untilMs = performance.now() + ms;
      const done = await Promise.all(sockets.map((socket) => workOf(socket, { untilMs, nextUse })));
      await endTurns(sockets);
      return { noopsMs: done.flatMap(({ noopsMs }) => noopsMs), faults: done.reduce((sum, { faults }) => sum + faults, 0) };
    },
    close() {
      for (const socket of sockets) socket.close();
    },
  };
}

async function workOf(socket: WebSocket, { untilMs, nextUse }: { untilMs: number; nextUse: () => typeof NOOP | (typeof OTHERS)[number] }) {
  const noopsMs: number[] = [];
  let faults = 0;
  await pause();
  do {
    const use = nextUse();
    const answer = framesOf(socket, TOOL_RESULT);
    const sentMs = performance.now();
    socket.send(JSON.stringify({ type: 'tool_use', id: callId(), ...use }));
    const [result] = await answer;
    if (use === NOOP) noopsMs.push((result?.atMs ?? sentMs) - sentMs);
    if (result?.text.includes('"outcome":"ok"') !== true) faults += 1;
    await pause();
  } while (performance.now() < untilMs);
  return { noopsMs, faults };
}

function pause(): Promise<void> {
  return sleep(THINKING.least + Math.random() * (THINKING.most - THINKING.least));
}
