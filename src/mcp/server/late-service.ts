// The service for MCP clients, loaded with its SDK when the first of them comes: most have none, and each start would pay for it.
import type { toWebRequest } from '@modelcontextprotocol/node';
import { late, type Late } from '../../contract/index.ts';
import type { McpService, McpServiceOptions } from './mcp-service.ts';

export interface LoadedMcp {
  readonly service: McpService;
  readonly toWebRequest: typeof toWebRequest;
}

export function lateMcpService(options: McpServiceOptions): Late<LoadedMcp> {
  return late(
    () => load(options),
    ({ service }) => service.close(),
  );
}

async function load(options: McpServiceOptions): Promise<LoadedMcp> {
  const [{ createMcpService }, { toWebRequest }] = await Promise.all([import('./mcp-service.ts'), import('@modelcontextprotocol/node')]);
  return { service: createMcpService(options), toWebRequest };
}
