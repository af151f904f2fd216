// The audit: who was allowed what and why, and what became of it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, startServer, type Json, type TestServer } from '../support/server.ts';
import { careful } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

const KEYS = { TOOLEXEC_API_KEYS: 'alice:first-secret' };
const alice = { authorization: 'Bearer first-secret' };

async function make(server: TestServer, permissions: Json): Promise<string> {
  return (await server.request('POST', '/v1/sessions', { permissions }, alice)).body['id'] as string;
}

async function audit(server: TestServer, session: string, query = ''): Promise<Json[]> {
  const response = await fetch(`${server.url}/v1/sessions/${session}/audit${query}`, { headers: alice });
  assert.match(response.headers.get('content-type') ?? '', /ndjson/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Json);
}

describe('the audit', () => {
  test('tells each question, answer, decision and call, and who of the people answered', async (t) => {
    const server = await startServer(t, { tools: [careful], env: KEYS });
    const session = await make(server, { mode: 'acceptEdits' });
    const { body } = await server.post(session, [call('a', 'Careful', { text: 'x' })], alice);
    const approval = body['pending'][0].id as string;
    await server.request('POST', `/v1/sessions/${session}/approvals/${approval}`, { behavior: 'deny' }, alice);
    await server.post(session, [call('a', 'Careful', { text: 'x' })], alice);
    await server.post(session, [call('r', 'Glob', { pattern: '*' })], alice);
    const entries = await audit(server, session);
    assert.deepEqual(
      entries.map(({ kind, tool_use_id, who, what }) => [kind, tool_use_id, who, what.tool, what.approval_id]),
      [
        ['approval', 'a', 'alice', 'Careful', approval],
        ['approval', 'a', 'alice', undefined, approval],
        ['decision', 'a', 'alice', 'Careful', approval],
        ['call', 'a', 'alice', 'Careful', undefined],
        ['decision', 'r', 'mode acceptEdits', 'Glob', undefined],
        ['call', 'r', 'alice', 'Glob', undefined],
      ],
    );
    assert.match(entries[0]?.['why'], /It always asks/);
    assert.deepEqual([entries[2]?.['what'].behavior, entries[2]?.['what'].input], ['deny', { text: 'x' }]);
    assert.deepEqual([entries[3]?.['what'].outcome, entries[5]?.['what'].outcome], ['denied', 'ok']);
  });

  test('says what was denied: the tool, the call and a short copy of its input', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const session = await make(server, { mode: 'bypassPermissions', deny: ['Bash(curl:*)', 'Write(./secret/**)'] });
    const content = 'x'.repeat(100_000);
    await server.post(session, [call('c', 'Bash', { command: 'curl example.com' })], alice);
    await server.post(session, [call('w', 'Write', { file_path: 'secret/key', content })], alice);
    const [curl, , write] = await audit(server, session);
    assert.deepEqual(
      [curl?.['kind'], curl?.['tool_use_id'], curl?.['who'], curl?.['what']],
      ['decision', 'c', 'rule', { tool: 'Bash', input: { command: 'curl example.com' }, behavior: 'deny', rule: 'Bash(curl:*)' }],
    );
    assert.match(curl?.['why'], /\w/);
    assert.equal(write?.['what'].input.file_path, 'secret/key');
    assert.match(write?.['what'].input.content, /^x+… \(100000 characters\)$/);
  });

  test('tells who decided when nobody answered', async (t) => {
    const server = await startServer(t, { tools: [careful], env: KEYS });
    const session = await make(server, { mode: 'default', ask_timeout_ms: 30 });
    await server.post(session, [call('a', 'Careful')], alice);
    const turns = (await server.request('GET', `/v1/sessions/${session}/turns`, undefined, alice)).body['data'];
    await server.request('GET', `/v1/sessions/${session}/turns/${turns[0].id}`, undefined, { ...alice, prefer: 'wait=30' });
    const [, resolved, decision] = await audit(server, session);
    assert.deepEqual([resolved?.['who'], decision?.['who'], decision?.['why']], ['expiry', 'expiry', 'nobody answered in time.']);
  });

  test('does not mix up calls of two messages that have the same id', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const options = { permissions: { mode: 'default', deny: ['Bash', 'Write'] }, execution: { call_ids: 'per_message' } };
    const session = (await server.request('POST', '/v1/sessions', options, alice)).body['id'] as string;
    await server.post(session, [call('call_0', 'Bash', { command: 'ls' })], alice);
    await server.post(session, [call('call_0', 'Write', { file_path: 'a', content: '' })], alice);
    const denied = (await audit(server, session)).filter(({ kind }) => kind === 'decision');
    assert.deepEqual(
      denied.map(({ what }) => what.tool),
      ['Bash', 'Write'],
    );
  });

  test('goes on after an entry, with all that the entries before have told', async (t) => {
    const server = await startServer(t, { tools: [careful], env: KEYS });
    const session = await make(server, { mode: 'default' });
    const { body } = await server.post(session, [call('a', 'Careful', { text: 'x' })], alice);
    const [asked] = await audit(server, session);
    await server.request('POST', `/v1/sessions/${session}/approvals/${body['pending'][0].id}`, { behavior: 'deny' }, alice);
    await server.post(session, [call('a', 'Careful', { text: 'x' })], alice);
    const later = await audit(server, session, `?after=${asked?.['seq']}`);
    assert.deepEqual(later, (await audit(server, session)).slice(1));
    assert.deepEqual([later[0]?.['tool_use_id'], later[1]?.['what'].tool], ['a', 'Careful']);
  });

  test('says where the log before was trimmed', async (t) => {
    const server = await startServer(t, { env: { ...KEYS, ...(await withLimits(t, { log_events: 20 })) } });
    const session = await make(server, { mode: 'default' });
    for (let n = 0; n < 10; n += 1) await server.post(session, [call(`g${n}`, 'Glob', { pattern: '*' })], alice);
    const [gap, next] = await audit(server, session);
    assert.deepEqual([gap?.['kind'], gap?.['what'].from, gap?.['what'].to], ['gap', 1, gap?.['seq']]);
    assert.ok(next?.['seq'] > gap?.['seq']);
    assert.notEqual((await audit(server, session, `?after=${gap?.['seq']}`))[0]?.['kind'], 'gap');
  });
});
