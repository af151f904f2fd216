import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Schedule } from '../../src/contract/index.ts';
import { SessionSchedules } from '../../src/sessions/tasks/session-schedules.ts';

const MINUTE_MS = 60_000;
/** A moment between two minutes. */
const START = Date.UTC(2030, 0, 1, 9, 0, 30);

function schedule(id: string, cron: string, more: Partial<Schedule> = {}): Schedule {
  return { id, cron, prompt: `Do ${id}.`, recurring: true, createdAt: START, ...more };
}

/** The service's clock is the test's: nothing here waits. */
function world(t: TestContext, run?: (schedule: Schedule) => void | Promise<void>) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START });
  const ran: string[] = [];
  const done: string[] = [];
  const schedules = new SessionSchedules({
    run: (one) => {
      ran.push(`${one.id} ${new Date().toISOString().slice(11, 16)}`);
      return run?.(one);
    },
    onDone: (id) => done.push(id),
  });
  t.after(() => schedules.close());
  return {
    ran,
    done,
    schedules,
    pass: async (minutes: number): Promise<void> => {
      // What has come goes on when the work of this moment is done.
      await setImmediate();
      for (let passed = 0; passed < minutes; passed += 1) {
        t.mock.timers.tick(MINUTE_MS);
        await setImmediate();
      }
    },
  };
}

describe('a schedule', () => {
  test('comes every time that its fields are met, in UTC', async (t) => {
    const { ran, done, schedules, pass } = world(t);
    schedules.renew([schedule('a', '*/5 * * * *'), schedule('b', '7 9 * * *')]);
    await pass(16);
    assert.deepEqual(ran, ['a 09:05', 'b 09:07', 'a 09:10', 'a 09:15']);
    assert.deepEqual([done, schedules.size], [[], 2]);
  });

  test('that happens once comes once, and is told as done', async (t) => {
    const { ran, done, schedules, pass } = world(t);
    const once = schedule('once', '*/5 * * * *', { recurring: false });
    schedules.renew([once]);
    await pass(6);
    schedules.renew([once]);
    await pass(30);
    assert.deepEqual([ran, done, schedules.size], [['once 09:05'], ['once'], 0]);
  });

  test('does not make up for times that passed while nobody kept time', async (t) => {
    const { ran, done, schedules, pass } = world(t);
    const earlier = START - 60 * MINUTE_MS;
    schedules.renew([
      schedule('missed', '30 8 * * *', { recurring: false, createdAt: earlier }),
      schedule('ahead', '2 9 * * *', { recurring: false, createdAt: earlier }),
      schedule('hourly', '30 * * * *', { createdAt: earlier }),
    ]);
    await pass(0);
    assert.equal(schedules.size, 2);
    await pass(31);
    assert.deepEqual(
      [ran, done],
      [
        ['ahead 09:02', 'hourly 09:30'],
        ['missed', 'ahead'],
      ],
    );
  });

  test('that is taken away does not come any more, and others go on undisturbed', async (t) => {
    const { ran, schedules, pass } = world(t);
    const [a, b] = [schedule('a', '*/5 * * * *'), schedule('b', '*/5 * * * *')];
    schedules.renew([a, b]);
    await pass(6);
    schedules.renew([b]);
    await pass(5);
    assert.deepEqual(ran.toSorted(), ['a 09:05', 'b 09:05', 'b 09:10']);
    assert.equal(schedules.size, 1);
  });

  test('is passed over while its last time is still worked on', async (t) => {
    const work = Promise.withResolvers<void>();
    const { ran, schedules, pass } = world(t, () => work.promise);
    schedules.renew([schedule('a', '* * * * *')]);
    await pass(4);
    assert.deepEqual(ran, ['a 09:01']);
    work.resolve();
    await pass(2);
    assert.equal(ran.length, 3);
  });

  test('goes on when its work fails', async (t) => {
    const { ran, schedules, pass } = world(t, () => {
      throw new Error('on purpose');
    });
    schedules.renew([schedule('a', '* * * * *')]);
    await pass(3);
    assert.equal(ran.length, 3);
  });

  test('whose fields cannot be read is told as done, and costs no other one', async (t) => {
    const { ran, done, schedules, pass } = world(t);
    schedules.renew([schedule('bad', 'every day'), schedule('never', '0 0 30 2 *', { recurring: false }), schedule('a', '* * * * *')]);
    await pass(1);
    assert.deepEqual([ran, done], [['a 09:01'], ['bad', 'never']]);
  });
});

test('nothing comes when the session has closed', async (t) => {
  const { ran, done, schedules, pass } = world(t);
  schedules.renew([schedule('a', '* * * * *'), schedule('missed', '30 8 * * *', { recurring: false, createdAt: START - 60 * MINUTE_MS })]);
  schedules.close();
  schedules.renew([schedule('b', '* * * * *')]);
  await pass(5);
  assert.deepEqual([ran, done, schedules.size], [[], [], 0]);
});

test('timers keep no process alive', (t) => {
  const schedules = new SessionSchedules({ run: () => {}, onDone: () => {} });
  t.after(() => schedules.close());
  schedules.renew([schedule('a', '0 0 1 1 *')]);
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout'),
    [],
  );
});
