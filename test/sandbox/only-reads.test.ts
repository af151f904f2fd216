import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxed } from '../../src/sandbox/enclosure/sandboxed.ts';
import { commands, profileFor, workingBubblewrap } from './commands.ts';

test('What only reads does not wait for a look at what is protected, and cannot write it all the same', async (t) => {
  const made = await commands(t);
  const bubblewrap = await workingBubblewrap();
  const asked: boolean[] = [];
  const runner = sandboxed(made.runner, {
    bubblewrap,
    profile(unprotected) {
      asked.push(unprotected);
      return profileFor(made);
    },
  });
  const write = 'echo x > file';
  const program = await runner.exec(made.program('sh', ['-c', write]));
  assert.notEqual(program.exitCode, 0);
  assert.notEqual((await runner.run(made.request(write, { readOnly: true }))).exitCode, 0);
  assert.equal((await runner.run(made.request(write, { approved: true }))).exitCode, 0);
  assert.equal((await runner.run(made.request(write))).exitCode, 0);
  assert.deepEqual(asked, [true, true, true, false]);
});
