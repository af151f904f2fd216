// A message of one call that does nothing, one POST at a time, against a bare Fastify that sends the body back.
import { callId, createSession, httpClient, type HttpClient } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import type { ServerProcess } from '../server-process.ts';
import { median } from '../statistics.ts';

const CALLS = 300;
const WARM_UPS = 10;
const BALLAST = 'x'.repeat(1_000);

export async function postNoop(toolexec: ServerProcess, floors: ServerProcess): Promise<Contest> {
  const ours = httpClient(toolexec.address('http'));
  const theirs = httpClient(floors.address('http'));
  const session = await createSession(ours);
  return {
    calls: CALLS,
    warmUps: WARM_UPS,
    lines: [{ row: '5', name: 'POST of one no-op call, 1.2 kB', against: 'Fastify echo', unit: 'µs', target: null }],
    async measure(oursFirst) {
      const before = await toolexec.use();
      const times = await both(oursFirst, {
        ours: () => medianOfPosts(ours, `/v1/sessions/${session}/messages`),
        theirs: () => medianOfPosts(theirs, '/echo'),
      });
      const after = await toolexec.use();
      return [{ ...times, cpuUs: (after.cpuUs - before.cpuUs) / CALLS }];
    },
    async close() {
      await ours.close();
      await theirs.close();
    },
  };
}

/** Median time of a POST of a message of one call, in microseconds. */
export async function medianOfPosts(http: HttpClient, path: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const input = { ballast: BALLAST };
    const body = JSON.stringify({ role: 'assistant', content: [{ type: 'tool_use', id: callId(), name: 'Echo', input }] });
    const sentMs = performance.now();
    await http.post(path, body);
    times.push((performance.now() - sentMs) * 1000);
  }
  return median(times);
}
