// A real server on a real project.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { LanguageAnswer } from '../../src/contract/index.ts';
import { ended, processesWith } from '../sandbox/commands.ts';
import { serversInTest, TYPESCRIPT, type Question } from './servers.ts';

const SHAPES = `export interface Shape {
  area(): number;
}

export class Square implements Shape {
  constructor(readonly side: number) {}
  area(): number {
    return this.side ** 2;
  }
}

/** Adds them up. */
export function total(shapes: Shape[]): number {
  return shapes.reduce((sum, shape) => sum + shape.area(), 0);
}
`;
const MAIN = `import { Square, total } from './shapes';

const crab = '🦀'; export const all = total([new Square(2)]);
`;
const CALL = { line: 3, character: MAIN.split('\n')[2]!.indexOf('total') + 1 };

function placesIn(workspace: string, answer: LanguageAnswer): string[] {
  assert.equal(answer.kind, 'places');
  return answer.places.map(({ path, line, character }) => `${path.replace(`${workspace}/`, '')}:${line}:${character}`).toSorted();
}

describe('A language server for TypeScript', () => {
  test('answers about a project as it is now', async (t) => {
    const { ask, write, workspace, servers } = await serversInTest(t, { typescript: TYPESCRIPT });
    await write('tsconfig.json', JSON.stringify({ compilerOptions: { strict: true, module: 'esnext', target: 'esnext' } }));
    await write('shapes.ts', SHAPES);
    await write('main.ts', MAIN);
    const places = async (name: string, question: Question) => placesIn(workspace, await ask(name, question));
    const messages = async (name: string): Promise<string[]> => {
      const answer = await ask(name, { operation: 'diagnostics' });
      assert.equal(answer.kind, 'diagnostics');
      return answer.diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ line, character, message, source }) => `${line}:${character} ${message} ${source}`);
    };
    assert.equal(servers.busy, false);

    await t.test('where a name is defined, in another file', async () => {
      assert.deepEqual(await places('main.ts', { operation: 'definition', ...CALL }), ['shapes.ts:13:17']);
      assert.equal(servers.busy, true);
    });
    await t.test('where it is used, with columns counted in UTF-16 units from 1', async () => {
      assert.deepEqual(await places('shapes.ts', { operation: 'references', line: 13, character: 17 }), [
        'main.ts:1:18',
        `main.ts:3:${CALL.character}`,
        'shapes.ts:13:17',
      ]);
    });
    await t.test('who implements an interface', async () => {
      const found = await places('shapes.ts', { operation: 'implementation', line: 1, character: 18 });
      assert.deepEqual(found, ['shapes.ts:5:14']);
    });
    await t.test('what a name is', async () => {
      const answer = await ask('main.ts', { operation: 'hover', ...CALL });
      assert.ok(answer.kind === 'text' && /total\(shapes: Shape\[\]\): number[^]*Adds them up\./.test(answer.text));
    });
    await t.test('what a file holds, as an outline', async () => {
      const answer = await ask('shapes.ts', { operation: 'document_symbols' });
      assert.equal(answer.kind, 'symbols');
      const outline = answer.symbols.map(({ name, kind, depth, container, line }) => [name, kind, depth, container, line].join(' '));
      assert.ok(outline.includes('Square class 0  5') && outline.includes('area method 1 Square 7'), outline.join('\n'));
    });
    await t.test('where symbols of a name are in the workspace', async () => {
      const answer = await ask('main.ts', { operation: 'workspace_symbols', query: 'Squar' });
      assert.equal(answer.kind, 'symbols');
      assert.deepEqual(
        answer.symbols.map(({ path, name, kind }) => [path, name, kind]),
        [[join(workspace, 'shapes.ts'), 'Square', 'class']],
      );
    });
    await t.test('what is wrong with a file, before and after it is changed', async () => {
      assert.deepEqual(await messages('main.ts'), []);
      await write('main.ts', MAIN.replace('Square(2)', "Square('2')"));
      const [wrong, ...others] = await messages('main.ts');
      assert.match(wrong ?? '', /^3:\d+ Argument of type 'string' is not assignable to parameter of type 'number'\. typescript 2345$/);
      assert.deepEqual(others, []);
    });
    await t.test('what is wrong with it since another file, which was asked about too, has changed', async () => {
      await write('shapes.ts', SHAPES.replace('side: number', 'side: string').replace('this.side ** 2', '4'));
      assert.deepEqual(await messages('main.ts'), []);
      await write('main.ts', MAIN);
      assert.match((await messages('main.ts')).join(), /^3:\d+ Argument of type 'number' is not assignable/);
    });
  });

  test('that has died is started again by the next question, and leaves no process when the session ends', async (t) => {
    const { ask, write, servers, mark, reports } = await serversInTest(t, { typescript: TYPESCRIPT });
    await write('a.ts', 'export const one = 1;\n');
    const hover = () => ask('a.ts', { operation: 'hover', line: 1, character: 14 });
    const first = await hover();
    const before = processesWith(mark);
    assert.ok(before.length >= 2, 'the server and what it starts');
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await Promise.all(before.map(ended));
    while (servers.busy) await new Promise(setImmediate);
    assert.deepEqual(await hover(), first);
    assert.match(reports.join(), /^The language server typescript failed: It has ended \(signal SIGKILL\)\./);
    await servers.close();
    // What was killed takes a moment to go: one that was not would keep the test waiting.
    await Promise.all(processesWith(mark).map(ended));
    await assert.rejects(hover(), /The session has ended/);
  });
});
