// What a connection keeps: it may live for days, and serve many.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rawHttpServer } from '../../support/mcp-http.ts';
import { fixture, hubInTest } from '../../support/mcp-session.ts';

/** How many of these things are still kept by somebody, once all that can go has gone. */
async function kept(things: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 5; round += 1) {
    await setImmediate();
    collect();
  }
  return things.filter((thing) => thing.deref() !== undefined).length;
}

describe('a connection keeps nothing', () => {
  test('of what was called on it', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ m: fixture('modern.ts') });
    await connect();
    const outputs: WeakRef<object>[] = [];
    for (let count = 0; count < 20; count += 1) {
      const { result } = await call('mcp__m__sum', { numbers: [count] });
      outputs.push(new WeakRef(result.output as object));
    }
    // The last one may still be at hand somewhere.
    assert.ok((await kept(outputs)) <= 1);
    assert.deepEqual((await call('mcp__m__sum', { numbers: [1] })).result.output, { sum: 1 });
  });

  test('of the sessions that have used it and are gone', async (t) => {
    const { open } = await hubInTest(t);
    const { settings, asked } = await rawHttpServer(t, (_asked, _response, usual) => usual());
    const first = await open({ web: settings });
    await first.connect();
    const gone: WeakRef<object>[] = [];
    for (let count = 0; count < 20; count += 1) {
      const { remote, connect, call } = await open({ web: settings });
      await connect();
      await call('mcp__web__one', {});
      await remote.close();
      gone.push(new WeakRef(remote));
    }
    assert.ok((await kept(gone)) <= 1);
    assert.equal(asked.filter(({ method }) => method === 'initialize').length, 1, 'all of them have used one connection');
  });
});
