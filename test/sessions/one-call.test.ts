// One tool by its name, in a session of the real service.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import { z } from 'zod';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { buildTool, type Tool } from '../../src/contract/index.ts';
import { answerApprovals } from '../../src/sessions/people/answer-approvals.ts';
import { beginOneCall, cancelOneCall, watchOneCall } from '../../src/sessions/input/one-call.ts';
import type { Session } from '../../src/sessions/session.ts';
import { SessionOptions } from '../../src/sessions/settings/session-options.ts';
import { carefulAlone as careful, newTrace, workTool } from '../support/test-tools.ts';

async function openSession(t: TestContext, tools: readonly Tool[]): Promise<Session> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-'));
  const config = readConfig({ TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_DRAIN_GRACE_MS: '100' });
  const app = await buildApp({ config, logger: undefined, extraTools: tools });
  t.after(async () => {
    await app.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return app.services.sessions.create('', SessionOptions.parse({ permissions: { mode: 'bypassPermissions' } }));
}

describe('one call', () => {
  test('gives its result, and what was repaired of its input', async (t) => {
    const session = await openSession(t, [workTool()]);
    const call = beginOneCall(session, { name: 'Work', input: { ms: '1', label: 'x' } });
    const { outcome, isError, content, coerced, turnId, pending } = await watchOneCall(session, call);
    assert.deepEqual(
      { outcome, isError, content, coerced, pending },
      { outcome: 'ok', isError: false, content: 'done x', coerced: ['ms'], pending: [] },
    );
    assert.equal(turnId, call.turn.id);
  });

  test('tells of all its progress before its result, in order', async (t) => {
    const counting = buildTool({
      name: 'Counting',
      description: () => 'Counts.',
      inputSchema: z.strictObject({}),
      async *call() {
        for (let count = 0; count < 50; count += 1) yield { type: 'progress' as const, data: { count } };
        return { content: 'counted' };
      },
    }) as Tool;
    const session = await openSession(t, [counting]);
    const told: unknown[] = [];
    const { content } = await watchOneCall(session, beginOneCall(session, { name: 'Counting', input: {} }), {
      onProgress: (data) => told.push(data),
    });
    const atTheEnd = [...told];
    assert.equal(content, 'counted');
    assert.deepEqual(
      atTheEnd,
      Array.from({ length: 50 }, (_, count) => ({ count })),
    );
    assert.equal(session.log.hasReaders, false);
  });

  test('is cancelled by its signal, also while another call is ahead of it', async (t) => {
    const trace = newTrace();
    const session = await openSession(t, [workTool(trace)]);
    const ahead = beginOneCall(session, { name: 'Work', input: { ms: 60_000 } });
    const leaving = new AbortController();
    const behind = watchOneCall(session, beginOneCall(session, { name: 'Work', input: {} }), { signal: leaving.signal });
    leaving.abort();
    const stopping = new AbortController();
    const running = watchOneCall(session, ahead, { signal: stopping.signal });
    await trace.until(() => trace.started.length === 1);
    stopping.abort();
    assert.deepEqual([(await running).outcome, (await behind).outcome], ['aborted', 'aborted']);
    assert.equal(trace.started.length, 1, 'the one behind was never started');
    assert.equal((await watchOneCall(session, ahead, { signal: AbortSignal.abort() })).outcome, 'aborted');
  });

  test('that people must be asked about says so, and gives its result once they have answered', async (t) => {
    const session = await openSession(t, [careful]);
    const call = beginOneCall(session, { name: 'Careful', input: {} });
    const asked = await watchOneCall(session, call, { onProgress: () => {} });
    while (session.log.hasReaders) await sleep(1);
    assert.deepEqual([asked.outcome, asked.content, asked.pending.map(({ type }) => type)], [null, null, ['approval']]);
    const waiting = watchOneCall(session, call, { untilEnd: true });
    await answerApprovals(session, [{ approvalId: session.approvals.pending[0]?.id ?? '', behavior: 'allow' }]);
    assert.deepEqual([(await waiting).outcome, (await waiting).content], ['ok', 'done']);
    assert.equal((await watchOneCall(session, call)).outcome, 'ok', 'also for whoever asks later');
  });

  test('that waits for people when its session is put away is left as it is', async (t) => {
    const session = await openSession(t, [careful]);
    const call = beginOneCall(session, { name: 'Careful', input: {} });
    await watchOneCall(session, call);
    await session.suspend('The service is shutting down.');
    cancelOneCall(session, call);
    assert.equal(call.turn.control.stopOf(call.toolUseId), undefined);
    assert.equal(call.turn.summary().status, 'requires_action');
  });
});
