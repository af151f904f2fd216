// An agent: the stream of OpenAI's SDK goes into a session as it is, and what comes back goes to the model.
// Run it beside a service (`npm start`):  npx node examples/agent-openai.ts "Write a poem and count its words."
// It takes OPENAI_API_KEY, MODEL, TOOLEXEC_URL and TOOLEXEC_KEY. Without a key for OpenAI a scripted model answers.
import OpenAI from 'openai';
import { ToolexecClient } from '../client/src/index.ts'; // elsewhere: 'toolexec-client'
import { startModelServer } from './model-server.ts';

process.once('uncaughtException', ({ message }) => (console.error(message), process.exit(1)));

type Message = OpenAI.Chat.ChatCompletionMessageParam;
const { OPENAI_API_KEY: apiKey, MODEL: model = 'gpt-5', TOOLEXEC_URL: url, TOOLEXEC_KEY: key } = process.env;
const openai = new OpenAI(apiKey ? { apiKey } : { apiKey: 'none', baseURL: `${(await startModelServer()).url}/v1` });
const toolexec = new ToolexecClient({ retries: 4, ...(url && { url }), ...(key && { key }) });
const session = await toolexec.sessions.create({ permissions: { mode: 'acceptEdits', allow: ['Bash(wc:*)'] } });
session.onApproval(({ name, reason }) => (console.log(`(denied ${name}: ${reason})`), { behavior: 'deny' }));

const { tools } = await session.tools<OpenAI.Chat.ChatCompletionFunctionTool>('openai_chat');
const messages: Message[] = [{ role: 'user', content: process.argv[2] ?? 'Write a poem and count its words.' }];
for (let results: Message[] | undefined; results === undefined || results.length > 0;) {
  const answer = openai.chat.completions.stream({ model, tools, messages }).on('content', (text) => console.log(text));
  results = await session.stream<Message>(answer).messages;
  messages.push(await answer.finalMessage(), ...results);
}
await session.delete();
