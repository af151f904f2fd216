import { ProtocolError, ProtocolErrorCode, type ListToolsRequest, type ListToolsResult, type Tool } from '@modelcontextprotocol/server';
import type { ToolHost } from './ports.ts';

/** Tools that one reply lists. */
const PAGE_TOOLS = 100;

/** A page of the session's tools; the cursor names the last one of the page before. @throws ProtocolError for a cursor of none */
export async function listTools({ params }: ListToolsRequest, host: ToolHost, signal: AbortSignal): Promise<ListToolsResult> {
  // In MCP's form, as it was asked for.
  const tools = (await host.list(signal)) as Tool[];
  const cursor = params?.cursor;
  const start = cursor === undefined ? 0 : tools.findIndex(({ name }) => cursorOf(name) === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The tools have changed since this cursor was given: list them from the start.',
    );
  }
  const page = tools.slice(start, start + PAGE_TOOLS);
  const last = page.at(-1);
  return { tools: page, ...(last !== undefined && start + page.length < tools.length && { nextCursor: cursorOf(last.name) }) };
}

function cursorOf(name: string): string {
  return Buffer.from(name).toString('base64url');
}
