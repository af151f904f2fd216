// An agent: the stream of Anthropic's SDK goes into a session as it is, and what comes back goes to the model.
// Run it beside a service (`npm start`):  npx node examples/agent-anthropic.ts "Write a poem and count its words."
// It takes ANTHROPIC_API_KEY, MODEL, TOOLEXEC_URL and TOOLEXEC_KEY. Without a key for Anthropic a scripted model answers.
import Anthropic from '@anthropic-ai/sdk';
import { ToolexecClient } from '../client/src/index.ts'; // elsewhere: 'toolexec-client'
import { startModelServer } from './model-server.ts';

process.once('uncaughtException', ({ message }) => (console.error(message), process.exit(1)));

const { ANTHROPIC_API_KEY: apiKey, MODEL: model = 'claude-sonnet-5-5', TOOLEXEC_URL: url, TOOLEXEC_KEY: key } = process.env;
const anthropic = new Anthropic(apiKey ? { apiKey } : { apiKey: 'none', baseURL: (await startModelServer()).url });
const toolexec = new ToolexecClient({ retries: 4, ...(url && { url }), ...(key && { key }) });
const session = await toolexec.sessions.create({ permissions: { mode: 'acceptEdits', allow: ['Bash(wc:*)'] } });
session.onApproval(({ name, reason }) => (console.log(`(denied ${name}: ${reason})`), { behavior: 'deny' }));

const { tools } = await session.tools<Anthropic.Tool>();
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: process.argv[2] ?? 'Write a poem and count its words.' }];
for (let results: Anthropic.MessageParam[] | undefined; results === undefined || results.length > 0;) {
  const answer = anthropic.messages.stream({ model, max_tokens: 4096, tools, messages }).on('text', (text) => console.log(text));
  results = await session.stream<Anthropic.MessageParam>(answer).messages;
  messages.push({ role: 'assistant', content: (await answer.finalMessage()).content }, ...results);
}
await session.delete();
