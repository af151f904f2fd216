import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
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
}

async function startDemo(t: TestContext): Promise<Demo> {
  const temporary = await mkdtemp(join(tmpdir(), 'toolexec-test-'));
  const child = spawn(process.execPath, [SCRIPT], { env: { ...process.env, TMPDIR: temporary, FORCE_COLOR: undefined } });
  const exited = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(temporary, { recursive: true, force: true });
  });
  return { child, exited, printed: () => text, leftovers: () => readdir(temporary) };
}

/** The columns after the number of a call: `  ╭ 1 Grep …` is a bar, `  1 Grep …` a result. */
function numbered(text: string, lead: RegExp): { bracket: string; name: string; line: string }[] {
  return text.split('\n').flatMap((line) => {
    const match = lead.exec(line);
    return match === null ? [] : [{ bracket: match[1] ?? '', name: match[2] ?? '', line }];
  });
}

describe('the demo', () => {
  test('shows seven calls in three batches, and their results in call order', async (t) => {
    const demo = await startDemo(t);
    const [code] = await demo.exited;
    const text = demo.printed();
    assert.equal(code, 0, text);
    const bars = numbered(text, /^ {2}([╭│╰╶]) \d (\w+)/);
    assert.deepEqual(
      bars.map(({ name }) => name),
      CALLS,
    );
    assert.equal(bars.map(({ bracket }) => bracket).join(''), '╭│╰╶╭│╰');
    assert.match(text, /7 calls in 3 batches, \[3\] \[1\] \[3\]/);
    for (const { line } of bars) assert.match(line, /█.*◆ +ok/);
    const results = numbered(text, /^ {2}(\d) (\w+)/);
    assert.deepEqual(
      results.map(({ bracket, name }) => `${bracket} ${name}`),
      CALLS.map((name, index) => `${index + 1} ${name}`),
    );
    assert.match(results.at(-1)?.line ?? '', /M src\/engine\/partition\.ts/);
  });

  test('draws no result before that of an earlier call, and no batch into the one before it', async (t) => {
    const demo = await startDemo(t);
    await demo.exited;
    const bars = numbered(demo.printed(), /^ {2}([╭│╰╶]) \d (\w+)/);
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

  test('prints no colours into a file and leaves no files behind', async (t) => {
    const demo = await startDemo(t);
    await demo.exited;
    assert.doesNotMatch(demo.printed(), /\u001B/);
    assert.deepEqual(await demo.leftovers(), []);
  });

  test('takes its server and its files with it on Ctrl-C', async (t) => {
    const demo = await startDemo(t);
    while (!demo.printed().includes('listens on')) await once(demo.child.stdout, 'data');
    demo.child.kill('SIGINT');
    const [code] = await demo.exited;
    assert.equal(code, 130, demo.printed());
    assert.deepEqual(await demo.leftovers(), []);
    const url = /listens on (\S+)/.exec(demo.printed())?.[1] ?? '';
    await assert.rejects(fetch(`${url}/healthz`), TypeError);
  });
});
