// LangGraph's ToolNode with one tool that does nothing. JavaScript, because its packages are only there once the benchmark has
// installed them beside this file.
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import fastify from 'fastify';
import { z } from 'zod';
import { serveParent } from '../servers/serve-parent.ts';

const BALLAST = 'x'.repeat(1_000);

const echo = tool(({ text }) => text, {
  name: 'Echo',
  description: 'Gives back its text.',
  schema: z.looseObject({ text: z.string().default('') }),
});
const node = new ToolNode([echo]);
let calls = 0;

// As a service would offer it, with nothing around it.
const app = fastify();
app.post('/call', ({ body }) => node.invoke({ messages: [new AIMessage({ content: '', tool_calls: body.tool_calls })] }));
await app.listen({ host: '127.0.0.1', port: 0 });

/** @param {unknown} count @returns {Promise<number[]>} the time of each call, in milliseconds */
async function timesOfCalls(count) {
  const spentMs = [];
  for (let n = 0; n < Number(count); n += 1) {
    calls += 1;
    const message = new AIMessage({
      content: '',
      tool_calls: [{ type: 'tool_call', id: `call_${calls}`, name: 'Echo', args: { ballast: BALLAST } }],
    });
    const startMs = performance.now();
    const { messages } = await node.invoke({ messages: [message] });
    spentMs.push(performance.now() - startMs);
    if (messages.length !== 1 || messages[0].status === 'error') throw new Error(`ToolNode answered ${JSON.stringify(messages)}`);
  }
  return spentMs;
}

serveParent({ ports: { http: app.server.address().port }, asked: { timesOfCalls }, close: () => app.close() });
