import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyEvent } from '../../web/src/model/apply-event.ts';
import { axisOf, quietOf } from '../../web/src/model/axis.ts';
import { barOf, batchBorders, describeCall, type LineView } from '../../web/src/model/bars.ts';
import { rowsInSight, rowsOf } from '../../web/src/model/rows.ts';
import { rulerOf, ticksOn } from '../../web/src/model/ruler.ts';
import { batchSizes, emptyModel, type SessionModel, type Turn } from '../../web/src/model/session-model.ts';
import { labelPx, panSpan, tickCount, zoomSpan, type Span } from '../../web/src/model/zoom.ts';
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

/** All of a turn. @param now milliseconds since it began, where it has not ended */
function wholeOf(turn: Turn, now = 0): LineView {
  const axis = axisOf(quietOf(turn), turn.endedAt === undefined ? now : turn.endedAt - turn.startedAt);
  return { axis, span: { from: 0, to: axis.length } };
}

/** An axis without folds. */
function plainAxis(length: number): LineView['axis'] {
  return axisOf({ gaps: [] }, length);
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
  const how = { ...wholeOf(turn), now: 0 };
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
    const { pieces: shown, release } = barOf(b, turn, { ...how, span: { from: 150, to: 350 } });
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
    const line = { axis: plainAxis(1_000), span: { from: 0, to: 1_000 } };
    const at = (ms: number) => barOf(call, open, { ...line, now: open.startedAt + ms }).pieces[0]?.width;
    assert.deepEqual([at(100), at(700)], [10, 70]);
  });
});

test('batches are counted, and their borders stand where the last call of one ended', () => {
  const turn = firstTurn(fold(THREE));
  assert.deepEqual(batchSizes(turn), [2, 1]);
  assert.deepEqual(batchBorders(turn, wholeOf(turn)), [40]);
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
    const ticks = (span: Span, count: number): number[] => ticksOn(plainAxis(1_000), span, count).map(({ at }) => at);
    assert.deepEqual(ticks(whole, 6), [0, 200, 400, 600, 800, 1_000]);
    assert.deepEqual(ticks({ from: 130, to: 170 }, 4), [130, 140, 150, 160, 170]);
    assert.ok(ticks({ from: 0, to: 0 }, 6).length <= 1);
  });

  test('labels no more moments than a line has room for', () => {
    for (const to of [467, 4_000, 150_000])
      for (const width of [126, 240, 400, 2_000]) {
        const ticks = ticksOn(plainAxis(to), { from: 0, to }, tickCount({ from: 0, to }, width)).map(({ at }) => at);
        const [first = 0, second = Infinity] = ticks;
        assert.ok(ticks.length >= 1 && ticks.length <= 7, `${ticks.length} in ${width} px`);
        assert.ok(((second - first) / to) * width >= labelPx(to), `${to} ms in ${width} px`);
      }
  });
});

describe('minutes in which nothing works', () => {
  const MINUTES = 20 * 60_000;
  const asked = { type: 'approval_requested', approval: { id: 'apr_1', tool_use_id: 'b', name: 'Work', input: {} } } as const;
  const answered = { type: 'approval_resolved', approval_id: 'apr_1', behavior: 'allow', by: 'client' } as const;
  const before: readonly Told[] = [
    { ...begun, at: 0 },
    queued('a', { at: 0 }),
    queued('b', { at: 0, index: 1 }),
    { ...asked, at: 10 },
    started('a', { at: 20 }),
    finished('a', { at: 120 }),
    result('a', { at: 120 }),
  ];
  const end = 120 + MINUTES;
  const after: readonly Told[] = [
    { ...answered, at: end },
    started('b', { at: end }),
    finished('b', { at: end + 100 }),
    result('b', { at: end + 100, index: 1 }),
    completed([], { at: end + 100 }),
  ];

  test('are folded, so that the work before and after them stays as large as it was', () => {
    const turn = firstTurn(fold([...before, ...after]));
    const how = { ...wholeOf(turn), now: 0 };
    const widths = turn.calls.map((call) => barOf(call, turn, how).pieces.find(({ kind }) => kind === 'running')?.width ?? 0);
    assert.ok(
      widths.every((width) => width > 40),
      `${widths.join(', ')} percent`,
    );
    const waits = barOf(turn.calls[1] as Turn['calls'][0], turn, how).pieces.find(({ kind }) => kind === 'waiting');
    assert.ok(waits !== undefined && waits.width > 50 && waits.left + waits.width < 60, 'the wait goes through the fold');
    assert.deepEqual(
      rulerOf(how.axis, how.span, 800).folds.map(({ label }) => label),
      ['⋯ 20 min 00 s'],
    );
  });

  test('are folded while they last, and not before they are minutes', () => {
    const turn = firstTurn(fold(before));
    assert.equal(wholeOf(turn, 50_000).axis.folds.length, 0);
    const { axis } = wholeOf(turn, MINUTES);
    assert.equal(axis.folds.length, 1);
    assert.ok(axis.length < 200);
  });

  test('are not those in which a call runs without a word', () => {
    const silent: readonly Told[] = [
      { ...begun, at: 0 },
      queued('a', { at: 0 }),
      started('a', { at: 0 }),
      finished('a', { at: MINUTES }),
      result('a', { at: MINUTES }),
      completed([], { at: MINUTES }),
    ];
    const { axis } = wholeOf(firstTurn(fold(silent)));
    assert.deepEqual([axis.folds.length, axis.length], [0, MINUTES]);
  });

  test('keep moments in order, and count those after them anew', () => {
    const turn = firstTurn(fold([...before, ...after]));
    const { axis, span } = wholeOf(turn);
    const places = [0, 60, 120, 120 + MINUTES / 2, end, end + 50, end + 100].map(axis.placeOf);
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(Math.abs((places.at(-1) ?? 0) - axis.length) < 0.001);
    const { ticks } = rulerOf(axis, span, 1_400);
    const labels = ticks.map(({ label }) => label).filter((label) => label !== '');
    assert.equal(labels[0], '0');
    assert.match(labels.at(-1) ?? '', /^\+\d+ ms$/);
  });

  test('however many there are, leave half of the line to the work', () => {
    const gaps = Array.from({ length: 40 }, (_, index) => ({ from: index * 100_000 + 1_000, to: (index + 1) * 100_000 }));
    const { length, folds } = axisOf({ gaps }, 4_000_000);
    const folded = folds.reduce((sum, { at }) => sum + at.to - at.from, 0);
    assert.ok(folded <= length / 2 + 1);
  });
});
