// A server on the SDK's own side of the protocol, which speaks both revisions in use.
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const NAME = z.object({ name: z.string() });

export function createModernServer(): McpServer {
  const server = new McpServer({ name: 'modern', version: '1.0.0' });
  server.registerTool('greet', { inputSchema: z.object({ word: z.string() }) }, (input, ctx) => {
    const { word } = input;
    const given = acceptedContent(ctx.mcpReq.inputResponses, 'who', NAME);
    if (given !== undefined) return { content: [{ type: 'text', text: `${word}, ${given.name}` }] };
    if (ctx.mcpReq.inputResponses !== undefined) return { content: [{ type: 'text', text: 'nobody' }], isError: true };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: `Whom to ${word}?`, requestedSchema: NAME }) } });
  });
  server.registerTool(
    'sum',
    {
      title: 'Adds up',
      inputSchema: z.object({ numbers: z.array(z.number()) }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ numbers }) => ({ content: [], structuredContent: { sum: numbers.reduce((left, right) => left + right, 0) } }),
  );
  return server;
}
