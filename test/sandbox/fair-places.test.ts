import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createFairPlaces } from '../../src/sandbox/fair-places.ts';

interface Waiter {
  readonly owner: string;
  readonly number: number;
}

type Step = { readonly kind: 'wait'; readonly owner: string } | { readonly kind: 'end' | 'leave'; readonly which: number };

const owners = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), owner: owners }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), which: fc.nat() }) },
  ),
  { maxLength: 200, size: 'max' },
);

/** Carries out steps and checks each place that is given away. */
class Crowd {
  readonly capacity: number;
  readonly #places;
  #count = 0;
  waiting: Waiter[] = [];
  running: Waiter[] = [];
  /** For an owner that waits and holds nothing: who got places since then. */
  readonly #passedBy = new Map<string, string[]>();

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#places = createFairPlaces<Waiter>(capacity);
  }

  do(step: Step): void {
    if (step.kind === 'wait') this.#wait(step.owner);
    else if (step.kind === 'end') this.#end(step.which);
    else this.#leave(step.which);
    for (let given = this.#places.next(); given !== undefined; given = this.#places.next()) this.#enter(given);
    this.#watch();
  }

  held(owner: string): number {
    return this.running.filter((each) => each.owner === owner).length;
  }

  #wait(owner: string): void {
    const waiter = { owner, number: (this.#count += 1) };
    this.waiting.push(waiter);
    this.#places.wait(owner, waiter);
    this.#watch();
  }

  #end(which: number): void {
    const [ended] = this.running.splice(which % Math.max(1, this.running.length), 1);
    if (ended !== undefined) this.#places.release(ended.owner);
  }

  #leave(which: number): void {
    const [left] = this.waiting.splice(which % Math.max(1, this.waiting.length), 1);
    if (left !== undefined) this.#places.leave(left.owner, left);
  }

  #enter(given: Waiter): void {
    const first = this.waiting.find(({ owner }) => owner === given.owner);
    assert.equal(given, first, 'each line is first come, first served');
    this.waiting.splice(this.waiting.indexOf(given), 1);
    this.running.push(given);
    assert.ok(this.running.length <= this.capacity, 'no more run than there are places');
    this.#passedBy.delete(given.owner);
    for (const passed of this.#passedBy.values()) passed.push(given.owner);
  }

  #watch(): void {
    for (const owner of new Set(this.waiting.map((each) => each.owner))) {
      const passed = this.#passedBy.get(owner) ?? [];
      assert.equal(new Set(passed).size, passed.length, `${owner} waited while another got two places`);
      if (this.held(owner) === 0) this.#passedBy.set(owner, passed);
    }
    for (const owner of this.#passedBy.keys()) {
      if (!this.waiting.some((each) => each.owner === owner)) this.#passedBy.delete(owner);
    }
  }
}

const crowds = fc.tuple(fc.integer({ min: 1, max: 12 }), steps);

describe('places', () => {
  test('are never given to more than there are, to each owner in its order, and to none twice while one without any waits', () => {
    fc.assert(
      fc.property(crowds, ([capacity, script]) => {
        const crowd = new Crowd(capacity);
        for (const step of script) crowd.do(step);
      }),
    );
  });

  test('do not stay empty while somebody waits who holds no more than are free', () => {
    fc.assert(
      fc.property(crowds, ([capacity, script]) => {
        const crowd = new Crowd(capacity);
        for (const step of script) {
          crowd.do(step);
          const free = capacity - crowd.running.length;
          if (free > 0) for (const { owner } of crowd.waiting) assert.ok(crowd.held(owner) > free);
        }
      }),
    );
  });

  test('come to everybody who waits, once enough of what runs has ended', () => {
    fc.assert(
      fc.property(crowds, ([capacity, script]) => {
        const crowd = new Crowd(capacity);
        for (const step of script) crowd.do(step);
        for (let left = crowd.waiting.length + crowd.running.length; left > 0; left -= 1) crowd.do({ kind: 'end', which: 0 });
        assert.deepEqual([crowd.waiting, crowd.running], [[], []]);
      }),
    );
  });

  test('are left over by an owner that takes all it can get, for everybody who comes later', () => {
    const crowd = new Crowd(64);
    for (const owner of ['greedy', 'greedier', 'greediest']) {
      for (let n = 0; n < 100; n += 1) crowd.do({ kind: 'wait', owner });
    }
    assert.ok(crowd.held('greedy') >= 32, 'alone it gets half of them');
    for (let n = 0; n < 6; n += 1) {
      crowd.do({ kind: 'wait', owner: `later ${n}` });
      assert.equal(crowd.held(`later ${n}`), 1, `later ${n}`);
    }
  });

  test('are all there for one owner when there are few', () => {
    for (const capacity of [1, 2]) {
      const crowd = new Crowd(capacity);
      for (let n = 0; n < 3; n += 1) crowd.do({ kind: 'wait', owner: 'alone' });
      assert.equal(crowd.held('alone'), capacity);
    }
  });
});
