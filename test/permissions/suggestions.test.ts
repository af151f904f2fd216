import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ground, judged, named, verdict } from './decide.ts';

const where = await ground();

describe('suggested rules', () => {
  test('start with the narrowest, which allows just this call from then on', async () => {
    const calls = [
      ['Bash', 'npm run build'],
      ['Bash', 'make "a b" *.o'],
      ['Bash', 'made a* x:*'],
      ['Bash', 'foo "(x)" \\* *'],
      ['Bash', 'timeout 5 npm test'],
      ['Edit', 'a.txt'],
      ['Write', 'src/[x]*?.ts'],
      ['NotebookEdit', `${where.workspace}/x.ipynb`],
      ['WebFetch', 'https://Example.com./a?b'],
      [named('mcp__docs__get'), ''],
      [named('Skill', { permissionSubjects: () => [{ kind: 'other', text: 'deploy' }] }), ''],
    ] as const;
    for (const call of calls) {
      const { behavior, suggestions = [] } = await judged(where, call);
      const [narrowest = 'none'] = suggestions;
      assert.equal(`${behavior} ${narrowest === 'none' ? call[1] : ''}`, 'ask ');
      for (const rule of suggestions) assert.equal(await verdict(where, call, { rules: { allow: [rule] } }), 'allow rule', rule);
    }
    assert.equal(await verdict(where, ['Bash', 'npm run build -x'], { rules: { allow: ['Bash(npm run build)'] } }), 'ask mode default');
  });

  test('are in the words that a person would write', async () => {
    const suggested = async (...call: Parameters<typeof judged>[1]): Promise<readonly string[] | undefined> =>
      (await judged(where, call)).suggestions;
    assert.deepEqual(await suggested('Bash', 'npm run build && ls'), ['Bash(npm run build)', 'Bash(npm run:*)']);
    assert.deepEqual(await suggested('Bash', 'npm i > log'), ['Edit(/log)', 'Bash(npm i)', 'Bash(npm i:*)']);
    assert.deepEqual(await suggested('Bash', 'rm a.txt'), ['Bash(rm a.txt)']);
    assert.deepEqual(await suggested('Edit', 'src/a.ts'), ['Edit(/src/a.ts)', 'Edit(/src/**)']);
    assert.deepEqual(await suggested('WebFetch', 'https://example.com/x'), ['WebFetch(domain:example.com)']);
    assert.deepEqual(await suggested(named('mcp__docs__get'), ''), ['mcp__docs__get']);
  });

  test('allow a line of several parts together', async () => {
    const call = ['Bash', 'npm i && make all; cat a.txt > log'] as const;
    const { suggestions = [] } = await judged(where, call);
    assert.equal(await verdict(where, call, { rules: { allow: suggestions } }), 'allow rule');
  });

  test('are not made where no rule could help', async () => {
    for (const call of [
      ['Bash', 'rm -rf /'],
      ['Write', '.git/config'],
      ['Bash', 'echo "'],
      ['WebFetch', 'http://localhost/'],
      ['Bash', 'x "${a@P}"'],
    ] as const) {
      const { behavior, suggestions = [] } = await judged(where, call);
      assert.deepEqual([behavior, suggestions], ['ask', []], call[1]);
    }
  });
});
