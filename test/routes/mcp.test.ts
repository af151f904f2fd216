// Real clients of MCP, of either revision, against the real service.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Tool } from '../../src/contract/index.ts';
import { ACCEPT, allGone, as, careful, freeTool, KEYS, sessions } from '../mcp/server/client-tools.ts';
import { connectClient, outcomeOf, REVISIONS, textIn } from '../mcp/server/connect-client.ts';
import { fixtureTools } from '../mcp/server/fixture-tools.ts';
import { startServer, type Json, type TestServer } from '../support/server.ts';
import { newTrace } from '../support/test-tools.ts';

const everything = { permissions: { mode: 'bypassPermissions' } };

for (const revision of REVISIONS) {
  describe(`a client of revision ${revision}`, () => {
    test('lists the tools and runs them, and gets their text with how the call ended', async (t) => {
      const server = await startServer(t, { tools: [freeTool()] });
      const { client } = await connectClient(t, server, { revision });
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      const { tools } = await client.listTools();
      const work = tools.find(({ name }) => name === 'Work');
      assert.deepEqual([work?.description, work?.inputSchema.type], ['Sleeps.', 'object']);
      assert.ok(tools.some(({ name }) => name === 'Read'));
      const session = await server.session();
      const { client: inSession } = await connectClient(t, server, { revision, sessionId: session });
      const result = await inSession.callTool({ name: 'Work', arguments: { label: 'x', ms: '1' } });
      assert.deepEqual([textIn(result), result.isError], ['done x', false]);
      const { _meta: meta = {} } = result;
      assert.deepEqual([meta['toolexec/outcome'], meta['toolexec/coerced'], meta['toolexec/session_id']], ['ok', ['ms'], session]);
      const turn = await server.request('GET', `/v1/sessions/${session}/turns/${String(meta['toolexec/turn_id'])}`);
      assert.equal(turn.body['turn'].calls[0].tool_use_id, meta['toolexec/tool_use_id']);
    });

    test('gets images and documents as MCP has them', async (t) => {
      const server = await startServer(t, { tools: fixtureTools });
      const { client } = await connectClient(t, server, { revision });
      const { content } = await client.callTool({ name: 'test_multiple_content_types' });
      const [text, image, document] = content as Json[];
      assert.deepEqual(text, { type: 'text', text: 'Multiple content types test:' });
      assert.deepEqual(
        [image?.['type'], image?.['mimeType'], Buffer.from(image?.['data'], 'base64').subarray(1, 4).toString()],
        ['image', 'image/png', 'PNG'],
      );
      const { uri, ...resource } = (document ?? {})['resource'] as Json;
      assert.deepEqual(resource, { mimeType: 'application/pdf', blob: Buffer.from('%PDF-1.4').toString('base64') });
      assert.match(uri, /^toolexec:\/\/calls\/toolu_\w+\/documents\/2$/);
    });

    test('gets faults of a call as results that its model reads, and a tool that is not there as an error of the protocol', async (t) => {
      const server = await startServer(t, { tools: [freeTool()] });
      const { client } = await connectClient(t, server, { revision });
      const failed = await client.callTool({ name: 'Work', arguments: { fail: true, label: 'x' } });
      assert.deepEqual([failed.isError, outcomeOf(failed)], [true, 'tool_error']);
      assert.match(textIn(failed), /failed x/);
      const wrong = await client.callTool({ name: 'Work', arguments: { ms: 'soon' } });
      assert.deepEqual([wrong.isError, outcomeOf(wrong)], [true, 'invalid_input']);
      assert.match(textIn(wrong), /ms/);
      await assert.rejects(client.callTool({ name: 'Nothing' }), (error: Json) => {
        assert.deepEqual([error['code'], error['data'].outcome], [-32_602, 'unknown_tool']);
        assert.match(error['message'], /No tool named "Nothing".*Work/);
        return true;
      });
    });

    test('is told of progress in numbers that grow, before the result', async (t) => {
      const chatty = buildTool({
        name: 'Chatty',
        description: () => 'Tells.',
        inputSchema: z.strictObject({}),
        permissionSubjects: () => [],
        async *call() {
          for (const text of ['one', 'two', 'three']) yield { type: 'progress' as const, data: { kind: 'output', text } };
          return { content: 'told' };
        },
      }) as Tool;
      const server = await startServer(t, { tools: [chatty] });
      const { client } = await connectClient(t, server, { revision });
      const told: unknown[] = [];
      const result = await client.callTool({ name: 'Chatty' }, { onprogress: ({ progress, message }) => told.push([progress, message]) });
      assert.equal(textIn(result), 'told');
      assert.deepEqual(told, [
        [1, 'one'],
        [2, 'two'],
        [3, 'three'],
      ]);
    });

    test('cancels its call, and no other', async (t) => {
      const trace = newTrace();
      const server = await startServer(t, { tools: [freeTool(trace)] });
      const session = await server.session();
      const { client } = await connectClient(t, server, { revision, sessionId: session });
      const leaving = new AbortController();
      const cancelled = client.callTool({ name: 'Work', arguments: { ms: 60_000 } }, { signal: leaving.signal });
      await trace.until(() => trace.started.length === 1);
      leaving.abort('enough');
      await assert.rejects(cancelled);
      await trace.until(() => trace.finished.length === 1);
      assert.equal(textIn(await client.callTool({ name: 'Work', arguments: { label: 'next' } })), 'done next');
      const { body } = await server.request('GET', `/v1/sessions/${session}/turns`);
      assert.deepEqual(
        (body['data'] as Json[]).map(({ calls }) => calls[0].outcome),
        ['ok', 'aborted'],
      );
    });

    test('that can ask its people is asked whether a call may run, and their answer counts', async (t) => {
      const server = await startServer(t, { tools: [careful] });
      const asked: string[] = [];
      const answers = ['accept', 'decline', 'cancel'] as const;
      const answer = (message: string) => ({ action: answers[asked.push(message) - 1] ?? 'cancel' });
      const { client } = await connectClient(t, server, { revision, answer });
      const allowed = await client.callTool({ name: 'Careful', arguments: { text: 'it' } });
      assert.deepEqual([textIn(allowed), allowed.isError], ['did it', false]);
      assert.match(asked[0] ?? '', /^May Careful run\? It always asks\.[^]*"text": "it"/);
      for (const _ of ['decline', 'cancel']) {
        const denied = await client.callTool({ name: 'Careful' });
        assert.deepEqual([denied.isError, outcomeOf(denied)], [true, 'denied']);
        assert.match(textIn(denied), /The user declined this call\./);
      }
      assert.equal(asked.length, 3);
    });

    test('that cannot ask its people is denied at once what would ask, in a session of its own', async (t) => {
      const server = await startServer(t, { tools: [careful] });
      const { client } = await connectClient(t, server, { revision });
      const denied = await client.callTool({ name: 'Careful' });
      assert.deepEqual([denied.isError, outcomeOf(denied)], [true, 'denied']);
    });

    test('that cannot ask waits in the session of others until they answer', async (t) => {
      const server = await startServer(t, { tools: [careful] });
      const session = await server.session({ permissions: { mode: 'acceptEdits' } });
      const { client } = await connectClient(t, server, { revision, sessionId: session });
      const waiting = client.callTool({ name: 'Careful', arguments: { text: 'it' } });
      let approvals: Json[] = [];
      while (approvals.length === 0) {
        await sleep(10);
        approvals = (await server.request('GET', `/v1/sessions/${session}/approvals`)).body['data'] as Json[];
      }
      await server.request('POST', `/v1/sessions/${session}/approvals/${approvals[0]?.['id']}`, { behavior: 'allow' });
      assert.equal(textIn(await waiting), 'did it');
    });

    test('whose people answer after somebody else has gets what that one decided', async (t) => {
      const server = await startServer(t, { tools: [careful] });
      const session = await server.session({ permissions: { mode: 'acceptEdits' } });
      const answer = async () => {
        const { body } = await server.request('GET', `/v1/sessions/${session}/approvals`);
        await server.request('POST', `/v1/sessions/${session}/approvals/${body['data'][0].id}`, {
          behavior: 'deny',
          message: 'Not today.',
        });
        return { action: 'accept' as const };
      };
      const { client } = await connectClient(t, server, { revision, sessionId: session, answer });
      const denied = await client.callTool({ name: 'Careful' });
      assert.equal(outcomeOf(denied), 'denied');
      assert.match(textIn(denied), /Not today\./);
    });

    test('works in the session that it names, of its own key alone', async (t) => {
      const server = await startServer(t, { env: KEYS });
      const made = await server.request('POST', '/v1/sessions', everything, as('first-secret'));
      const sessionId = made.body['id'] as string;
      const { client } = await connectClient(t, server, { revision, sessionId, key: 'first-secret' });
      await client.callTool({ name: 'Write', arguments: { file_path: 'a.txt', content: 'kept' } });
      const { client: again } = await connectClient(t, server, { revision, sessionId, key: 'first-secret' });
      assert.match(textIn(await again.callTool({ name: 'Read', arguments: { file_path: 'a.txt' } })), /kept/);
      await assert.rejects(connectClient(t, server, { revision, sessionId, key: 'second-secret' }));
      await assert.rejects(connectClient(t, server, { revision, sessionId: 'ses_none', key: 'first-secret' }));
      await assert.rejects(connectClient(t, server, { revision }), 'without a key');
      assert.equal((await sessions(server, as('first-secret'))).length, 1, 'the session stays');
    });

    test('gets its tools page by page where they are many', async (t) => {
      const many = Array.from({ length: 120 }, (_, index) => freeTool(newTrace(), `Work${index}`));
      const server = await startServer(t, { tools: many });
      const { client } = await connectClient(t, server, { revision });
      const first = await client.request({ method: 'tools/list' });
      assert.equal(first.tools.length, 100);
      const { tools } = await client.listTools();
      assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
      assert.deepEqual(tools.slice(0, 100), first.tools);
      assert.ok(many.every((tool) => tools.some(({ name }) => name === tool.name)));
      await assert.rejects(client.request({ method: 'tools/list', params: { cursor: 'bm9uZQ' } }), { code: -32_602 });
    });

    test('that waits when the service stops is let go, and leaves nothing behind', async (t) => {
      const trace = newTrace();
      const server = await startServer(t, { tools: [freeTool(trace)] });
      const { client } = await connectClient(t, server, { revision });
      const called = client.callTool({ name: 'Work', arguments: { ms: 60_000 } }).catch((error: unknown) => error);
      await trace.until(() => trace.started.length === 1);
      await server.close();
      const result = (await called) as Awaited<ReturnType<typeof client.callTool>>;
      assert.equal(outcomeOf(result), 'aborted');
      assert.equal(trace.finished.length, 1);
      const again = await startServer(t, { dataDir: server.dataDir });
      assert.deepEqual(await sessions(again), []);
    });

    test('leaves what people are asked in the session of others as it is when the service stops', async (t) => {
      const server = await startServer(t, { tools: [careful] });
      const session = await server.session({ permissions: { mode: 'acceptEdits' } });
      const pending = async (from: TestServer) => (await from.request('GET', `/v1/sessions/${session}/approvals`)).body['data'] as Json[];
      const { client } = await connectClient(t, server, { revision, sessionId: session });
      client.callTool({ name: 'Careful' }).catch(() => {
        // The service stops before the answer.
      });
      while ((await pending(server)).length === 0) await sleep(10);
      const [before] = await pending(server);
      await server.close();
      const again = await startServer(t, { dataDir: server.dataDir, tools: [careful] });
      assert.deepEqual(await pending(again), [before]);
    });

    test('whose people are being asked does not hold up a service that stops', async (t) => {
      const server = await startServer(t, { tools: [careful] });
      const asking = Promise.withResolvers<void>();
      const answer = (): Promise<never> => {
        asking.resolve();
        return new Promise(() => {});
      };
      const { client } = await connectClient(t, server, { revision, answer });
      client.callTool({ name: 'Careful' }).catch(() => {
        // Its connection ends before the answer.
      });
      await asking.promise;
      await server.close();
      const again = await startServer(t, { dataDir: server.dataDir });
      assert.deepEqual(await sessions(again), []);
    });
  });
}

