// A real client of MCP over Streamable HTTP.
import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport, type ElicitResult, type ListChangedHandlers } from '@modelcontextprotocol/client';
import type { TestServer } from '../../support/server.ts';

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface ClientWishes {
  readonly revision: Revision;
  readonly sessionId?: string;
  readonly key?: string;
  /** How its people answer; without it they cannot be asked. */
  readonly answer?: (message: string, form: unknown) => ElicitResult | Promise<ElicitResult>;
  readonly listChanged?: ListChangedHandlers;
}

export interface ConnectedClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

export async function connectClient(t: TestContext, server: TestServer, wishes: ClientWishes): Promise<ConnectedClient> {
  const { revision, sessionId, key, answer, listChanged } = wishes;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
      capabilities: answer === undefined ? {} : { elicitation: {} },
      ...(listChanged && { listChanged }),
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) =>
      answer(params.message, 'requestedSchema' in params ? params.requestedSchema : undefined),
    );
  }
  const url = new URL(`${server.url}/mcp${sessionId === undefined ? '' : `?session_id=${sessionId}`}`);
  const transport = new StreamableHTTPClientTransport(
    url,
    key === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${key}` } } },
  );
  t.after(() => client.close());
  await client.connect(transport);
  return { client, transport };
}

/** The text of a result. */
export function textIn({ content }: { content: unknown }): string {
  return (content as { type: string; text?: string }[]).map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

export function outcomeOf({ _meta: meta }: { _meta?: Record<string, unknown> | undefined }): unknown {
  return meta?.['toolexec/outcome'];
}
