// Where there is no sandbox: what was required is refused, and the rest is told.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startProcess, type ServerProcess } from '../support/process.ts';
import { startServer, type Json } from '../support/server.ts';

const PROGRAM = fileURLToPath(new URL('children/without-bubblewrap.ts', import.meta.url));

async function startWithout(t: TestContext, env: Record<string, string>): Promise<ServerProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-bare-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  return startProcess(t, { TOOLEXEC_DATA_DIR: dataDir, ...env }, PROGRAM);
}

describe('a service without a sandbox', () => {
  test('refuses the sessions that require one, and says of the others that they have none', async (t) => {
    const server = await startWithout(t, {});
    const make = async (sandbox: Json): Promise<{ status: number; body: Json }> => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ sandbox }) });
      return { status: reply.status, body: (await reply.json()) as Json };
    };
    const refused = await make({ mode: 'required' });
    assert.deepEqual([refused.status, refused.body['type']], [403, '/problems/forbidden']);
    assert.match(refused.body['detail'], /requires a sandbox, and there is none: There is no bubblewrap: install it/);
    for (const sandbox of [{}, { mode: 'auto' }]) {
      const { status, body } = await make(sandbox);
      assert.deepEqual([status, body['sandbox'].mode], [201, 'off']);
      assert.match(body['sandbox'].reason, /There is no bubblewrap/);
    }
    const ready = (await (await fetch(`${server.url}/readyz`)).json()) as Json;
    assert.equal(ready['sandbox'].mode, 'off');
  });

  test('does not start where its operator requires one', async (t) => {
    await assert.rejects(startWithout(t, { TOOLEXEC_SANDBOX: 'required' }), /TOOLEXEC_SANDBOX is required\. There is no bubblewrap/);
  });
});

test('a session has no less of a sandbox than the operator wants', async (t) => {
  for (const [floor, allowed] of [
    ['off', ['off', 'auto', 'required']],
    ['auto', ['auto', 'required']],
    ['required', ['required']],
  ] as const) {
    const server = await startServer(t, { env: { TOOLEXEC_SANDBOX: floor } });
    for (const mode of ['off', 'auto', 'required'] as const) {
      const { status } = await server.request('POST', '/v1/sessions', { sandbox: { mode } });
      assert.deepEqual([floor, mode, status], [floor, mode, allowed.some((each) => each === mode) ? 201 : 403]);
    }
    await server.close();
  }
});
