import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { idealSchedule, idealTimes, type ScriptedCall } from '../../bench/ideal-schedule.ts';
import { SCRIPTS } from '../../bench/scripts.ts';

/** Start of each call, found by looking at every millisecond: nothing is live, or all that is live is safe and so is the call. */
function simulate(calls: readonly ScriptedCall[], cap: number): number[] {
  const starts: number[] = [];
  for (let now = 0; starts.length < calls.length; now += 1) {
    while (starts.length < calls.length) {
      const next = calls[starts.length] as ScriptedCall;
      const live = calls.filter((call, index) => {
        const start = starts[index];
        return start !== undefined && start + call.durationMs > now;
      });
      const fits = live.length === 0 || (next.safe && live.length < cap && live.every(({ safe }) => safe));
      if (next.arrivalMs > now || !fits) break;
      starts.push(now);
    }
  }
  return starts;
}

const scripts = fc
  .array(
    fc.record({ gapMs: fc.nat(6), durationMs: fc.nat(12), safe: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()) }),
    {
      maxLength: 25,
    },
  )
  .map((steps) => {
    let arrivalMs = 0;
    return steps.map(({ gapMs, ...call }): ScriptedCall => ({ ...call, arrivalMs: (arrivalMs += gapMs) }));
  });

describe('the ideal schedule', () => {
  test('starts every call in the millisecond in which a simulation of each tick starts it', () => {
    fc.assert(
      fc.property(scripts, fc.integer({ min: 1, max: 4 }), (calls, cap) => {
        const ideal = idealSchedule(calls, cap);
        assert.deepEqual(
          ideal.map(({ startMs }) => startMs),
          simulate(calls, cap),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('releases a result when its call and all calls before it have ended', () => {
    fc.assert(
      fc.property(scripts, (calls) => {
        const ideal = idealSchedule(calls);
        for (const [index, { releaseMs }] of ideal.entries()) {
          assert.equal(releaseMs, Math.max(...ideal.slice(0, index + 1).map(({ endMs }) => endMs)));
        }
      }),
    );
  });

  test('puts runs of safe calls into one batch and every other call into its own', () => {
    const calls = [true, true, true, false, true, true, true].map((safe) => ({ arrivalMs: 0, durationMs: 1, safe }));
    assert.deepEqual(
      idealSchedule(calls).map(({ batch }) => batch),
      [0, 0, 0, 1, 2, 2, 2],
    );
  });

  test('gives the known times of the scripts that the benchmark runs', () => {
    assert.deepEqual(
      SCRIPTS.map(({ calls }) => idealTimes(calls)),
      [
        { firstMs: 100, finishMs: 500 },
        { firstMs: 500, finishMs: 1_000 },
        { firstMs: 100, finishMs: 300 },
        { firstMs: 1_400, finishMs: 3_000 },
        { firstMs: 250, finishMs: 1_200 },
        { firstMs: 2_000, finishMs: 2_400 },
      ],
    );
  });

  test('of no calls has nothing to wait for', () => {
    assert.deepEqual(idealTimes([]), { firstMs: 0, finishMs: 0 });
  });
});
