// A server of the official SDK with one tool that does nothing, over Streamable HTTP.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { serveParent } from './serve-parent.ts';

const server = new McpServer({ name: 'bench', version: '1' });
server.registerTool(
  'Echo',
  { description: 'Gives back its text.', inputSchema: z.looseObject({ text: z.string().default('') }) },
  ({ text }) => ({ content: [{ type: 'text', text }] }),
);
// One connection is all that the benchmark makes, and it is kept, which costs less than a transport a request.
const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
await server.connect(transport);

const http = createServer((request, response) => {
  void transport.handleRequest(request, response);
});
http.listen(0, '127.0.0.1');
await once(http, 'listening');

serveParent({
  ports: { http: (http.address() as AddressInfo).port },
  async close() {
    await server.close();
    http.closeAllConnections();
    http.close();
  },
});
