import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServerContext } from '@modelcontextprotocol/server';
import { progressOf, progressTeller } from '../../../src/mcp/server/progress.ts';

describe('progress', () => {
  test('keeps the numbers of a tool for as long as they grow, and counts where there are none', () => {
    const told = [
      { progress: 10, total: 100, message: 'ten' },
      { progress: 5 },
      { progress: Number.NaN },
      'plain',
      { progress: 50, total: 20 },
    ];
    const numbers: unknown[] = [];
    let last = 0;
    for (const data of told) {
      const { progress, total, message } = progressOf(data, last);
      numbers.push([progress, total, message]);
      last = progress;
    }
    assert.deepEqual(numbers, [
      [10, 100, 'ten'],
      [11, undefined, '{"progress":5}'],
      [12, undefined, '{"progress":null}'],
      [13, undefined, 'plain'],
      [50, undefined, '{"progress":50,"total":20}'],
    ]);
  });

  test('says the newest of a long output, without splitting a character', () => {
    const { message = '' } = progressOf({ kind: 'output', text: `${'x'.repeat(5_000)}${'😀'.repeat(500)}y` }, 0);
    assert.ok(message.length <= 1_000);
    assert.ok(message.endsWith('😀y') && message.isWellFormed());
  });

  test('says something of whatever a tool may tell', () => {
    for (const data of [undefined, null, 1, [], {}, { text: 5 }]) assert.equal(typeof progressOf(data, 0).message, 'string');
  });

  test('is told to who has asked for it, goes on where it was, and is left out for who does not read', () => {
    const sent: unknown[] = [];
    const contextWith = (meta: object) =>
      ({ mcpReq: { _meta: meta, notify: async (message: unknown) => void sent.push(message) } }) as ServerContext;
    const told = { progress: 0 };
    assert.equal(
      progressTeller(contextWith({}), told, () => true),
      undefined,
    );
    let reads = true;
    progressTeller(contextWith({ progressToken: 7 }), told, () => reads)?.('one');
    const later = progressTeller(contextWith({ progressToken: 7 }), told, () => reads);
    reads = false;
    later?.('unread');
    reads = true;
    later?.('two');
    assert.deepEqual(
      sent,
      ['one', 'two'].map((message, index) => ({
        method: 'notifications/progress',
        params: { progressToken: 7, progress: index + 1, message },
      })),
    );
  });
});
