import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHeldService, textAt } from '../support/crash.ts';
import { call, resultsOf } from '../support/server.ts';

test('a call that only reads and brings the service down each time is tried three more times, then left to people, who may try it again', async (t) => {
  const service = await startHeldService(t);
  const { id, workspace } = await service.session();
  await writeFile(join(workspace, 'deadly'), '');
  const calls = [call('a', 'Deadly'), call('b', 'Bash', { command: 'echo b > b' })];
  service.begin(id, calls);
  let starts = 0;
  await service.process.exited;
  // It may die before it listens, or just after.
  for (let up = false; !up; starts += 1) {
    assert.ok(starts < 8, 'the service never comes up');
    up = await service.again().then(
      () =>
        service.post(id, calls).then(
          ({ status }) => status === 200,
          () => false,
        ),
      () => false,
    );
  }
  assert.equal(await textAt(workspace, 'attempts'), 'attempt\n'.repeat(4));
  const { body } = await service.post(id, calls);
  assert.deepEqual(
    body['turn'].calls.map((one: { outcome: string }) => one.outcome),
    ['outcome_unknown', 'ok'],
  );
  assert.match(resultsOf(body)[0] ?? '', /stopped each of the 4 times that this call ran.*does not run again by itself/);

  const path = `/v1/sessions/${id}/turns/${body['turn'].id}/calls/a/resolve`;
  await rm(join(workspace, 'deadly'));
  const settled = await service.request('POST', path, { as: 'retry' });
  assert.deepEqual([settled.body['outcome'], settled.body['content']], ['ok', 'It lives.']);
});
