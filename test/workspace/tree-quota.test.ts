import assert from 'node:assert/strict';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Problem } from '../../src/contract/index.ts';
import { createQuota } from '../../src/workspace/tree/quota.ts';
import { bodyOf, contentOf, temporaryTree } from './support/temporary-tree.ts';

const isFull = (error: unknown): boolean => error instanceof Problem && error.code === 'quota-exceeded';
const bytes = (count: number): Buffer => Buffer.alloc(count, 'x');

/** Waits until what commands have done is counted again. */
async function until(action: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const done = await action().then(
      () => true,
      (error: unknown) => {
        assert.ok(isFull(error), String(error));
        return false;
      },
    );
    if (done) return;
  }
}

describe('a workspace that is full', () => {
  test('takes no more, whether the body says how long it is or not, and has what it had', async (t) => {
    const { tree } = await temporaryTree(t, { limit: 1_000 });
    await tree.put('a', { body: bodyOf(bytes(600)) });
    let read = false;
    async function* unread() {
      read = true;
      yield bytes(1);
    }
    await assert.rejects(tree.put('b', { body: unread(), length: 401 }), isFull);
    assert.equal(read, false, 'what says it is too long is refused unread');
    await assert.rejects(tree.put('b', { body: bodyOf(bytes(300), bytes(101)) }), isFull);
    await assert.rejects(tree.put('huge', { body: unread(), length: 10 ** 15 }), isFull);
    await tree.put('b', { body: bodyOf(bytes(300), bytes(100)) });
    assert.deepEqual(
      (await tree.list('', { limit: 10 })).entries.map(({ name, size }) => [name, size]),
      [
        ['a', 600],
        ['b', 400],
      ],
    );
  });

  test('lets a file be replaced by one that is as large, and takes more once something is removed', async (t) => {
    const { tree } = await temporaryTree(t, { limit: 1_000 });
    await tree.put('a', { body: bodyOf(bytes(900)) });
    await tree.put('a', { body: bodyOf(bytes(1_000)), length: 1_000 });
    await assert.rejects(tree.put('a', { body: bodyOf(bytes(1_001)) }), isFull);
    assert.equal((await contentOf(tree, 'a')).length, 1_000);
    await tree.remove('a');
    await tree.put('d/b', { body: bodyOf(bytes(1_000)) });
    await tree.remove('d', { recursive: true });
    await tree.put('c', { body: bodyOf(bytes(1_000)) });
  });

  test('is full of what commands have put there too, and empties with what they remove', async (t) => {
    const { tree, workspace } = await temporaryTree(t, { limit: 1_000 });
    await writeFile(join(workspace, 'by-command'), bytes(900));
    await assert.rejects(tree.put('a', { body: bodyOf(bytes(200)) }), isFull);
    await rm(join(workspace, 'by-command'));
    await until(() => tree.put('a', { body: bodyOf(bytes(200)) }));
  });

  test('is not full of what a crash has left of uploads, which goes, while those that are under way stay', async (t) => {
    const { workspace } = await temporaryTree(t);
    const left = `.toolexec-${'a'.repeat(24)}.tmp`;
    await mkdir(join(workspace, 'd', left), { recursive: true });
    for (const path of [left, join('d', left, '1')]) await writeFile(join(workspace, path), bytes(900));
    for (const path of [left, join('d', left)]) await utimes(join(workspace, path), 1, 1);
    const { tree } = await temporaryTree(t, { workspace, limit: 1_000 });
    async function* body() {
      yield bytes(400);
      // Another count, while this one is being received.
      const { tree: another } = await temporaryTree(t, { workspace, limit: 1_000 });
      await another.put('b', { body: bodyOf(bytes(100)) });
      yield bytes(100);
    }
    await tree.put('a', { body: body() });
    assert.equal((await contentOf(tree, 'a')).length, 500);
    assert.deepEqual((await readdir(workspace, { recursive: true })).toSorted(), ['a', 'b', 'd']);
  });

  test('is not passed by many uploads at once', async (t) => {
    const taken = async (length?: number): Promise<number> => {
      const { tree } = await temporaryTree(t, { limit: 1_000 });
      const uploads = Array.from({ length: 10 }, (_, n) => tree.put(`f${n}`, { body: bodyOf(bytes(100), bytes(100)), length }));
      const ended = await Promise.allSettled(uploads);
      assert.ok(ended.every((one) => one.status === 'fulfilled' || isFull(one.reason)));
      const put = ended.filter(({ status }) => status === 'fulfilled').length;
      // What did not come has left its room.
      for (let n = put; n < 5; n += 1) await tree.put(`later${n}`, { body: bodyOf(bytes(200)) });
      return put;
    };
    assert.equal(await taken(200), 5);
    // Those that do not say how long they are may all come too far for any to be taken.
    const put = await taken();
    assert.ok(put <= 5, `${put} were taken`);
  });
});

test('in a directory of the operator each upload is bounded by itself', async (t) => {
  const { tree } = await temporaryTree(t, { limit: 1_000, countsAll: false });
  await tree.put('a', { body: bodyOf(bytes(900)) });
  await tree.put('b', { body: bodyOf(bytes(900)) });
  await assert.rejects(tree.put('c', { body: bodyOf(bytes(1_001)) }), isFull);
});

test('what is there is counted once for many uploads at once, and what is on its way is reserved', async () => {
  let counts = 0;
  const counting = Promise.withResolvers<number>();
  const quota = createQuota({
    limit: 100,
    count: () => {
      counts += 1;
      return counting.promise;
    },
  });
  const reservations = [quota.reserve({ length: 40 }), quota.reserve({ length: 40 })];
  counting.resolve(10);
  await Promise.all(reservations);
  assert.equal(counts, 1);
  await assert.rejects(quota.reserve({ length: 11 }), isFull);
  using last = await quota.reserve({ length: 10 });
  last.take(10);
  assert.throws(() => last.take(1), isFull);
});
