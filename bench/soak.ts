// `npm run soak`: calls of every kind in several sessions, round after round, with readers that come and go, and one command
// with a great output. It ends with 1 when the server comes to hold more and more memory, open files or processes, or when a
// result is lost. --calls N (100,000) or --minutes M; --sessions N (4); --output MB (100)
import { parseArgs } from 'node:util';
import { httpClient, type HttpClient } from './client.ts';
import { startService, type ServerProcess } from './server-process.ts';
import { openMixedSession, type MixedSession } from './soak/mixed-calls.ts';
import { treeUse } from './soak/process-tree.ts';
import { runLargeOutput } from './soak/run-large-output.ts';
import { growths, tableHead, tableRow, type Sample } from './soak/samples.ts';

const SAMPLES = 30;
/** However slow the machine is. */
const FEWEST_SAMPLES = 8;
/** Part of the whole that is not looked at: caches fill and code is compiled then. */
const WARM_UP = 0.25;

const { values } = parseArgs({
  options: {
    calls: { type: 'string' },
    minutes: { type: 'string' },
    sessions: { type: 'string', default: '4' },
    output: { type: 'string', default: '100' },
  },
});
const sessionCount = positive('sessions', values.sessions);
const outputMegabytes = positive('output', values.output);
const wanted =
  values.minutes === undefined ? { calls: positive('calls', values.calls ?? '100000') } : { minutes: positive('minutes', values.minutes) };
const print = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = (await soak()) ? 0 : 1;

interface Check {
  readonly ok: boolean;
  readonly text: string;
}

/** @returns whether all is well */
async function soak(): Promise<boolean> {
  await using started = new AsyncDisposableStack();
  const server = started.adopt(await startService({ nodeOptions: ['--expose-gc'] }), (open) => open.stop());
  const address = server.address('http');
  const http = started.adopt(httpClient(address), (open) => open.close());
  const sessions: MixedSession[] = [];
  started.defer(() => sessions.forEach((session) => session.close()));
  while (sessions.length < sessionCount) sessions.push(await openMixedSession(http, address));

  print(tableHead());
  const { samples, ...done } = await runRounds(server, sessions);
  const checks = [
    ...growths(samples.slice(Math.floor(samples.length * WARM_UP))).map(({ what, first, last, grows }): Check => ({
      ok: !grows,
      text: `${what}: ${first} in the first third, ${last} in the last`,
    })),
    { ok: done.lost === 0, text: `${done.calls} calls in ${(done.ms / 1000).toFixed(1)} s, ${done.lost} results lost` },
    ...(await Promise.all(sessions.map((session, n) => checkReaders(session, n, done.callsOf[n] ?? 0)))),
    await checkOutput(http, address),
  ];
  print('', ...checks.map(({ ok, text }) => `${ok ? '✔' : '✘'} ${text}`));
  return checks.every(({ ok }) => ok);
}

/** Every session does its rounds beside the others; between rounds nothing runs, which is when the server is looked at. */
async function runRounds(server: ServerProcess, sessions: readonly MixedSession[]) {
  const beganMs = performance.now();
  const samples: Sample[] = [];
  const callsOf = sessions.map(() => 0);
  let calls = 0;
  let lost = 0;
  for (let part = 0; part < 1 || samples.length < FEWEST_SAMPLES;) {
    const counts = await Promise.all(sessions.map((session) => session.round()));
    counts.forEach((count, n) => {
      callsOf[n] = (callsOf[n] ?? 0) + count.calls;
      calls += count.calls;
      lost += count.lost;
    });
    const seconds = (performance.now() - beganMs) / 1000;
    const due = Math.floor(part * SAMPLES) + 1;
    part = 'calls' in wanted ? calls / wanted.calls : seconds / 60 / wanted.minutes;
    if (part < due / SAMPLES) continue;
    const sample = { after: `${calls.toLocaleString('en')} calls, ${seconds.toFixed(0)} s`, ...(await held(server)) };
    samples.push(sample);
    print(tableRow(sample));
  }
  return { samples, callsOf, calls, lost, ms: performance.now() - beganMs };
}

async function held(server: ServerProcess) {
  return { ...(await server.use()), ...(await treeUse(server.pid)) };
}

async function checkReaders({ watcher, reader }: MixedSession, n: number, calls: number): Promise<Check> {
  const missed = await watcher.missing(calls);
  const gaps = watcher.gaps() + reader.gaps();
  return { ok: missed === 0 && gaps === 0, text: `readers of session ${n + 1}: ${missed} results missing, ${gaps} gaps` };
}

async function checkOutput(http: HttpClient, address: string): Promise<Check> {
  const { outcome, intact, expectedBytes, durationMs, bytes } = await runLargeOutput(http, address, outputMegabytes);
  return {
    ok: outcome === 'ok' && intact,
    text: `command of ${expectedBytes} bytes: ${outcome} in ${durationMs} ms, ${bytes} bytes kept, ${intact ? 'intact' : 'DAMAGED'}`,
  };
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0.`);
  return number;
}
