import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LeftOutError, type Contest, type Line, type Pair, type World } from '../../bench/contest.ts';
import { renewTable } from '../../bench/markdown.ts';
import { plot } from '../../bench/plot.ts';
import { summarise, type LineResult, type Report } from '../../bench/result.ts';
import { runContests } from '../../bench/run.ts';
import { percentile } from '../../bench/statistics.ts';
import { table } from '../../bench/table.ts';

const LINE: Line = { row: '2', name: 'a <quick> call', against: 'echo & co', unit: 'µs', target: 1.5 };

function contest(lines: readonly Line[], measure: () => Promise<readonly Pair[]>): Contest {
  return { lines, calls: 10, warmUps: 2, open: async () => ({ measure, close: async () => undefined }) };
}

const nothing = contest([], async () => []);
const result = (changes: Partial<Line>, pairs: readonly Pair[]): LineResult => summarise({ ...LINE, ...changes }, nothing, pairs);
const hold = (contests: readonly Contest[]) => runContests(contests, { world: {} as World, rounds: 3, tell: () => undefined });

const report = (results: readonly LineResult[]): Report => ({
  date: '2026-01-02T03:04:05.000Z',
  node: 'v24.1.0',
  cpus: 2,
  rounds: 3,
  results,
  leftOut: [{ names: ['another call'], reason: 'It needs what is not there.', failed: false }],
  facts: [{ name: 'Installed', value: '90 MB' }],
});

describe('a line of the benchmark', () => {
  test('compares the medians, and says how far rounds were apart', () => {
    const pairs = [
      { ours: 10, theirs: 10 },
      { ours: 12, theirs: 10 },
      { ours: 60, theirs: 20 },
    ];
    const { ours, theirs, ratio, ratios, met } = result({}, pairs);
    assert.deepEqual({ ours, theirs, ratio, ratios, met }, { ours: 12, theirs: 10, ratio: 1.2, ratios: { low: 1, high: 3 }, met: true });
  });

  test('asks of a rate to be high enough, and of all else to be low enough', () => {
    const half = [{ ours: 5, theirs: 10 }];
    assert.equal(result({ unit: '/s', target: 0.6 }, half).met, false);
    assert.equal(result({ unit: '/s', target: 0.5 }, half).met, true);
    assert.equal(result({ unit: 'ms', target: 0.4 }, half).met, false);
    assert.equal(result({ unit: 'ms', target: null }, half).met, null);
  });

  test('adds up what went wrong in all rounds', () => {
    assert.equal(
      result({}, [
        { ours: 1, theirs: 1, faults: 2 },
        { ours: 1, theirs: 1, faults: 1 },
      ]).faults,
      3,
    );
    assert.equal(result({}, [{ ours: 1, theirs: 1 }]).faults, null);
  });
});

test('the 99th percentile is a value that one in a hundred is above', () => {
  const values = Array.from({ length: 200 }, (_, n) => 200 - n);
  assert.equal(percentile(values, 0.99), 198);
  assert.equal(percentile([7], 0.99), 7);
  assert.throws(() => percentile([], 0.99), RangeError);
});

describe('a run of contests', () => {
  test('holds each in all rounds after its warm-ups, in changing order', async () => {
    const order: boolean[] = [];
    const measured: Contest = {
      lines: [LINE],
      calls: 1,
      warmUps: 1,
      open: async () => ({
        async measure(oursFirst) {
          order.push(oursFirst);
          return [{ ours: order.length, theirs: 1 }];
        },
        close: async () => undefined,
      }),
    };
    const { results } = await hold([measured]);
    assert.deepEqual(order, [true, true, false, true]);
    assert.equal(results[0]?.ours, 3);
  });

  test('goes on after one that fails or cannot be held, and tells them apart', async () => {
    const failing = contest([{ ...LINE, name: 'fails' }], () => Promise.reject(new Error('broken')));
    const absent: Contest = { ...nothing, lines: [{ ...LINE, name: 'absent' }], open: () => Promise.reject(new LeftOutError('not here')) };
    const well = contest([LINE], async () => [{ ours: 1, theirs: 1 }]);
    const { results, leftOut } = await hold([failing, absent, well]);
    assert.equal(results.length, 1);
    assert.deepEqual(leftOut, [
      { names: ['fails'], reason: 'broken', failed: true },
      { names: ['absent'], reason: 'not here', failed: false },
    ]);
  });

  test('closes a contest that fails', async () => {
    let closed = 0;
    const failing: Contest = {
      ...nothing,
      open: async () => ({ measure: () => Promise.reject(new Error('broken')), close: async () => void (closed += 1) }),
    };
    await hold([failing]);
    assert.equal(closed, 1);
  });
});

describe('the results', () => {
  const missed = result({}, [{ ours: 20, theirs: 10 }]);
  const met = result({ name: 'calls', unit: '/s', target: 0.5 }, [{ ours: 900, theirs: 1_000 }]);
  const open = result({ name: 'untold', target: null }, [{ ours: 1, theirs: 1 }]);

  test('are a table that tells what was met, missed, left out and only told', () => {
    const text = table(report([missed, met, open]));
    assert.match(text, /a <quick> call +20\.0 µs +echo & co +10\.0 µs +2\.00 × .*≤ 1\.5 +✘/);
    assert.match(text, /calls +900\/s .*≥ 0\.5 +✔/);
    assert.match(text, /Left out: another call\. It needs what is not there\./);
    assert.match(text, /Installed: 90 MB/);
    assert.match(text, /2026-01-02, Node 24\.1\.0, 2 cores, medians of 3 rounds/);
  });

  test('replace those that a page had, and nothing else of it', () => {
    const page = 'before\n<!-- results: written by `npm run bench -- --docs` -->\nold\n<!-- end of the results -->\nafter\n';
    const once = renewTable(page, report([missed]));
    assert.match(once, /^before\n[^]*\| 2 \| a <quick> call \| 20\.0 µs \| echo & co \|[^]*\nafter\n$/);
    assert.doesNotMatch(once, /old/);
    assert.equal(renewTable(once, report([missed])), once);
    assert.throws(() => renewTable('no marks', report([])), /must have the lines/);
  });

  test('are a picture with one mark for each target, on the side of the limit where it belongs', () => {
    const svg = plot([missed, met, open]);
    const marks = [...svg.matchAll(/<circle class="(met|missed)" cx="([\d.]+)"/g)].map(([, kind, x]) => ({ kind, x: Number(x) }));
    const limit = Number(/class="target" x1="([\d.]+)"/.exec(svg)?.[1]);
    assert.deepEqual(
      marks.map(({ kind, x }) => ({ kind, beyond: x > limit })),
      [
        { kind: 'missed', beyond: true },
        { kind: 'met', beyond: false },
      ],
    );
    assert.match(svg, /a &lt;quick&gt; call/);
    assert.match(svg, /1 of 2 targets are met/);
    assert.doesNotMatch(svg, /untold/);
  });
});
