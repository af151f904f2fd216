// `schedule: "dependencies"` on real files: for random calls, everything is as if they had run one by one.
import assert from 'node:assert/strict';
import { readdir, readFile, readlink, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assistant, call, startServer, type Json } from './support/server.ts';

const FILES = ['a.txt', 'b.txt', 'src/c.txt', 'src/link.txt', 'src/deep/d.txt'];
const WORDS = ['one', 'two', 'three'];
const file = fc.constantFrom(...FILES);
const word = fc.constantFrom(...WORDS);

const Drawn = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(file, word, word).map(([path, from, to]) => edit(path, from, to)) },
  {
    weight: 2,
    arbitrary: fc.tuple(file, word).map(([path, text]) => ({ name: 'Write', input: { file_path: path, content: `${text}\n` } })),
  },
  { weight: 3, arbitrary: file.map((path) => ({ name: 'Read', input: { file_path: path } })) },
  { weight: 1, arbitrary: word.map((pattern) => ({ name: 'Grep', input: { pattern, output_mode: 'content', path: 'src' } })) },
  { weight: 1, arbitrary: file.map((path) => ({ name: 'Bash', input: { command: `cat ${path}` } })) },
  { weight: 1, arbitrary: fc.tuple(word, file).map(([text, path]) => ({ name: 'Bash', input: { command: `echo ${text} >> ${path}` } })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('cd src', 'cd ..; cd w* || true', 'ln -sfn ../b.txt src/link.txt')
      .map((command) => ({ name: 'Bash', input: { command } })),
  },
  {
    weight: 1,
    arbitrary: word.map((content) => ({ name: 'TodoWrite', input: { todos: [{ content, status: 'pending', activeForm: content }] } })),
  },
);
type DrawnCall = typeof Drawn extends fc.Arbitrary<infer Call> ? Call : never;

function edit(path: string, from: string, to: string) {
  return { name: 'Edit', input: { file_path: path, old_string: from, new_string: to, replace_all: true } };
}

const SETUP = 'mkdir -p src/deep; printf "one\\ntwo\\n" | tee a.txt b.txt src/c.txt src/deep/d.txt; ln -s ../a.txt src/link.txt';

interface Outcome {
  readonly results: unknown;
  readonly files: unknown;
  readonly todos: unknown;
  readonly cwd: unknown;
}

async function run(server: Awaited<ReturnType<typeof startServer>>, drawn: readonly DrawnCall[], serial: boolean): Promise<Outcome> {
  const id = await server.session({
    sandbox: { mode: 'off' },
    execution: { schedule: serial ? 'partition' : 'dependencies', on_tool_error: 'continue' },
  });
  const { body: session } = await server.request('GET', `/v1/sessions/${id}`);
  const workspace = session['workspace'].path as string;
  await server.post(id, [
    call('setup', 'Bash', { command: SETUP }),
    ...FILES.map((path, index) => call(`seen${index}`, 'Read', { file_path: path })),
  ]);
  const calls = drawn.map(({ name, input }, index) => call(`c${index}`, name, input));
  const messages: Json[][] = serial ? calls.map((one) => [one]) : [calls];
  const blocks: Json[] = [];
  for (const message of messages) {
    const { body } = await server.post(id, message);
    assert.equal(body['turn'].status, 'completed');
    blocks.push(...(body['messages'][0]?.content ?? []));
  }
  const { body: after } = await server.request('GET', `/v1/sessions/${id}`);
  // Which neighbours the error for a missing file suggests depends on which are there by then.
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(workspace, 'W')
        .replaceAll(/Find it with a search tool\.|Did you mean .*?\?/g, ''),
    );
  const outcome = {
    results: plain(blocks.map(({ tool_use_id, content, is_error }) => ({ tool_use_id, content, is_error }))),
    files: await contents(workspace),
    todos: after['todos'],
    cwd: plain(after['cwd']),
  };
  await server.request('DELETE', `/v1/sessions/${id}`);
  return outcome;
}

async function contents(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory, { recursive: true })).toSorted();
  const entries = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const stats = await lstat(path);
      if (stats.isSymbolicLink()) return [name, `-> ${await readlink(path)}`];
      return [name, stats.isFile() ? await readFile(path, 'utf8') : 'directory'];
    }),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

describe('with schedule "dependencies"', () => {
  test('files, results and context are what they are when the same calls run one by one', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_SANDBOX: 'off' } });
    await fc.assert(
      fc.asyncProperty(fc.array(Drawn, { minLength: 2, maxLength: 12 }), async (drawn) => {
        const [serial, side] = await Promise.all([run(server, drawn, true), run(server, drawn, false)]);
        assert.deepEqual(side, serial);
      }),
      { numRuns: 25 },
    );
  });

  test('edits of several files run side by side, which a partition does one by one', async (t) => {
    const server = await startServer(t);
    const id = await server.session({ execution: { schedule: 'dependencies' } });
    const calls = [
      ...['a', 'b', 'c'].map((name) => call(name, 'Write', { file_path: `${name}.txt`, content: name })),
      call('look', 'Grep', { pattern: '.', output_mode: 'files_with_matches' }),
    ];
    const { body: plan } = await server.request('POST', `/v1/sessions/${id}/plan`, assistant(calls));
    assert.deepEqual(plan['batches'], [{ concurrent: true, tool_use_ids: ['a', 'b', 'c', 'look'] }]);
    const { body } = await server.post(id, calls);
    assert.deepEqual(body['turn'].batches, plan['batches']);
    assert.deepEqual(body['messages'][0].content[3].content.split('\n').toSorted(), ['a.txt', 'b.txt', 'c.txt']);
    const { body: checkpoints } = await server.request('GET', `/v1/sessions/${id}/checkpoints`);
    assert.deepEqual(checkpoints['data'][0].files.map((path: string) => path.split('/').at(-1)).toSorted(), ['a.txt', 'b.txt', 'c.txt']);
  });
});
