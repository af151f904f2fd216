// `npm run soak`: many calls in one session and one command with a great output; ends with 1 when the server's memory
// grows or a result is lost. --calls N (100,000)
import { parseArgs } from 'node:util';
import { createSession, httpClient } from './client.ts';
import { startService } from './server-process.ts';
import { memoryGrowth, memoryHead, memoryRow, type MemorySample } from './soak/memory.ts';
import { runMessage, watch } from './soak/run-calls.ts';
import { runLargeOutput } from './soak/run-large-output.ts';

const SAMPLES = 30;

const { values } = parseArgs({ options: { calls: { type: 'string', default: '100000' } } });
const wanted = Number(values.calls);
if (!Number.isInteger(wanted) || wanted < 1) throw new Error('--calls takes a whole number of at least 1.');
const print = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = (await soak()) ? 0 : 1;

/** @returns whether all is well */
async function soak(): Promise<boolean> {
  await using started = new AsyncDisposableStack();
  const server = started.adopt(await startService({ nodeOptions: ['--expose-gc'] }), (open) => open.stop());
  const address = server.address('http');
  const http = started.adopt(httpClient(address), (open) => open.close());
  const session = await createSession(http);
  const watcher = await watch(`ws://${address}/v1/sessions/${session}/stream`);
  started.defer(() => watcher.close());

  print(memoryHead());
  const samples: MemorySample[] = [];
  const sample = async (after: string): Promise<void> => {
    const taken = { after, use: await server.use() };
    samples.push(taken);
    print(memoryRow(taken));
  };
  await sample('start');
  const done = await runCalls(() => runMessage(http, session), sample);
  const growth = memoryGrowth(samples.slice(1).map(({ use }) => use));
  const output = await runLargeOutput(http, address, session);
  await sample(`${Math.round(output.bytes / 1_000_000)} MB of output`);

  const missed = await watcher.missing(done.calls + 1);
  const checks = [
    ...growth.map(({ what, ratio, grows }) => ({ ok: !grows, text: `${what}: last third over middle third ${ratio.toFixed(3)}` })),
    { ok: done.lost === 0, text: `${done.calls} calls in ${(done.ms / 1000).toFixed(1)} s, ${done.lost} results lost over POST` },
    { ok: missed === 0 && watcher.gaps() === 0, text: `${missed} results missing on the watching socket, ${watcher.gaps()} gaps` },
    {
      ok: output.outcome === 'ok' && output.intact,
      text: `command of ${output.expectedBytes} bytes: ${output.outcome} in ${output.durationMs} ms, ${output.bytes} bytes kept, ${output.intact ? 'intact' : 'DAMAGED'}`,
    },
  ];
  print('', ...checks.map(({ ok, text }) => `${ok ? '✔' : '✘'} ${text}`));
  return checks.every(({ ok }) => ok);
}

async function runCalls(message: () => Promise<{ calls: number; lost: number }>, sample: (after: string) => Promise<void>) {
  const beganMs = performance.now();
  let calls = 0;
  let lost = 0;
  for (let taken = 1; calls < wanted;) {
    const ran = await message();
    calls += ran.calls;
    lost += ran.lost;
    if (calls < (wanted * taken) / SAMPLES) continue;
    taken += 1;
    await sample(`${calls.toLocaleString('en')} calls`);
  }
  return { calls, lost, ms: performance.now() - beganMs };
}
