// Ten commands in one concurrent batch, against ten shells that a small server starts by hand.
import { callId, createSession, httpClient } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import type { ServerProcess } from '../server-process.ts';
import { median } from '../statistics.ts';

const COMMANDS = 10;
/** Batches a round. */
const BATCHES = 10;

interface Reply {
  turn: { batches: unknown[]; calls: { outcome: string }[] };
}

export async function bashBatch(toolexec: ServerProcess, floors: ServerProcess): Promise<Contest> {
  const ours = httpClient(toolexec.address('http'));
  const theirs = httpClient(floors.address('http'));
  const session = await createSession(ours);

  async function runBatch(): Promise<void> {
    const uses = Array.from({ length: COMMANDS }, () => ({ type: 'tool_use', id: callId(), name: 'Bash', input: { command: 'true' } }));
    const reply = JSON.parse(
      await ours.post(`/v1/sessions/${session}/messages`, JSON.stringify({ role: 'assistant', content: uses })),
    ) as Reply;
    const { batches, calls } = reply.turn;
    if (batches.length !== 1 || calls.some(({ outcome }) => outcome !== 'ok'))
      throw new Error(`The commands did not run as one batch: ${JSON.stringify(reply.turn)}`);
  }

  return {
    calls: COMMANDS * BATCHES,
    warmUps: 1,
    lines: [{ row: '6', name: '10 × Bash true in one batch', against: '10 raw spawns', unit: 'ms', target: 1.2 }],
    async measure(oursFirst) {
      return [
        await both(oursFirst, {
          ours: () => timeOf(runBatch),
          theirs: () => timeOf(async () => void (await theirs.post('/spawn', JSON.stringify({ count: COMMANDS })))),
        }),
      ];
    },
    async close() {
      await ours.close();
      await theirs.close();
    },
  };
}

/** Median time of a batch, in milliseconds. */
async function timeOf(run: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < BATCHES; n += 1) {
    const startMs = performance.now();
    await run();
    times.push(performance.now() - startMs);
  }
  return median(times);
}
