import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startModelServer } from '../../examples/model-server.ts';
import { startServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const endings: (() => void | Promise<void>)[] = [];
let server: TestServer;

before(async () => {
  // Only `after` is needed of a test here.
  server = await startServer({ after: (end: () => void) => endings.push(end) } as unknown as Parameters<typeof startServer>[0], {
    env: { TOOLEXEC_API_KEYS: 'me:example-key' },
  });
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const environment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  TOOLEXEC_URL: server.url,
  TOOLEXEC_KEY: 'example-key',
});

for (const name of ['agent-anthropic.ts', 'agent-openai.ts']) {
  test(`${name} is a whole agent: it writes, counts, and says what came of it`, async () => {
    const { stdout } = await run(process.execPath, [example(name)], { env: environment(), timeout: 50_000 });
    assert.match(stdout, /I write a poem\.\s+The poem has 7 words\./);
    const lines = (await readFile(example(name), 'utf8')).split('\n').filter((line) => line !== '');
    assert.ok(lines.length < 30, `${name} is short enough to be read at once`);
  });
}

for (const [what, given, expected] of [
  ['is not there', { TOOLEXEC_URL: 'http://127.0.0.1:1' }, /^The service at http:\/\/127\.0\.0\.1:1 cannot be reached: [^\n]+\n$/],
  ['wants another key', { TOOLEXEC_KEY: 'some-other-key' }, /^A valid key is needed[^\n]+\n$/],
] as const) {
  test(`an example whose service ${what} says so in one line, and fails`, async () => {
    for (const name of ['agent-anthropic.ts', 'agent-openai.ts']) {
      const ended = run(process.execPath, [example(name)], { env: { ...environment(), ...given }, timeout: 50_000 });
      const { code, stderr } = await ended.then(
        () => assert.fail(`${name} went well`),
        (error: unknown) => error as { code: number; stderr: string },
      );
      assert.deepEqual([code, expected.test(stderr)], [1, true], stderr);
    }
  });
}

test('agent.py is a program', async () => {
  const check = 'import ast, sys; ast.parse(open(sys.argv[1]).read())';
  await run('python3', ['-c', check, example('agent.py')], { timeout: 50_000 });
});

test('the scripted model answers what it knows, and nothing else', async () => {
  const model = await startModelServer();
  const ask = (path: string) => fetch(model.url + path, { method: 'POST', body: '{"messages":[]}' });
  assert.equal((await ask('/v1/messages')).status, 200);
  assert.equal((await ask('/v1/pictures')).status, 404);
  model.close();
});
