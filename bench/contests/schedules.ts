// Scripts of calls that take time, over a socket, against the schedule of a server that loses none.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { callId, createSession, framesOf, httpClient, openSocket, TOOL_RESULT, TURN_COMPLETED } from '../client.ts';
import type { Contest, Pair } from '../contest.ts';
import { idealTimes } from '../ideal-schedule.ts';
import type { Script } from '../scripts.ts';
import { noopFrame, turnOfCalls } from './socket-noop.ts';

/** Turns of calls that do nothing, before the script is played. */
const WARM_UP_TURNS = 10;

export function scheduleContest(script: Script): Contest {
  const line = { row: '8', against: 'the ideal', unit: 'ms', target: 1.02 } as const;
  return {
    calls: script.calls.length,
    warmUps: 1,
    lines: [
      { ...line, name: `${script.name}: finish` },
      { ...line, name: `${script.name}: first result` },
    ],
    async open({ toolexec }) {
      const http = httpClient(toolexec.address('http'));
      const session = await createSession(http);
      const socket = await openSocket(`ws://${toolexec.address('http')}/v1/sessions/${session}/stream`);
      // A script has few calls: these warm up what they go through.
      for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await turnOfCalls(socket, noopFrame);
      return {
        measure: () => play(socket, script),
        async close() {
          socket.close();
          await http.close();
        },
      };
    },
  };
}

/** A result that the client was told of. */
interface Told {
  readonly index: number;
  readonly result: { readonly content: string };
}

/**
 * The ideal is that of the arrivals and durations as they were: a client that sends late, and a timer that fires late in the tool,
 * are not the service's delay.
 */
async function play(socket: WebSocket, script: Script): Promise<Pair[]> {
  const received = framesOf(socket, TOOL_RESULT, script.calls.length);
  const ended = framesOf(socket, TURN_COMPLETED);
  const startMs = performance.now();
  const arrivals = script.over === 'message' ? sendMessage(socket, script) : await sendOneByOne(socket, script, startMs);
  const results = await received;
  await ended;
  const told = results.map(({ text }) => JSON.parse(text) as Told);
  const took = told.map(({ result }) => Number(/^waited ([\d.]+)$/.exec(result.content)?.[1]));
  const ideal = idealTimes(
    script.calls.map(({ safe, durationMs }, index) => ({ safe, durationMs: took[index] ?? durationMs, arrivalMs: arrivals[index] ?? 0 })),
  );
  // A result out of call order, and a call that ran beside a write.
  const faults = told.filter(({ index }, position) => index !== position || Number.isNaN(took[position])).length;
  return [
    { ours: (results.at(-1)?.atMs ?? 0) - startMs, theirs: ideal.finishMs, faults },
    { ours: (results[0]?.atMs ?? 0) - startMs, theirs: ideal.firstMs, faults },
  ];
}

function useOf({ durationMs, safe }: Script['calls'][number]) {
  return { type: 'tool_use', id: callId(), name: 'Wait', input: { ms: durationMs, safe } };
}

function sendMessage(socket: WebSocket, { calls }: Script): number[] {
  socket.send(JSON.stringify({ type: 'message', message: { role: 'assistant', content: calls.map(useOf) } }));
  return calls.map(() => 0);
}

async function sendOneByOne(socket: WebSocket, { calls }: Script, startMs: number): Promise<number[]> {
  const arrivals: number[] = [];
  for (const call of calls) {
    await sleep(Math.max(0, startMs + call.arrivalMs - performance.now()));
    arrivals.push(performance.now() - startMs);
    socket.send(JSON.stringify(useOf(call)));
  }
  socket.send('{"type":"end"}');
  return arrivals;
}
