import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../store/memory-store.ts';
import { options, registry, work } from './plain-registry.ts';

test('a call that lay with its client is answered by nobody once its turn has ended without coming to it again', async (t) => {
  const { sessions } = registry(t, memoryStore());
  const session = await sessions.create('', options);
  const turn = session.startTurn('anthropic', [work('a')]);
  const item = { type: 'client_call', seq: 1, turnId: turn.id, json: '{}' } as const;
  session.clientCalls.restore(turn.id, [['asked', item]]);
  assert.doesNotThrow(() => session.clientCalls.progress('asked', 'half'));
  await turn.done;
  assert.throws(() => session.clientCalls.answer('asked', { content: 'late', isError: false }, turn.id), { code: 'call-not-found' });
});
