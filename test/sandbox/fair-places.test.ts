import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CommandOwner } from '../../src/contract/index.ts';
import { createFairPlaces } from '../../src/sandbox/fair-places.ts';
import { ownerOf } from './commands.ts';

interface Waiter {
  readonly owner: CommandOwner;
  readonly number: number;
}

type Step = { readonly kind: 'wait'; readonly owner: CommandOwner } | { readonly kind: 'end' | 'leave'; readonly which: number };

const owners = fc.constantFrom(...['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1'].map((session) => ownerOf(session, session.slice(0, 1))));
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
  /** For each key and each session that waits and holds nothing: who got places since then, other keys or sessions of its key. */
  readonly #passedBy = new Map<string, { readonly key: string; readonly of: 'key' | 'session'; readonly who: string[] }>();

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#places = createFairPlaces<Waiter>(capacity);
  }

  get free(): number {
    return this.capacity - this.running.length;
  }

  do(step: Step): void {
    if (step.kind === 'wait') this.#wait(step.owner);
    else if (step.kind === 'end') this.#end(step.which);
    else this.#leave(step.which);
    for (let given = this.#places.next(); given !== undefined; given = this.#places.next()) this.#enter(given);
    this.#watch();
  }

  held(session: string): number {
    return this.running.filter(({ owner }) => owner.session === session).length;
  }

  heldByKey(key: string): number {
    return this.running.filter(({ owner }) => owner.key === key).length;
  }

  #wait(owner: CommandOwner): void {
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
    const first = this.waiting.find(({ owner }) => owner.session === given.owner.session);
    assert.equal(given, first, 'each line is first come, first served');
    this.waiting.splice(this.waiting.indexOf(given), 1);
    this.running.push(given);
    assert.ok(this.running.length <= this.capacity, 'no more run than there are places');
    const { key, session } = given.owner;
    for (const name of [key, session]) this.#passedBy.delete(name);
    for (const passed of this.#passedBy.values()) {
      if ((passed.key === key) === (passed.of === 'session')) passed.who.push(given.owner[passed.of]);
    }
  }

  #watch(): void {
    for (const { key, session } of this.waiting.map(({ owner }) => owner)) {
      if (this.heldByKey(key) === 0) this.#note(key, { key, of: 'key' });
      if (this.held(session) === 0) this.#note(session, { key, of: 'session' });
    }
    for (const [name, { who }] of this.#passedBy) {
      assert.equal(new Set(who).size, who.length, `${name} waited while another got two places`);
      if (!this.waiting.some(({ owner }) => owner.key === name || owner.session === name)) this.#passedBy.delete(name);
    }
  }

  #note(name: string, passed: { key: string; of: 'key' | 'session' }): void {
    if (!this.#passedBy.has(name)) this.#passedBy.set(name, { ...passed, who: [] });
  }
}

const crowds = fc.tuple(fc.integer({ min: 1, max: 12 }), steps);

describe('places', () => {
  test('are never given to more than there are, to each session in its order, and to none twice while one without any waits', () => {
    fc.assert(
      fc.property(crowds, ([capacity, script]) => {
        const crowd = new Crowd(capacity);
        for (const step of script) crowd.do(step);
      }),
    );
  });

  test('do not stay empty while somebody waits who holds, with its key, no more than twice what is free', () => {
    fc.assert(
      fc.property(crowds, ([capacity, script]) => {
        const crowd = new Crowd(capacity);
        for (const step of script) {
          crowd.do(step);
          if (crowd.free === 0) continue;
          for (const { owner } of crowd.waiting) assert.ok(crowd.heldByKey(owner.key) + crowd.held(owner.session) > 2 * crowd.free);
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

  test('come to a key with a hundred sessions at most twice as often as to a key with one, however what runs ends', () => {
    const ends = fc.array(fc.nat(), { minLength: 500, maxLength: 500 });
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 64 }), ends, (capacity, script) => {
        const places = createFairPlaces<CommandOwner>(capacity);
        const running: CommandOwner[] = [];
        const giveAway = (): void => {
          for (let owner = places.next(); owner !== undefined; owner = places.next()) running.push(owner);
        };
        const sessions = Array.from({ length: 100 }, (_, n) => ownerOf(`many ${n}`, 'many'));
        for (const owner of [...sessions, ...sessions]) places.wait(owner, { ...owner });
        giveAway();
        for (let n = 0; n < 100; n += 1) places.wait(ownerOf('one'), ownerOf('one'));
        for (const which of script) {
          const [ended] = running.splice(which % running.length, 1);
          assert.ok(ended);
          places.release(ended);
          places.wait(ended, { ...ended });
          giveAway();
        }
        const [many, one] = ['many', 'one'].map((key) => running.filter((owner) => owner.key === key).length);
        assert.ok(many !== undefined && one !== undefined && many <= 2 * one + 3, `${many} and ${one} of ${capacity}`);
      }),
    );
  });

  for (const [whose, key] of [
    ['keys', undefined],
    ['sessions of one key', 'key'],
  ] as const) {
    test(`are left over by one that takes all it can get, for ${whose} that come later`, () => {
      const crowd = new Crowd(64);
      for (let n = 0; n < 100; n += 1) crowd.do({ kind: 'wait', owner: ownerOf('greedy', key) });
      assert.ok(crowd.held('greedy') >= 32, 'alone it gets half of them');
      for (let n = 0; n < 8; n += 1) {
        crowd.do({ kind: 'wait', owner: ownerOf(`later ${n}`, key) });
        assert.equal(crowd.held(`later ${n}`), 1, `later ${n}`);
      }
    });
  }

  test('are left over by greedy keys, and by one whose sessions are many, for everybody who comes later', () => {
    const crowd = new Crowd(64);
    for (const owner of Array.from({ length: 100 }, (_, n) => ownerOf(`session ${n}`, 'greedy'))) crowd.do({ kind: 'wait', owner });
    for (const owner of Array.from({ length: 100 }, () => ownerOf('greediest'))) crowd.do({ kind: 'wait', owner });
    assert.ok(crowd.heldByKey('greedy') >= 42, 'alone it gets two thirds of them');
    for (let n = 0; n < 6; n += 1) {
      crowd.do({ kind: 'wait', owner: ownerOf(`later ${n}`) });
      assert.equal(crowd.held(`later ${n}`), 1, `later ${n}`);
    }
  });

  test('are all there for one session when there are few', () => {
    for (const capacity of [1, 2]) {
      const crowd = new Crowd(capacity);
      for (let n = 0; n < 3; n += 1) crowd.do({ kind: 'wait', owner: ownerOf('alone') });
      assert.equal(crowd.held('alone'), capacity);
    }
  });
});
