// A server asks for something in the middle of a call: people see it as an approval of that call.
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { jsonLength } from './json-length.ts';
import type { RunningCalls } from './running-calls.ts';
import { tidySchema } from './tidy-tool.ts';

type Params = ElicitRequest['params'];
type Content = NonNullable<ElicitResult['content']>;

const DECLINE: ElicitResult = { action: 'decline' };
/** Characters of a server's words that people are shown. */
const MAX_MESSAGE = 4_000;
/** Characters of a form as JSON, and of an address. */
const MAX_FORM = 32_768;
const MAX_URL = 2_048;

export interface Answering {
  readonly calls: RunningCalls;
  /** Takes the server's secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** A question that belongs to no call is declined: nobody could tell what they agree to. So is one that nobody could read. */
export async function answerElicitation(params: Params, { calls, redact }: Answering): Promise<ElicitResult> {
  const call = calls.asking();
  if (call === undefined || isTooLong(params)) return DECLINE;
  const message = redact(params.message).slice(0, MAX_MESSAGE);
  const answer = await call.ask({ reason: message, input: { message, ...detailsOf(params, redact) } });
  if (answer === null) return DECLINE;
  if (isUrl(params)) return { action: 'accept' };
  if (answer !== 'allowed') return { action: 'accept', content: answer as Content };
  return needsNothing(params) ? { action: 'accept', content: {} } : DECLINE;
}

function isUrl(params: Params): params is Params & { mode: 'url'; url: string } {
  return params.mode === 'url';
}

function isTooLong(params: Params): boolean {
  if (isUrl(params)) return params.url.length > MAX_URL;
  return 'requestedSchema' in params && jsonLength(params.requestedSchema) > MAX_FORM;
}

function detailsOf(params: Params, redact: Answering['redact']): Record<string, unknown> {
  if (isUrl(params)) return { url: redact(params.url) };
  return 'requestedSchema' in params ? { requested_schema: tidySchema(params.requestedSchema, redact) } : {};
}

/** What has a default is filled in by the SDK. */
function needsNothing(params: Params): boolean {
  if (!('requestedSchema' in params)) return true;
  const { required = [], properties } = params.requestedSchema;
  return required.every((name) => Object.hasOwn(properties, name) && properties[name]?.default !== undefined);
}
