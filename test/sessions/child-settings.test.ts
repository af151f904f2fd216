import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inMode, keptWithin, settingsWithin } from '../../src/sessions/agents/child-settings.ts';
import { SessionOptions } from '../../src/sessions/settings/session-options.ts';

const client = { name: 'mine', description: 'x', input_schema: { type: 'object' }, client: true };
const parent = SessionOptions.parse({
  ttl_ms: 5_000,
  metadata: { of: 'parent' },
  tools: { custom: [client] },
  permissions: { deny: ['Bash'] },
});
const state = { cwd: '/w', mode: 'default', todos: [], loadedTools: [] } as const;

test('An agent’s session has the settings of its parent, but no tools of the client, and lasts over an answer of the model', () => {
  const settings = settingsWithin(parent);
  assert.deepEqual(settings.permissions, parent.permissions);
  assert.deepEqual([settings.tools.custom, settings.metadata, settings.ttl_ms], [[], {}, 3_600_000]);
  assert.deepEqual(settingsWithin(parent, { ...settings, metadata: { its: 'own' } }).metadata, { its: 'own' });
});

test('One that was kept takes the mode that its parent has by now, unless it only looks', () => {
  const now = SessionOptions.parse({ permissions: { mode: 'dontAsk' } });
  const kept = { settings: settingsWithin(parent), state };
  assert.deepEqual(keptWithin(parent, kept).state, state);
  assert.equal(keptWithin(now, kept).state.mode, 'dontAsk');
  assert.equal(keptWithin(now, { ...kept, state: { ...state, mode: 'plan' } }).state.mode, 'plan');
  assert.equal(inMode({ ...state, mode: 'plan' }, 'default', false).mode, 'default', 'one that is no agent’s does as it is told');
});
