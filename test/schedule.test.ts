// What streaming is worth: calls run while the model still talks.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, assistant, call } from './support/server.ts';
import { newTrace, workTool } from './support/test-tools.ts';

const time = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

describe('a model that takes as long to emit five safe calls as two of them take to run', () => {
  test('is done when the last call is, not when five calls in a row would be', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    const unit = 250;
    const streamed = await time(async () => {
      for (let n = 0; n < 5; n += 1) {
        if (n > 0) await sleep(unit / 2);
        socket.send({ type: 'tool_use', id: `c${n}`, name: 'Work', input: { ms: unit } });
      }
      socket.send({ type: 'end' });
      await socket.type('turn_completed');
    });
    // Emission takes 2 units; one by one after its end would take 7, side by side while it lasts takes 3.
    assert.ok(streamed / unit < 4.5, `${(streamed / unit).toFixed(2)} units`);
  });

  test('hands out the first result while it still talks', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: { ms: 5 } });
    await socket.type('tool_result');
    socket.send({ type: 'tool_use', id: 'b', name: 'Work', input: { ms: 5 } });
    socket.send({ type: 'end' });
    await socket.type('turn_completed');
  });
});

test('twenty safe calls in one message take two rounds of ten, not twenty', async (t: TestContext) => {
  const trace = newTrace();
  const server = await startServer(t, { tools: [workTool(trace)] });
  const session = await server.session();
  const unit = 250;
  const took = await time(() =>
    server.request(
      'POST',
      `/v1/sessions/${session}/messages`,
      assistant(Array.from({ length: 20 }, (_, n) => call(`c${n}`, 'Work', { ms: unit }))),
    ),
  );
  assert.equal(trace.widest, 10);
  assert.ok(took / unit < 4, `${(took / unit).toFixed(2)} units`);
});

test('ten shell commands that sleep run side by side', async (t: TestContext) => {
  const server = await startServer(t);
  const session = await server.session();
  const one = await time(() => server.post(session, [call('one', 'Bash', { command: 'sleep 0.5' })]));
  const ten = await time(() =>
    server.post(
      session,
      Array.from({ length: 10 }, (_, n) => call(`c${n}`, 'Bash', { command: 'sleep 0.5' })),
    ),
  );
  assert.ok(ten / one < 3, `${(ten / one).toFixed(2)} times one`);
});
