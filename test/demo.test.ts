import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../scripts/demo.ts', import.meta.url));
const CALLS = ['Grep', 'Read', 'Read', 'Edit', 'Glob', 'Read', 'Bash'];

interface Demo {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<unknown[]>;
  /** All that was printed so far. */
  printed(): string;
  /** Names of what is left in its temporary directory. */
  leftovers(): Promise<string[]>;
  remove(): Promise<void>;
}

async function startDemo(): Promise<Demo> {
  const temporary = await mkdtemp(join(tmpdir(), 'toolexec-test-'));
  const child = spawn(process.execPath, [SCRIPT], { env: { ...process.env, TMPDIR: temporary, FORCE_COLOR: undefined } });
  const exited = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    exited,
    printed: () => text,
    leftovers: () => readdir(temporary),
    async remove() {
      child.kill('SIGKILL');
      await exited;
      await rm(temporary, { recursive: true, force: true });
    },
  };
}

/** The columns after the number of a call: `  ╭ 1 Grep …` is a bar, `  1 Grep …` a result. */
function numbered(text: string, lead: RegExp): { bracket: string; name: string; line: string }[] {
  return text.split('\n').flatMap((line) => {
    const match = lead.exec(line);
    return match === null ? [] : [{ bracket: match[1] ?? '', name: match[2] ?? '', line }];
  });
}

describe('the demo', () => {
  let demo: Demo;
  let bars: ReturnType<typeof numbered>;
  before(async () => {
    demo = await startDemo();
    await demo.exited;
    bars = numbered(demo.printed(), /^ {2}([╭│╰╶]) \d (\w+)/);
  });
  after(() => demo.remove());

  test('shows seven calls in three batches', () => {
    assert.equal(demo.child.exitCode, 0, demo.printed());
    assert.deepEqual(
      bars.map(({ name }) => name),
      CALLS,
    );
    assert.equal(bars.map(({ bracket }) => bracket).join(''), '╭│╰╶╭│╰');
    assert.match(demo.printed(), /7 calls in 3 batches, \[3\] \[1\] \[3\]/);
    for (const { line } of bars) assert.match(line, /█.*◆ +ok/);
  });

  test('lists the results in call order, the last one with what the edit changed', () => {
    const results = numbered(demo.printed(), /^ {2}(\d) (\w+)/);
    assert.deepEqual(
      results.map(({ bracket, name }) => `${bracket} ${name}`),
      CALLS.map((name, index) => `${index + 1} ${name}`),
    );
    assert.match(results.at(-1)?.line ?? '', /M src\/engine\/schedule\/partition\.ts/);
  });

  test('draws no result before that of an earlier call, and no batch into the one before it', () => {
    assert.equal(bars.length, CALLS.length, demo.printed());
    const released = bars.map(({ line }) => line.indexOf('◆'));
    assert.deepEqual(
      released,
      released.toSorted((a, b) => a - b),
    );
    const [first, second, third] = [bars.slice(0, 3), bars.slice(3, 4), bars.slice(4)].map((batch) => ({
      start: Math.min(...batch.map(({ line }) => line.indexOf('█'))),
      end: Math.max(...batch.map(({ line }) => line.lastIndexOf('█'))),
    }));
    assert.ok((first?.end ?? 0) < (second?.start ?? 0) && (second?.end ?? 0) < (third?.start ?? 0), demo.printed());
  });

  test('prints no colours into a file and leaves no files behind', async () => {
    assert.ok(!demo.printed().includes('\u001B'));
    assert.deepEqual(await demo.leftovers(), []);
  });

  test('takes its server and its files with it on Ctrl-C', async (t) => {
    const stopped = await startDemo();
    t.after(() => stopped.remove());
    while (!stopped.printed().includes('listens on')) await once(stopped.child.stdout, 'data');
    stopped.child.kill('SIGINT');
    const [code] = await stopped.exited;
    assert.equal(code, 130, stopped.printed());
    assert.deepEqual(await stopped.leftovers(), []);
    const url = /listens on (\S+)/.exec(stopped.printed())?.[1] ?? '';
    await assert.rejects(fetch(`${url}/healthz`), TypeError);
  });
});
