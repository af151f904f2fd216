import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyEvent } from '../../web/src/model/apply-event.ts';
import { barOf, batchBorders, describeCall, wholeOf } from '../../web/src/model/bars.ts';
import { rowsInSight, rowsOf } from '../../web/src/model/rows.ts';
import { batchSizes, emptyModel, type SessionModel, type Turn } from '../../web/src/model/session-model.ts';
import { labelPx, panSpan, tickCount, ticksOf, zoomSpan } from '../../web/src/model/zoom.ts';
import { begun, completed, finished, logOf, queued, result, started, type Told } from './events.ts';

function fold(told: readonly Told[]): SessionModel {
  const model = emptyModel();
  for (const event of logOf(told)) applyEvent(model, event);
  return model;
}

function firstTurn({ turns: [turn] }: SessionModel): Turn {
  assert.ok(turn);
  return turn;
}

/** Two calls together, then one alone. */
const THREE: readonly Told[] = [
  { ...begun, at: 0 },
  queued('a', { at: 0 }),
  queued('b', { at: 0, index: 1 }),
  queued('c', { at: 0, index: 2, batch: 1, concurrent: false }),
  started('a', { at: 0 }),
  started('b', { at: 100 }),
  finished('b', { at: 200 }),
  finished('a', { at: 400 }),
  result('a', { at: 400 }),
  result('b', { at: 400, index: 1 }),
  started('c', { at: 500, batch: 1, concurrent: false }),
  finished('c', { at: 1_000, outcome: 'tool_error' }),
  result('c', { at: 1_000, index: 2, outcome: 'tool_error' }),
  completed([], { at: 1_000 }),
];

describe('a bar', () => {
  const turn = firstTurn(fold(THREE));
  const [a, b, c] = turn.calls;
  assert.ok(a && b && c);
  const how = { span: wholeOf(turn, 0), now: 0 };
  const pieces = (call: typeof a): string[] => barOf(call, turn, how).pieces.map(({ kind, left, width }) => `${kind} ${left}+${width}`);

  test('shows how long a call was queued, ran, and was held back for its turn', () => {
    assert.deepEqual(pieces(b), ['queued 0+10', 'running 10+10', 'held 20+20']);
    assert.equal(barOf(b, turn, how).release, 40);
  });

  test('of a call that nothing held up is one piece', () => {
    assert.deepEqual(pieces(a), ['running 0+40']);
  });

  test('looks like its outcome, in a sign and a word', () => {
    assert.deepEqual(barOf(c, turn, how).look, { tone: 'error', sign: '✕', word: 'error' });
    assert.deepEqual(describeCall(c, turn), {
      before: 'Turn 1, call 3: ',
      after: '. Batch 2, alone. error, queued 500 ms, ran 500 ms, result sent',
    });
  });

  test('is cut where the part that is shown ends', () => {
    const { pieces: shown, release } = barOf(b, turn, { span: { from: 150, to: 350 }, now: 0 });
    assert.deepEqual(
      shown.map(({ kind, left, width }) => `${kind} ${left}+${width}`),
      ['running 0+25', 'held 25+75'],
    );
    assert.equal(release, undefined);
  });

  test('grows with the clock while its call runs', () => {
    const open = firstTurn(fold([{ ...begun, at: 0 }, queued('a', { at: 0 }), started('a', { at: 0 })]));
    const [call] = open.calls;
    assert.ok(call);
    const at = (ms: number) => barOf(call, open, { span: { from: 0, to: 1_000 }, now: open.startedAt + ms }).pieces[0]?.width;
    assert.deepEqual([at(100), at(700)], [10, 70]);
  });
});

test('batches are counted, and their borders stand where the last call of one ended', () => {
  const turn = firstTurn(fold(THREE));
  assert.deepEqual(batchSizes(turn), [2, 1]);
  assert.deepEqual(batchBorders(turn, wholeOf(turn, 0)), [40]);
});

describe('thousands of calls', () => {
  const told = Array.from({ length: 5_000 }, (_, index) => queued(`c${index}`, { index, batch: Math.floor(index / 10) }));
  const model = fold([begun, ...told]);
  const rows = rowsOf(model);

  test('are drawn as far as they are in sight', () => {
    assert.equal(rows.rows.length, 5_001);
    const sight = rowsInSight(rows, { top: rows.height / 2, height: 600 });
    assert.ok(sight.length < 60, `${sight.length} rows`);
    const tops = sight.slice(1).map(({ top }) => top);
    assert.ok(tops.some((top) => top >= rows.height / 2) && tops.every((top, index) => index === 0 || top > (tops[index - 1] ?? 0)));
  });

  test('keep the head of their turn, from which its lines are drawn', () => {
    assert.equal(rowsInSight(rows, { top: rows.height - 600, height: 600 })[0]?.kind, 'turn');
  });

  test('show where each batch begins and ends', () => {
    const marks = rows.rows.slice(1, 21).map((row) => row.kind === 'call' && `${row.beginsBatch ? '<' : ''}${row.endsBatch ? '>' : ''}`);
    assert.deepEqual([marks[0], marks[1], marks[9], marks[10], marks[19]], ['<', '', '>', '<', '>']);
  });
});

describe('zooming', () => {
  const whole = { from: 0, to: 1_000 };

  test('keeps the moment under the pointer where it is', () => {
    const span = zoomSpan(whole, 0.5, { at: 250, whole });
    assert.deepEqual(span, { from: 125, to: 625 });
    assert.equal((250 - span.from) / (span.to - span.from), 0.25);
  });

  test('never shows more than there is', () => {
    assert.deepEqual(zoomSpan({ from: 600, to: 900 }, 10, { at: 700, whole }), whole);
    assert.deepEqual(panSpan({ from: 600, to: 900 }, 5, whole), { from: 700, to: 1_000 });
    assert.deepEqual(panSpan({ from: 100, to: 400 }, -5, whole), { from: 0, to: 300 });
  });

  test('ends before nothing is left', () => {
    let span = whole;
    for (let step = 0; step < 100; step++) span = zoomSpan(span, 0.5, { at: 500, whole });
    assert.equal(span.to - span.from, 2);
  });

  test('labels round moments inside of what is shown', () => {
    assert.deepEqual(ticksOf(whole, 6), [0, 200, 400, 600, 800, 1_000]);
    assert.deepEqual(ticksOf({ from: 130, to: 170 }, 4), [130, 140, 150, 160, 170]);
    assert.ok(ticksOf({ from: 0, to: 0 }, 6).length <= 1);
  });

  test('labels no more moments than a line has room for', () => {
    for (const to of [467, 4_000, 150_000])
      for (const width of [126, 240, 400, 2_000]) {
        const ticks = ticksOf({ from: 0, to }, tickCount({ from: 0, to }, width));
        const [first = 0, second = Infinity] = ticks;
        assert.ok(ticks.length >= 1 && ticks.length <= 7, `${ticks.length} in ${width} px`);
        assert.ok(((second - first) / to) * width >= labelPx(to), `${to} ms in ${width} px`);
      }
  });
});
