// What an MCP server asks people in the middle of a call, through the real service: it runs in the sandbox of a session, and
// whoever uses the session answers.
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { connectClient, REVISIONS, textIn, type ClientWishes } from './server/connect-client.ts';

const PROGRAM = fileURLToPath(new URL('./client/fixtures/forms.py', import.meta.url));
const ASK = 'mcp__forms__ask';
const FORM = {
  type: 'object',
  properties: { color: { type: 'string', enum: ['red', 'blue'] }, count: { type: 'integer', minimum: 1 } },
  required: ['color'],
};

interface Asking {
  /** Resolves with the next thing that people are asked. */
  readonly asked: () => Promise<Json>;
  readonly answer: (approval: Json, body: Json) => Promise<void>;
  /** What the server says that it was answered. */
  readonly said: Promise<Json[]>;
}

/** A service, and a session whose workspace holds the program. */
async function start(t: TestContext, options: Json = {}): Promise<{ server: TestServer; session: string }> {
  const server = await startServer(t);
  await copyFile(PROGRAM, join(server.root, 'forms.py'));
  const mcp_servers = { forms: { type: 'stdio', command: 'python3', args: ['forms.py'] } };
  return { server, session: await server.session({ workspace: { path: server.root }, mcp_servers, ...options }) };
}

/** Calls the tool in a session over REST. */
async function ask(t: TestContext, questions: readonly string[], options?: Json): Promise<Asking> {
  const { server, session } = await start(t, options);
  const path = `/v1/sessions/${session}/approvals`;
  const pending = async (): Promise<Json[]> => (await server.request('GET', path)).body['data'] as Json[];
  const posted = server.post(session, [call('a', ASK, { questions })]);
  return {
    async asked() {
      let first: Json | undefined;
      for (; first === undefined; [first] = await pending()) await sleep(10);
      return first;
    },
    async answer(approval, body) {
      assert.equal((await server.request('POST', `${path}/${approval['id']}`, body)).status, 200);
    },
    said: posted.then(async ({ body }) => answersIn(await endOf(server, session, body))),
  };
}

/** The reply of a turn that may wait for people. */
async function endOf(server: TestServer, session: string, reply: Json): Promise<Json> {
  let body = reply;
  while (body['turn'].status !== 'completed') {
    body = (await server.request('GET', `/v1/sessions/${session}/turns/${body['turn'].id}?wait_ms=1000`)).body;
  }
  return body;
}

function answersIn(reply: Json): Json[] {
  return JSON.parse((resultsOf(reply)[0] ?? '').replace(/^a: /, '')) as Json[];
}

describe('a form that an MCP server has for people', () => {
  test('is an approval of its call, and what they fill in goes to the server', async (t) => {
    const { asked, answer, said } = await ask(t, ['Which color?']);
    const approval = await asked();
    assert.deepEqual(
      [approval['name'], approval['reason'], approval['input']],
      [ASK, 'Which color?', { message: 'Which color?', requested_schema: FORM }],
    );
    await answer(approval, { behavior: 'allow', updated_input: { color: 'blue', count: 2 } });
    assert.deepEqual(await said, [{ action: 'accept', content: { color: 'blue', count: 2 } }]);
  });

  test('is declined when they deny it, and when they allow it without what it needs', async (t) => {
    const { asked, answer, said } = await ask(t, ['Which color?', 'Really?']);
    await answer(await asked(), { behavior: 'deny' });
    await answer(await asked(), { behavior: 'allow' });
    assert.deepEqual(await said, [{ action: 'decline' }, { action: 'decline' }]);
  });

  test('may be followed by another one, which is a question of its own', async (t) => {
    const { asked, answer, said } = await ask(t, ['First?', 'Second?']);
    for (const [reason, color] of [
      ['First?', 'red'],
      ['Second?', 'blue'],
    ]) {
      const approval = await asked();
      assert.equal(approval['reason'], reason);
      await answer(approval, { behavior: 'allow', updated_input: { color } });
    }
    assert.deepEqual(await said, [
      { action: 'accept', content: { color: 'red' } },
      { action: 'accept', content: { color: 'blue' } },
    ]);
  });

  test('is declined at once where nobody is ever asked', async (t) => {
    const { said } = await ask(t, ['Which color?'], { permissions: { mode: 'bypassPermissions', ask_timeout_ms: 0 } });
    assert.deepEqual(await said, [{ action: 'decline' }]);
  });
});

describe('a form that an MCP server has for people, behind a client of MCP', () => {
  for (const revision of REVISIONS) {
    test(`is filled in or declined there, once the call itself was allowed (${revision})`, async (t) => {
      const { server, session: sessionId } = await start(t, { permissions: { mode: 'default' } });
      const asked: unknown[] = [];
      const answer: ClientWishes['answer'] = (message, form) => {
        const [line = ''] = message.split('\n');
        asked.push([line, form]);
        if (line.endsWith('Second?')) return { action: 'decline' };
        return { action: 'accept', content: line.endsWith('First?') ? { color: 'red' } : {} };
      };
      const { client } = await connectClient(t, server, { revision, sessionId, answer });
      const result = await client.callTool({ name: ASK, arguments: { questions: ['First?', 'Second?'] } });
      assert.match(JSON.stringify(asked.shift()), /^\["May mcp__forms__ask run\? .*{"type":"object","properties":{}}\]$/);
      assert.deepEqual(asked, [
        [`${ASK} asks: First?`, FORM],
        [`${ASK} asks: Second?`, FORM],
      ]);
      assert.deepEqual(JSON.parse(textIn(result)), [{ action: 'accept', content: { color: 'red' } }, { action: 'decline' }]);
    });
  }

  test('cannot be made up by who makes the call', async (t) => {
    const { server, session: sessionId } = await start(t, { permissions: { mode: 'default' } });
    const asked: unknown[] = [];
    const answer: ClientWishes['answer'] = (message, form) => {
      asked.push([message.split('?')[0], form]);
      return { action: 'decline' };
    };
    const { client } = await connectClient(t, server, { revision: '2025-11-25', sessionId, answer });
    await client.callTool({ name: ASK, arguments: { message: 'Your password?', requested_schema: FORM } });
    assert.deepEqual(asked, [[`May ${ASK} run`, { type: 'object', properties: {} }]]);
  });
});
