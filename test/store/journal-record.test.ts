import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeRecord, encodeRecord } from '../../src/store/journal-record.ts';
import { storedCommit } from '../../src/store/stored-write.ts';
import { callRow, eventRows, sessionRow, turnRow } from './rows.ts';

const commit = storedCommit({
  sessionId: 'ses_a',
  session: sessionRow('ses_a'),
  turn: turnRow('ses_a', 1),
  calls: [callRow(1, 'toolu_1'), callRow(1, 'toolu_2', { input: '{\n "path": "a"\n}' })],
  events: eventRows(4, 3),
});

describe('a record of the journal', () => {
  test('gives back what was written, whatever is in it', () => {
    for (const calls of [commit.calls, []]) {
      for (const events of [commit.events, []]) {
        const write = { ...commit, calls, events };
        assert.deepEqual(decodeRecord(encodeRecord(7, write)), { position: 7, write: JSON.parse(JSON.stringify(write)) as unknown });
      }
    }
    const removal = { kind: 'removal', sessionId: 'ses_a' } as const;
    assert.deepEqual(decodeRecord(encodeRecord(8, removal)), { position: 8, write: removal });
  });

  test('of 1.0.0, which has the results in its first line, is read', () => {
    const { events, ...rows } = commit;
    const text = [JSON.stringify({ position: 7, first: 4, ...rows }), ...events.map(({ json }) => json)].join('\n');
    assert.deepEqual(decodeRecord(text), decodeRecord(encodeRecord(7, commit)));
  });

  test('holds the text of a result once, not encoded a second time', () => {
    const [call] = commit.calls;
    assert.ok(call !== undefined && encodeRecord(7, commit).split('\n').includes(call.result));
  });

  test('that another program wrote is none', () => {
    assert.equal(decodeRecord('not json'), undefined);
  });
});
