// Messages of one call that does nothing, over 64 connections at once, against a bare Fastify that sends the bodies back.
import { createSession, httpClient } from '../client.ts';
import { bothWithCpu, type Contest } from '../contest.ts';
import { openPostLoad, type PostLoad } from '../post-load.ts';
import type { ServerProcess } from '../server-process.ts';
import { noopMessage } from './post-noop.ts';

const CONNECTIONS = 64;
const REQUESTS = 2_000;

export function postRate(): Contest {
  return {
    calls: REQUESTS,
    warmUps: 3,
    lines: [{ row: '1', name: 'POST of one no-op call, 64 connections', against: 'Fastify echo', unit: '/s', target: 0.8 }],
    async open({ toolexec, floors }) {
      const ours = await openMessages(toolexec, CONNECTIONS);
      const theirs = await openPostLoad(floors.address('http'), { paths: Array(CONNECTIONS).fill('/echo'), body: noopMessage });
      return {
        measure: async (oursFirst) => [
          await bothWithCpu(oursFirst, {
            server: toolexec,
            calls: REQUESTS,
            ours: () => ours.run(REQUESTS),
            theirs: () => theirs.run(REQUESTS),
          }),
        ],
        async close() {
          ours.close();
          theirs.close();
        },
      };
    },
  };
}

/** Connections that post to a session each, since the turns of one run one after another. */
export async function openMessages(server: ServerProcess, connections: number): Promise<PostLoad> {
  const http = httpClient(server.address('http'));
  const paths: string[] = [];
  for (let n = 0; n < connections; n += 1) paths.push(`/v1/sessions/${await createSession(http)}/messages`);
  await http.close();
  return openPostLoad(server.address('http'), { paths, body: noopMessage });
}
