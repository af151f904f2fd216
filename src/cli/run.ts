// `toolexec run`: one message in a session of its own, told as it goes, and its reply on the standard output.
import { readFile, realpath } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { messageOf, PERMISSION_MODES } from '../contract/index.ts';
import { NO_PROGRESS, showProgress, type Progress } from './progress.ts';
import { readEvents } from './read-events.ts';
import { askService, SERVICE_OPTIONS, type AskedService } from './service.ts';
import { UsageError } from './usage-error.ts';

interface Reply {
  readonly messages: unknown[];
  readonly turn: { readonly status: string; readonly calls: readonly { readonly outcome: string | null }[] };
}

type Json = Readonly<Record<string, unknown>>;

/** @returns the exit code. @throws UsageError, Error */
export async function run(argv: string[], signal: AbortSignal): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      ...SERVICE_OPTIONS,
      workspace: { type: 'string' },
      mode: { type: 'string' },
      allow: { type: 'string', multiple: true, default: [] },
      quiet: { type: 'boolean', short: 'q', default: false },
    },
  });
  const [source, ...more] = positionals;
  if (source === undefined || more.length > 0) throw new UsageError('Name one file with a message, or - for the standard input.');
  const { url, key, mode, allow, quiet } = values;
  if (mode !== undefined && !PERMISSION_MODES.some((known) => known === mode)) {
    throw new UsageError(`--mode is ${mode}: give one of ${PERMISSION_MODES.join(', ')}.`);
  }
  const message = await readMessage(source);
  const workspace = url === undefined ? await directory(values.workspace ?? '.') : values.workspace;
  const body = { ...message, session: sessionOf(message['session'], { workspace, mode, allow }) };
  const service = await askService({ url, key, signal, ...(workspace !== undefined && { workspace }) });
  try {
    const reply = await play(service, body, quiet ? NO_PROGRESS : showProgress(process.stderr));
    process.stdout.write(`${JSON.stringify(reply, null, 2)}\n`);
    const { status, calls } = reply.turn;
    return status === 'completed' && calls.every(({ outcome }) => outcome === 'ok') ? 0 : 1;
  } finally {
    await service.close();
  }
}

async function play(service: AskedService, body: Json, progress: Progress): Promise<Reply> {
  let last: Json | undefined;
  try {
    const response = await service.request('/v1/messages', { body, accept: 'text/event-stream' });
    if (response.body !== null) {
      for await (const event of readEvents(response.body)) {
        progress.take(event);
        if (event.type === 'turn_completed' || event.type === 'turn_discarded') last = event;
      }
    }
  } finally {
    progress.end();
  }
  if (last === undefined) throw new Error('The service ended before the turn did.');
  // Of a turn that was discarded there are none.
  const { messages = [], turn } = last as unknown as Partial<Reply> & Pick<Reply, 'turn'>;
  return { messages, turn };
}

async function readMessage(source: string): Promise<Json> {
  let message: unknown;
  try {
    message = JSON.parse(source === '-' ? await text(process.stdin) : await readFile(source, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(code === 'ENOENT' ? `There is no file ${source}.` : `The message could not be read as JSON: ${messageOf(error)}`);
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message as Json;
  throw new UsageError('The message is not a JSON object: give the assistant message as the API of the model returned it.');
}

async function directory(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw new UsageError(`--workspace is ${path}, which cannot be used: ${messageOf(error)}`);
  }
}

interface Wanted {
  readonly workspace: string | undefined;
  readonly mode: string | undefined;
  readonly allow: readonly string[];
}

/** Options of the session: those in the message, and over them those of the command. Nobody is asked. */
function sessionOf(given: unknown, { workspace, mode, allow }: Wanted): Json {
  const session = objectOf(given);
  const permissions = objectOf(session['permissions']);
  const rules = [...(Array.isArray(permissions['allow']) ? (permissions['allow'] as unknown[]) : []), ...allow];
  return {
    ...session,
    ...(workspace !== undefined && { workspace: { path: workspace } }),
    permissions: { ask_timeout_ms: 0, ...permissions, ...(mode !== undefined && { mode }), ...(rules.length > 0 && { allow: rules }) },
  };
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
