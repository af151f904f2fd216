import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ToolexecClient, type MessageSource, type MessageStream } from '../../client/src/index.ts';
import { startModelServer } from '../../examples/model-server.ts';
import { startServer } from '../support/server.ts';

const endings: (() => void | Promise<void>)[] = [];
let client: ToolexecClient;
let anthropic: Anthropic;
let openai: OpenAI;

before(async () => {
  // Only `after` is needed of a test here.
  const server = await startServer({ after: (end: () => void) => endings.push(end) } as unknown as Parameters<typeof startServer>[0]);
  const model = await startModelServer();
  endings.push(model.close);
  client = new ToolexecClient({ url: server.url });
  anthropic = new Anthropic({ baseURL: model.url, apiKey: 'none' });
  openai = new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none' });
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

/** @param source begins to ask the model: its stream is read from its first event on */
async function streamed<Message>(source: () => MessageSource): Promise<MessageStream<Message>> {
  const session = await client.sessions.create({ permissions: { mode: 'bypassPermissions' } });
  return session.stream<Message>(source());
}

const question = 'Write a poem and count its words.';
const asked = { model: 'scripted', messages: [{ role: 'user' as const, content: question }] };

test('what the Anthropic SDK streams is run, and its own messages go back to it', async () => {
  const sources = [
    () => anthropic.messages.stream({ ...asked, max_tokens: 100 }),
    () => anthropic.messages.create({ ...asked, max_tokens: 100, stream: true }),
  ];
  for (const source of sources) {
    const stream = await streamed<Anthropic.MessageParam>(source);
    assert.deepEqual(
      (await stream.turn).calls.map(({ name, outcome }) => [name, outcome]),
      CALLS,
    );
    const next = await anthropic.messages
      .stream({ ...asked, max_tokens: 100, messages: [...asked.messages, ...(await stream.messages)] })
      .finalText();
    assert.match(next, /The poem has 7 words/);
  }
});

test('what the OpenAI SDK streams of a chat is run, and its own messages go back to it', async () => {
  const sources = [() => openai.chat.completions.stream(asked), () => openai.chat.completions.create({ ...asked, stream: true })];
  for (const source of sources) {
    const stream = await streamed<OpenAI.Chat.ChatCompletionMessageParam>(source);
    assert.deepEqual(
      (await stream.turn).calls.map(({ name, outcome }) => [name, outcome]),
      CALLS,
    );
    const next = openai.chat.completions.stream({ ...asked, messages: [...asked.messages, ...(await stream.messages)] });
    assert.match((await next.finalContent()) ?? '', /The poem has 7 words/);
  }
});

test('what the OpenAI SDK streams of a response is run, and its own items go back to it', async () => {
  const request = { model: 'scripted', input: question };
  const sources = [() => openai.responses.stream(request), () => openai.responses.create({ ...request, stream: true })];
  for (const source of sources) {
    const stream = await streamed<OpenAI.Responses.ResponseInputItem>(source);
    assert.deepEqual(
      (await stream.turn).calls.map(({ name, outcome }) => [name, outcome]),
      CALLS,
    );
    const next = await openai.responses.stream({ model: 'scripted', input: await stream.messages }).finalResponse();
    assert.match(JSON.stringify(next.output), /The poem has 7 words/);
  }
});

test('an SDK whose connection breaks is told of, and the results of the broken answer are dropped', async () => {
  const broken = new Anthropic({ baseURL: 'http://127.0.0.1:9', apiKey: 'none', maxRetries: 0 });
  const stream = await streamed(() => broken.messages.stream({ ...asked, max_tokens: 100 }));
  await assert.rejects(stream.messages, /Connection error/);
});

const CALLS = [
  ['Write', 'ok'],
  ['Bash', 'ok'],
];
