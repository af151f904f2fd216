// A POST of one call that does nothing, against what others take for one: the SDK of MCP over the network, LangGraph's ToolNode
// over the network and without any.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { callId, createSession, httpClient, type HttpClient } from '../client.ts';
import { both, type Contest, type World } from '../contest.ts';
import { installPeers } from '../peers.ts';
import { startServer } from '../server-process.ts';
import { median } from '../statistics.ts';
import { timesOf } from '../timed.ts';
import { BALLAST, medianOfPosts, POST_WARM_UPS, POSTS } from './post-noop.ts';

const line = { row: '5', name: 'POST of one no-op call, 1.2 kB: p50', unit: 'µs' } as const;

export function againstMcp(): Contest {
  return {
    calls: POSTS,
    warmUps: POST_WARM_UPS,
    lines: [{ ...line, against: 'MCP SDK, Streamable HTTP', target: 0.25 }],
    async open(world) {
      await using started = new AsyncDisposableStack();
      const server = started.adopt(await startServer({ file: 'mcp-server.ts' }), (running) => running.stop());
      const client = started.adopt(new Client({ name: 'bench', version: '1' }), (open) => open.close());
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://${server.address('http')}/mcp`)));
      const ours = started.adopt(await openPosts(world), (posts) => posts.close());
      const theirs = () => medianOf(() => client.callTool({ name: 'Echo', arguments: { ballast: BALLAST } }));
      const running = started.move();
      return {
        measure: async (oursFirst) => [await both(oursFirst, { ours: ours.run, theirs })],
        close: () => running.disposeAsync(),
      };
    },
  };
}

export function againstToolNode(): Contest {
  return {
    calls: POSTS,
    warmUps: POST_WARM_UPS,
    lines: [
      { ...line, against: 'LangGraph ToolNode behind Fastify', target: 1 },
      { ...line, against: 'LangGraph ToolNode, in process', target: 1 },
    ],
    async open(world) {
      await installPeers();
      await using started = new AsyncDisposableStack();
      const node = started.adopt(await startServer({ file: '../peers/tool-node.js' }), (running) => running.stop());
      const http = started.adopt(httpClient(node.address('http')), (client) => client.close());
      const ours = started.adopt(await openPosts(world), (posts) => posts.close());
      const running = started.move();
      return {
        async measure(oursFirst) {
          const overHttp = await both(oursFirst, { ours: ours.run, theirs: () => medianOf(() => postToNode(http)) });
          const inProcess = median((await node.ask('timesOfCalls', POSTS)) as number[]) * 1000;
          return [overHttp, { ours: overHttp.ours, theirs: inProcess }];
        },
        close: () => running.disposeAsync(),
      };
    },
  };
}

async function openPosts({ toolexec }: World) {
  const http = httpClient(toolexec.address('http'));
  const session = await createSession(http);
  return { run: () => medianOfPosts(http, `/v1/sessions/${session}/messages`), close: () => http.close() };
}

function postToNode(http: HttpClient): Promise<string> {
  const call = { type: 'tool_call', id: callId(), name: 'Echo', args: { ballast: BALLAST } };
  return http.post('/call', JSON.stringify({ tool_calls: [call] }));
}

/** Median time of a call, in microseconds. */
async function medianOf(call: () => Promise<unknown>): Promise<number> {
  return median(await timesOf(POSTS, call)) * 1000;
}
