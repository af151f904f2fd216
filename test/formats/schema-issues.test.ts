import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { checkForm } from '../../src/formats/schema-issues.ts';

test('a value of the right form passes with its defaults, and a wrong one names at most twenty faults', () => {
  const Schema = z.strictObject({ list: z.array(z.string()).default([]) });
  assert.deepEqual(checkForm(Schema, {}, 'It is'), { value: { list: [] } });
  const wrong = checkForm(Schema, Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, n])), 'It is');
  assert.ok('error' in wrong);
  assert.deepEqual([wrong.error.code, wrong.error.issues.length, wrong.error.issues[0]?.path], ['invalid-request', 20, 'k0']);
  assert.match(wrong.error.message, /^It is not of the expected form/);
});

test('what a schema says of its own accord is kept', () => {
  const wrong = checkForm(z.strictObject({ n: z.int({ error: 'Give the answer.' }) }), { n: 'x' }, 'It is');
  assert.ok('error' in wrong);
  assert.deepEqual(wrong.error.issues, [{ path: 'n', message: 'Give the answer.' }]);
});
