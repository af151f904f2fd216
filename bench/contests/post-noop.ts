// A message of one call that does nothing, one POST at a time, against a bare Fastify that sends the body back.
import { callId, createSession, httpClient, type HttpClient } from '../client.ts';
import { bothWithCpu, type Contest } from '../contest.ts';
import { median } from '../statistics.ts';
import { timesOf } from '../timed.ts';

export const POSTS = 300;
export const POST_WARM_UPS = 15;
export const BALLAST = 'x'.repeat(1_000);

export function postNoop(): Contest {
  return {
    calls: POSTS,
    warmUps: POST_WARM_UPS,
    lines: [{ row: '5', name: 'POST of one no-op call, 1.2 kB: p50', against: 'Fastify echo', unit: 'µs', target: null }],
    async open({ toolexec, floors }) {
      const ours = httpClient(toolexec.address('http'));
      const theirs = httpClient(floors.address('http'));
      const session = await createSession(ours);
      return {
        measure: async (oursFirst) => [
          await bothWithCpu(oursFirst, {
            server: toolexec,
            calls: POSTS,
            ours: () => medianOfPosts(ours, `/v1/sessions/${session}/messages`),
            theirs: () => medianOfPosts(theirs, '/echo'),
          }),
        ],
        async close() {
          await ours.close();
          await theirs.close();
        },
      };
    },
  };
}

/** Median time of a POST of a message of one call, in microseconds. */
export async function medianOfPosts(http: HttpClient, path: string): Promise<number> {
  return median(await timesOf(POSTS, () => http.post(path, noopMessage()))) * 1000;
}

/** A message of one call that does nothing, of 1.2 kB. */
export function noopMessage(): string {
  const input = { ballast: BALLAST };
  return JSON.stringify({ role: 'assistant', content: [{ type: 'tool_use', id: callId(), name: 'Echo', input }] });
}
