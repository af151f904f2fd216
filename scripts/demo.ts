// `npm run demo`: the real server, one assistant message streamed into it, and a picture of what ran when.
// Server and files are gone when it ends, also on Ctrl-C.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { demoCalls, streamEvents, type DemoCall } from './demo-message.ts';
import { makeRoot, makeWorkspace, removeRoot, startServer } from './demo-server.ts';
import { timeline, type Paint, type TimelineCall } from '../src/cli/timeline.ts';
import { playMessage, type PlayedTurn } from './demo-turn.ts';

const CHANGED_FILE = 'src/engine/schedule/partition.ts';
/** Characters of a result that are shown. */
const SHOWN_CHARS = 70;

const paint: Paint = (format, text) => (text === '' ? '' : styleText(format, text, { stream: process.stdout }));
const print = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
// Of `npm run demo | head`, say: nobody reads any more.
process.stdout.once('error', (error) => stop.abort(error));
try {
  await demo(stop.signal);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  process.exitCode = 130;
}

async function demo(signal: AbortSignal): Promise<void> {
  await using made = new AsyncDisposableStack();
  const root = made.adopt(await makeRoot(), removeRoot);
  const workspace = await makeWorkspace(root, signal);
  const server = await startServer({ root, workspace }, signal);
  made.defer(() => server.stop());
  print('', `  ${paint('bold', 'toolexec')} listens on ${server.url}`, '');
  const session = await createSession(server.url, workspace, signal);
  const [firstLine = ''] = (await readFile(join(workspace, CHANGED_FILE), 'utf8')).split('\n');
  const calls = demoCalls(CHANGED_FILE, firstLine);
  const turn = await playMessage(`${server.url.replace('http', 'ws')}/v1/sessions/${session}/stream`, streamEvents(calls), signal);
  const timed = calls.flatMap((call) => {
    const times = turn.calls.get(call.id);
    return times === undefined ? [] : [{ ...call, times }];
  });
  print(`  One message of a model, streamed: ${shape(timed)}`, '', ...timeline(timed, turn, paint), '', ...totals(timed, turn), '');
  print('  What goes back to the model, in call order', ...results(calls, turn, workspace), '');
}

async function createSession(url: string, workspace: string, signal: AbortSignal): Promise<string> {
  const reply = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // The copy is thrown away: nothing needs to be asked.
    body: JSON.stringify({ workspace: { path: workspace }, permissions: { mode: 'bypassPermissions' } }),
    signal,
  });
  if (!reply.ok) throw new Error(`The server made no session: ${await reply.text()}`);
  return ((await reply.json()) as { id: string }).id;
}

/** `7 calls in 3 batches, [3] [1] [3]` */
function shape(calls: readonly TimelineCall[]): string {
  const batches = Map.groupBy(calls, ({ times }) => times.batch);
  const sizes = [...batches.values()].map(({ length }) => `[${length}]`).join(' ');
  return `${calls.length} calls in ${batches.size} batches, ${paint('bold', sizes)}`;
}

function totals(calls: readonly TimelineCall[], { totalMs, writtenMs }: PlayedTurn): string[] {
  const sumMs = calls.reduce((sum, { times }) => sum + times.durationMs, 0);
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return [
    `  ${paint('bold', `${ms(totalMs)} in all`)}: the model wrote for ${ms(writtenMs)}, the calls took ${ms(sumMs)} together.`,
    `  One thing after another would be ${ms(writtenMs + sumMs)}. After the model's last word, ${ms(totalMs - writtenMs)} were left to do.`,
  ];
}

function results(calls: readonly DemoCall[], turn: PlayedTurn, workspace: string): string[] {
  const byId = new Map(calls.map((call, index) => [call.id, { ...call, number: index + 1 }]));
  return [...turn.calls].map(([id, { content }]) => {
    const call = byId.get(id);
    const [first = '', ...more] = content.split('\n').filter((line) => line.trim() !== '');
    const text = first.replaceAll('\t', '  ').replaceAll(`${workspace}/`, '').slice(0, SHOWN_CHARS);
    const rest = more.length > 0 ? paint('dim', ` … ${more.length} more lines`) : '';
    return `  ${call?.number ?? '?'} ${paint('bold', (call?.name ?? id).padEnd(5))} ${paint('dim', text)}${rest}`;
  });
}
