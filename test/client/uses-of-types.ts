// Compiles only while the types of the client say what they should. It is compiled against the sources and against the built package.
import {
  clientTool,
  ToolexecClient,
  ToolexecProblem,
  type OutgoingMessage,
  type ToolexecEvent,
  type Turn,
} from '../../client/src/index.ts';
import { z } from 'zod';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
function is(_holds: true): void {}

/** The event is known by its type. */
export function describe(event: ToolexecEvent): string {
  switch (event.type) {
    case 'call_queued':
      return `${event.seq} ${event.name} ${event.index}`;
    case 'progress':
      // @ts-expect-error progress has no number
      return String(event.seq);
    case 'turn_completed':
      is(true satisfies Same<typeof event.messages, OutgoingMessage[]>);
      return event.turn.status;
    case 'session':
      return event.session.permissions.mode;
    default:
      return event.type;
  }
}

const weather = clientTool({
  name: 'Weather',
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  run(input, { signal, progress }) {
    is(true satisfies Same<typeof input, { city: string; days: number }>);
    progress(signal.aborted);
    return `${input.city}: sun`;
  },
});
const plain = clientTool<{ path: string }>({
  name: 'Open',
  description: 'Opens a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  run: ({ path }) => ({ content: [{ type: 'text', text: path }], is_error: false }),
});

export async function use(): Promise<Turn> {
  const client = new ToolexecClient({
    url: 'http://127.0.0.1:8080',
    key: 'secret',
    WebSocket: globalThis.WebSocket,
    fetch: globalThis.fetch,
  });
  const session = await client.sessions.create({ clientTools: [weather, plain], permissions: { mode: 'plan' } });
  // @ts-expect-error there is no such mode
  await client.sessions.create({ permissions: { mode: 'everything' } });
  const off = session.onApproval(async ({ suggestions }) => ({ behavior: 'allow', apply_suggestions: suggestions.length > 0 ? [0] : [] }));
  off();
  const { tools } = await session.tools<{ name: string }>('openai_chat');
  is(true satisfies Same<(typeof tools)[number], { name: string }>);
  const stream = session.stream<{ role: 'user' }>();
  stream.send({ type: 'tool_use', id: 'a', name: 'Bash', input: {} });
  for await (const event of stream) describe(event);
  is(true satisfies Same<Awaited<typeof stream.messages>, { role: 'user' }[]>);
  try {
    const { turn, pending = [] } = await session.run({ role: 'assistant', content: [] });
    for (const each of pending) if (each.type === 'approval') await session.approvals.answer(each.id, { behavior: 'deny', message: 'No.' });
    return turn;
  } catch (error) {
    if (error instanceof ToolexecProblem) console.log(error.slug, error.status, error.errors[0]?.path);
    throw error;
  }
}
