// What the annotations of a definition do: how its calls are judged in each mode, what they touch, and how they are loaded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { PermissionContext, PermissionMode, Tool } from '../../src/contract/index.ts';
import { conflict, type Touched } from '../../src/engine/schedule/footprint.ts';
import { ground, judged, verdict } from '../permissions/decide.ts';
import { customTool } from './custom-bench.ts';

const where = await ground();

/** A tool whose input the helpers for rules can read: they know Zod alone. */
function judgeable(change: object = {}): Tool {
  return { ...customTool(change), inputSchema: z.looseObject({}) };
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'];

/** What each mode says of a call, in the order of `MODES`. */
async function inEachMode(annotations: object, runs: object = {}): Promise<string[]> {
  const tool = judgeable({ annotations, ...runs });
  const said: string[] = [];
  for (const mode of MODES) said.push((await judged(where, [tool, ''], { mode })).behavior);
  return said;
}

const ASKED = ['ask', 'ask', 'deny', 'deny', 'ask', 'allow'];
const FREE = ['allow', 'allow', 'allow', 'allow', 'allow', 'allow'];

describe('a custom tool', () => {
  for (const [who, runs] of Object.entries({ client: { client: true }, server: { http: { url: 'https://example.com/' } } })) {
    test(`of a ${who} that may change things is asked for, denied in plan mode, and runs where nothing is asked`, async () => {
      assert.deepEqual(await inEachMode({}, runs), ASKED);
      assert.deepEqual(await inEachMode({ footprint: {} }, runs), ASKED, 'no file is not nothing');
      assert.deepEqual(await inEachMode({ idempotent: true, concurrency_safe: true }, runs), ASKED);
      assert.deepEqual(await inEachMode({ footprint: { writes: ['out.txt'] } }, runs), ASKED, 'a file is not all that it may change');
    });

    test(`of a ${who} that only reads runs in every mode`, async () => {
      assert.deepEqual(await inEachMode({ read_only: true }, runs), FREE);
      assert.deepEqual(await inEachMode({ read_only: true, footprint: { reads: ['a.txt', 'src'] } }, runs), FREE);
    });
  }

  test('falls under the rules that name it, also when it only reads', async () => {
    for (const annotations of [{}, { read_only: true }]) {
      const tool = judgeable({ annotations });
      assert.equal(await verdict(where, [tool, ''], { mode: 'bypassPermissions', rules: { deny: ['lookup'] } }), 'deny rule');
      assert.equal(await verdict(where, [tool, ''], { mode: 'bypassPermissions', rules: { ask: ['lookup'] } }), 'ask rule');
      assert.equal(await verdict(where, [tool, ''], { operator: { deny: ['look*'] } }), 'deny rule');
    }
    assert.equal(await verdict(where, [judgeable(), ''], { rules: { allow: ['lookup'] } }), 'allow rule');
    assert.equal(await verdict(where, [judgeable(), ''], { rules: { allow: ['other'] } }), 'ask mode default');
  });

  test('is offered to be allowed by its name', async () => {
    const { suggestions } = await judged(where, [judgeable({ http: { url: 'https://example.com/' } }), '']);
    assert.deepEqual(suggestions, ['lookup']);
  });

  test('is not concerned by rules for what the model itself asks of the web', async () => {
    const tool = judgeable({ http: { url: 'https://example.com/' }, annotations: { read_only: true } });
    assert.equal((await judged(where, [tool, ''], { rules: { deny: ['WebFetch'] } })).behavior, 'allow');
  });

  test('falls under the rules for the files of its footprint', async () => {
    const reads = judgeable({ annotations: { read_only: true, footprint: { reads: ['.env'] } } });
    assert.equal(await verdict(where, [reads, ''], { rules: { deny: ['Read(./.env)'] } }), 'deny rule');
    const writes = judgeable({ annotations: { footprint: { writes: ['src/a.ts'] } } });
    assert.equal(await verdict(where, [writes, ''], { mode: 'bypassPermissions', rules: { ask: ['Edit(src/**)'] } }), 'ask rule');
    assert.equal(await verdict(where, [writes, ''], { rules: { allow: ['lookup'] } }), 'allow rule');
    assert.equal(await verdict(where, [writes, ''], { rules: { allow: ['Edit(src/**)'] } }), 'ask mode default');
  });

  test('finds the files of its footprint from the workspace, wherever the session stands', async () => {
    const tool = judgeable({ annotations: { read_only: true, footprint: { reads: ['.env'] } } });
    const asked = { rules: { deny: ['Read(./.env)'] }, cwd: `${where.workspace}/src` };
    assert.equal(await verdict(where, [tool, ''], asked), 'deny rule');
  });

  test('is denied when its footprint leaves the directories of the session', async () => {
    for (const footprint of [{ reads: ['../other/c.txt'] }, { reads: [`${where.root}/other/c.txt`] }, { reads: [where.dataDir] }]) {
      const tool = judgeable({ annotations: { read_only: true, footprint } });
      assert.equal(await verdict(where, [tool, ''], { rules: { allow: ['lookup'] } }), 'deny policy');
    }
  });

  test('that would write a protected file is asked for, whatever allows it', async () => {
    const tool = judgeable({ annotations: { footprint: { writes: ['.git/config'] } } });
    assert.equal(await verdict(where, [tool, ''], { rules: { allow: ['lookup'] } }), 'ask policy');
  });

  test('shows its call to the classifier of the operator, which may let it run', async () => {
    const seen: string[] = [];
    const classifier = {
      judge: (text: string) => {
        seen.push(text);
        return Promise.resolve('allow' as const);
      },
    };
    const asked = { mode: 'auto', policy: { classifier } } as const;
    assert.equal(await verdict(where, [judgeable(), ''], asked), 'allow mode auto');
    assert.deepEqual(seen, ['lookup {}']);
  });

  test('runs again after a crash only as far as it says that it can', () => {
    const effects = [{}, { idempotent: true }, { read_only: true }, { read_only: true, idempotent: true }].map((annotations) =>
      customTool({ annotations }).effect({}),
    );
    assert.deepEqual(effects, ['once', 'idempotent', 'read', 'read']);
  });

  test('may run beside others when it only reads, unless it says otherwise', () => {
    const safe = [{}, { read_only: true }, { read_only: true, concurrency_safe: false }, { concurrency_safe: true }].map((annotations) =>
      customTool({ annotations }).isConcurrencySafe({}),
    );
    assert.deepEqual(safe, [false, true, false, true]);
    assert.deepEqual(
      [{}, { destructive: true }].map((annotations) => customTool({ annotations }).isDestructive({})),
      [false, true],
    );
  });

  test('tells others the same of itself', () => {
    assert.deepEqual(
      [{}, { read_only: true, idempotent: true }, { destructive: true }, { destructive: false, idempotent: false }].map(
        (annotations) => customTool({ annotations }).hints,
      ),
      [{}, { readOnly: true, idempotent: true }, { destructive: true }, { destructive: false }],
    );
  });

  test('is deferred when it asks for that, and never when it asks for the opposite', () => {
    const loading = [{}, { defer: true }, { defer: false }]
      .map((change) => customTool(change))
      .map(({ shouldDefer, alwaysLoad }) => [shouldDefer, alwaysLoad]);
    assert.deepEqual(loading, [
      [false, false],
      [true, false],
      [false, true],
    ]);
    assert.equal(customTool({ description: `${'Finds. '.repeat(100)}\nMore.` }).searchHint.length, 120);
    assert.equal(customTool({ description: 'Finds.\nMore.' }).searchHint, 'Finds.');
  });
});

test('calls of custom tools that look at what others change keep their place among them, and wait for no edit of another file', () => {
  const touched = (annotations: object): Touched =>
    customTool({ annotations }).footprint?.({}, { workspace: '/w' } as PermissionContext) ?? {};
  const changes = touched({ footprint: { writes: ['a'] } });
  const looks = touched({ read_only: true, footprint: {} });
  assert.equal(conflict(changes, looks), true);
  assert.equal(conflict(changes, changes), true);
  assert.equal(conflict(changes, touched({ read_only: true, concurrency_safe: false, footprint: {} })), true);
  assert.equal(conflict(looks, looks), false);
  for (const one of [changes, looks]) assert.equal(conflict({ writes: ['/w/b'] }, one), false);
});
