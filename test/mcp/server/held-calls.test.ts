import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServerContext } from '@modelcontextprotocol/server';
import { callTool } from '../../../src/mcp/server/call-tool.ts';
import { HeldCalls } from '../../../src/mcp/server/held-calls.ts';
import type { HostedCall, ToolHost } from '../../../src/mcp/server/ports.ts';

/** A call that only notes that it was cancelled. */
function callThat(cancelled: () => void): HostedCall {
  return { ids: { tool_use_id: 'toolu_1' }, step: () => new Promise(() => {}), answer: () => Promise.resolve(), cancel: cancelled };
}

describe('a call that people are asked about', () => {
  test('is taken back once, by the key that it was held for', () => {
    const held = new HeldCalls({ holdMs: 60_000, perOwner: 10 });
    const call = callThat(() => assert.fail('it was cancelled'));
    const key = held.hold('one', { call, approvalId: 'apr_1', byTool: false, told: { progress: 0 } }) ?? assert.fail();
    assert.equal(held.take('two', key), undefined);
    assert.equal(held.take('one', 'another'), undefined);
    assert.equal(held.take('one', key)?.call, call);
    assert.equal(held.take('one', key), undefined);
    held.close();
  });

  test('is cancelled when its client does not come back', async () => {
    const held = new HeldCalls({ holdMs: 1, perOwner: 10 });
    const cancelled = Promise.withResolvers<void>();
    const key =
      held.hold('one', { call: callThat(cancelled.resolve), approvalId: 'apr_1', byTool: false, told: { progress: 0 } }) ?? assert.fail();
    // The timer alone does not keep a process alive.
    const alive = setInterval(() => {}, 1_000);
    await cancelled.promise;
    clearInterval(alive);
    assert.equal(held.take('one', key), undefined);
  });

  test('is not held where its key has too many, and others still are', () => {
    const held = new HeldCalls({ holdMs: 60_000, perOwner: 1 });
    const one = { call: callThat(() => {}), approvalId: 'apr_1', byTool: false, told: { progress: 0 } };
    assert.notEqual(held.hold('one', one), null);
    assert.equal(held.hold('one', one), null);
    assert.notEqual(held.hold('two', one), null);
    held.close();
  });

  test('is not held but cancelled where its client has left before it could be asked', async () => {
    const held = new HeldCalls({ holdMs: 60_000, perOwner: 1 });
    let cancelled = 0;
    const approval = { id: 'apr_1', tool_use_id: 'toolu_1', name: 'Work', input: {}, reason: 'Why.', suggestions: [], expires_at: '' };
    const step: HostedCall['step'] = () => Promise.resolve({ kind: 'asked', approval, byTool: false });
    const host: ToolHost = {
      list: () => Promise.resolve([]),
      begin: () => Promise.resolve({ ...callThat(() => (cancelled += 1)), step }),
      look: () => {},
      close: () => Promise.resolve(),
    };
    const called = (signal: AbortSignal) => {
      const context = { mcpReq: { signal, requestState: () => undefined } } as ServerContext;
      const request = { method: 'tools/call' as const, params: { name: 'Work' } };
      return callTool(request, context, { owner: 'one', host, held, reads: () => true, over: undefined });
    };
    await assert.rejects(called(AbortSignal.abort()), /cancelled/);
    assert.equal(cancelled, 1);
    assert.ok('requestState' in (await called(new AbortController().signal)), 'there is room for another one');
    held.close();
  });
});
