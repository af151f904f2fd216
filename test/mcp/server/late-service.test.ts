import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../../src/contract/index.ts';
import { lateMcpService } from '../../../src/mcp/server/late-service.ts';

function lateService() {
  const nobody = (): never => assert.fail('Nothing is asked for.');
  return lateMcpService({
    hosts: { own: nobody, existing: nobody, oneShots: nobody },
    report: nobody,
    note: nobody,
    connectionsPerOwner: 1,
    idleMs: 1_000,
  });
}

test('a first client of MCP that comes while the service stops is told to try elsewhere', async () => {
  const late = lateService();
  await late.close();
  await assert.rejects(late.get(), (error) => error instanceof Problem && error.code === 'draining');
});

test('clients of MCP that come first and together share one service', async () => {
  const late = lateService();
  const [one, other] = await Promise.all([late.get(), late.get()]);
  assert.equal(one.service, other.service);
  await late.close();
});