describe('a call of revision 2026-07-28', () => {
  const revision = '2026-07-28';

  test('without a session to work in leaves none behind', async (t) => {
    const server = await startServer(t, { tools: [freeTool(), careful] });
    const { client } = await connectClient(t, server, { revision, answer: () => ({ action: 'accept' }) });
    await client.listTools();
    await client.callTool({ name: 'Work' });
    await client.callTool({ name: 'Careful' });
    await allGone(server);
    assert.match(client.getInstructions() ?? '', /session_id/);
  });

  test('that people are asked about is gone on with by its own key, and once', async (t) => {
    const server = await startServer(t, { tools: [careful], env: KEYS });
    const callTool = async (key: string, more = {}) => {
      const envelope = {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'Careful', arguments: {}, ...more, _meta: envelope } };
      const headers = { ...ACCEPT, ...as(key), 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': 'Careful' };
      return (await server.request('POST', '/mcp', message, headers)).body;
    };
    const asked = (await callTool('first-secret'))['result'] as Json;
    assert.equal(asked['resultType'], 'input_required');
    const answered = { requestState: asked['requestState'], inputResponses: { approval: { action: 'accept' } } };
    assert.equal((await callTool('second-secret', answered))['error'].code, -32_602);
    assert.equal((await callTool('first-secret', { ...answered, requestState: 'made up' }))['error'].code, -32_602);
    const unanswered = (await callTool('first-secret', { requestState: asked['requestState'] }))['result'] as Json;
    assert.equal(unanswered['resultType'], 'input_required', 'it is asked again');
    const again = { ...answered, requestState: unanswered['requestState'] };
    assert.equal(textIn((await callTool('first-secret', again))['result'] as { content: unknown }), 'did ');
    assert.equal((await callTool('first-secret', again))['error'].code, -32_602);
  });
});
