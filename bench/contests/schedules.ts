// Scripts of calls that take time, over a socket, against the schedule of a server that loses none.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { callId, createSession, framesOf, httpClient, openSocket, TOOL_RESULT, TURN_COMPLETED } from '../client.ts';
import type { Contest, Pair } from '../contest.ts';
import { idealTimes } from '../ideal-schedule.ts';
import type { Script } from '../scripts.ts';

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

/** The ideal is that of the arrivals as they were: a client that sends late is not the service's delay. */
async function play(socket: WebSocket, script: Script): Promise<Pair[]> {
  const received = framesOf(socket, TOOL_RESULT, script.calls.length);
  const ended = framesOf(socket, TURN_COMPLETED);
  const startMs = performance.now();
  const arrivals = script.over === 'message' ? sendMessage(socket, script) : await sendOneByOne(socket, script, startMs);
  const results = await received;
  await ended;
  const ideal = idealTimes(script.calls.map((call, index) => ({ ...call, arrivalMs: arrivals[index] ?? 0 })));
  const faults = countFaults(results.map(({ text }) => text));
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

/** Results out of call order, and calls that ran beside a write. */
function countFaults(frames: readonly string[]): number {
  const results = frames.map((text) => JSON.parse(text) as { index: number; result: { content: unknown } });
  return results.filter(({ index, result }, position) => index !== position || result.content !== 'waited').length;
}
