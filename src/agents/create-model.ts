// The operator's model behind the Messages API. A question is asked again when its answer breaks off or the API has too much to
// do; until an answer is whole, nothing has happened.
import { setTimeout } from 'node:timers/promises';
import type Anthropic from '@anthropic-ai/sdk';
import type { ModelAnswer } from '../contract/index.ts';
import { describeFailure } from './model-failure.ts';
import type { ModelQuestion, ModelReply, ReadInput, StreamingModel } from './ports.ts';
import { readReply } from './read-reply.ts';

/** How often a question is asked at most. */
const TRIES = 4;
const FIRST_WAIT_MS = 500;
/** Milliseconds that somebody waits for a try: an API that wants to be left alone for longer has failed. */
const MAX_WAIT_MS = 60_000;
/** Milliseconds without a sign of life, after which an answer counts as broken off. */
const SILENCE_MS = 300_000;

export interface ModelOptions {
  /** Of a server that speaks the Messages API; `/v1/messages` is added. */
  readonly baseUrl: string;
  /** Absent: the server wants none. */
  readonly apiKey?: string;
  /** Name of the model. */
  readonly model: string;
  readonly readInput: ReadInput;
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds without a sign of life, after which an answer counts as broken off. */
  readonly silenceMs?: number;
  /** Milliseconds before the second try; twice as many before each further one. */
  readonly firstWaitMs?: number;
}

export function createModel(options: ModelOptions): StreamingModel {
  const { apiKey, firstWaitMs = FIRST_WAIT_MS } = options;
  let client: Promise<Anthropic> | undefined;
  const stream = async (question: ModelQuestion): Promise<ModelReply> => {
    for (let tried = 1; ; tried += 1) {
      try {
        return await askOnce(await (client ??= connect(options)), question, options);
      } catch (error) {
        if (question.signal.aborted) throw stopped(question.signal);
        const { text, passing, waitMs = firstWaitMs * 2 ** (tried - 1) } = describeFailure(error, apiKey);
        if (!passing || tried === TRIES || waitMs > MAX_WAIT_MS) throw new Error(text, { cause: error });
        await setTimeout(waitMs, undefined, { signal: question.signal }).catch(() => {
          throw stopped(question.signal);
        });
      }
    }
  };
  return { available: true, stream, ask: (question) => ask(stream, question) };
}

async function ask(
  stream: StreamingModel['stream'],
  { system = '', prompt, ...question }: Parameters<StreamingModel['ask']>[0],
): Promise<ModelAnswer> {
  const reply = await stream({ ...question, system, tools: [], messages: [{ role: 'user', content: prompt }], onText: () => {} });
  if (reply.text === '') throw new Error(`The model gave no answer (${reply.stopReason}): ask in another way.`);
  return { text: reply.text, usage: reply.usage };
}

function stopped({ reason }: AbortSignal): Error {
  const told: unknown = typeof reason === 'object' && reason !== null && 'message' in reason ? reason.message : undefined;
  return new Error(typeof told === 'string' ? told : 'The question to the model was stopped.');
}

/** Loaded when it is first needed: most of the time nobody asks. Nothing is left to the environment. */
async function connect({ baseUrl, apiKey, fetch }: ModelOptions): Promise<Anthropic> {
  const { default: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    baseURL: baseUrl.replace(/\/+(v1\/*)?$/, ''),
    // Without a key it would look for one in the environment and on the disk.
    apiKey: apiKey ?? 'none',
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
    maxRetries: 0,
    timeout: SILENCE_MS,
    logLevel: 'off',
    openTelemetry: false,
    ...(fetch !== undefined && { fetch }),
  });
}

async function askOnce(
  client: Anthropic,
  question: ModelQuestion,
  { model, readInput, silenceMs = SILENCE_MS }: ModelOptions,
): Promise<ModelReply> {
  const silence = new AbortController();
  const timer = globalThis.setTimeout(() => silence.abort(), silenceMs);
  try {
    const events = await client.messages.create(parametersOf(question, model), {
      signal: AbortSignal.any([question.signal, silence.signal]),
    });
    return await readReply(
      heard(events, () => timer.refresh()),
      { readInput, onText: question.onText },
    );
  } finally {
    clearTimeout(timer);
    // One that is left before its end would go on being sent.
    silence.abort();
  }
}

async function* heard<Event>(events: AsyncIterable<Event>, onEvent: () => void): AsyncGenerator<Event, void, void> {
  for await (const event of events) {
    onEvent();
    yield event;
  }
}

const CACHED = { cache_control: { type: 'ephemeral' } } as const;

/** What stays the same from question to question is marked, so that the API need not read it anew each time. */
function parametersOf({ system, messages, tools, maxTokens }: ModelQuestion, model: string): Anthropic.MessageCreateParamsStreaming {
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    messages: [...messages.slice(0, -1), ...messages.slice(-1).map(marked)],
    ...(system !== '' && { system: [{ type: 'text', text: system, ...CACHED }] }),
    // Definitions come from the session in the API's own shape.
    ...(tools.length > 0 && { tools: tools as unknown as Anthropic.ToolUnion[] }),
  };
}

function marked(message: Anthropic.MessageParam): Anthropic.MessageParam {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  const last = message.content.at(-1);
  // Every block of a user message may carry the mark.
  return last === undefined ? message : { ...message, content: [...message.content.slice(0, -1), { ...last, ...CACHED }] };
}
