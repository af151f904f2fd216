// A server asks for something in the middle of a call: people see it as an approval of that call.
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { RunningCalls } from './running-calls.ts';

type Params = ElicitRequest['params'];
type Content = NonNullable<ElicitResult['content']>;

const DECLINE: ElicitResult = { action: 'decline' };
/** Characters of a server's words that people are shown. */
const MAX_MESSAGE = 4_000;

/** A question that belongs to no call is declined: nobody could tell what they agree to. */
export async function answerElicitation(params: Params, calls: RunningCalls): Promise<ElicitResult> {
  const call = calls.asking();
  if (call === undefined) return DECLINE;
  const message = params.message.slice(0, MAX_MESSAGE);
  const answer = await call.ask({ reason: message, input: { message, ...detailsOf(params) } });
  if (answer === null) return DECLINE;
  if (isUrl(params)) return { action: 'accept' };
  if (answer !== 'allowed') return { action: 'accept', content: answer as Content };
  return needsNothing(params) ? { action: 'accept', content: {} } : DECLINE;
}

function isUrl(params: Params): params is Params & { mode: 'url'; url: string } {
  return params.mode === 'url';
}

function detailsOf(params: Params): Record<string, unknown> {
  if (isUrl(params)) return { url: params.url };
  return 'requestedSchema' in params ? { requested_schema: params.requestedSchema } : {};
}

/** What has a default is filled in by the SDK. */
function needsNothing(params: Params): boolean {
  if (!('requestedSchema' in params)) return true;
  const { required = [], properties } = params.requestedSchema;
  return required.every((name) => Object.hasOwn(properties, name) && properties[name]?.default !== undefined);
}
