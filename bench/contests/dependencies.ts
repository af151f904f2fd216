// Turns as agents have them, with `schedule: "dependencies"`: against the partition of the same server, and against the ideal.
import type { WebSocket } from 'ws';
import { callId, createSession, framesOf, httpClient, openSocket, TURN_COMPLETED } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import { idealFinish, type TurnShape } from '../turn-shapes.ts';

export function dependenciesContest(shape: TurnShape): Contest {
  const line = { row: '14', unit: 'ms' } as const;
  const name = `${shape.name}, by dependencies`;
  return {
    calls: shape.calls.length,
    warmUps: 1,
    lines: [
      { ...line, name, against: 'partition', target: 1.02 / shape.gain },
      { ...line, name, against: 'the ideal', target: 1.1 },
    ],
    async open({ toolexec }) {
      const http = httpClient(toolexec.address('http'));
      const open = async (schedule: 'partition' | 'dependencies') => {
        const session = await createSession(http, { execution: { schedule } });
        return openSocket(`ws://${toolexec.address('http')}/v1/sessions/${session}/stream`);
      };
      const [byDependencies, byPartition] = [await open('dependencies'), await open('partition')];
      return {
        async measure(oursFirst) {
          const times = await both(oursFirst, { ours: () => play(byDependencies, shape), theirs: () => play(byPartition, shape) });
          return [times, { ours: times.ours, theirs: idealFinish(shape.calls, 'dependencies') }];
        },
        async close() {
          byDependencies.close();
          byPartition.close();
          await http.close();
        },
      };
    },
  };
}

/** @returns milliseconds until the turn has ended */
async function play(socket: WebSocket, { calls }: TurnShape): Promise<number> {
  const content = calls.map(({ durationMs, reads, writes }) => ({
    type: 'tool_use',
    id: callId(),
    name: 'Wait',
    input: { ms: durationMs, safe: writes === undefined, ...(reads && { reads }), ...(writes && { writes }) },
  }));
  const ended = framesOf(socket, TURN_COMPLETED);
  const startMs = performance.now();
  socket.send(JSON.stringify({ type: 'message', message: { role: 'assistant', content } }));
  const [last] = await ended;
  return (last?.atMs ?? 0) - startMs;
}
