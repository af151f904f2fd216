// What there is beside messages, streams, approvals and tools of the client.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolexecClient } from '../../client/src/index.ts';
import { assistant, startServer, type Json, type TestServer } from '../support/server.ts';
import { resultIds } from './assertions.ts';
import { bash, free } from './sent.ts';

const endings: (() => void | Promise<void>)[] = [];
const suite = { after: (end: () => void | Promise<void>) => void endings.push(end) };
let server: TestServer;
let client: ToolexecClient;

before(async () => {
  // Only `after` is needed of a test here.
  server = await startServer(suite as Parameters<typeof startServer>[0]);
  client = new ToolexecClient({ url: server.url });
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

describe('the rest of the API', () => {
  test('sessions are made, listed, changed and removed', async () => {
    await client.sessions.create();
    const session = await client.sessions.create({ metadata: { ticket: 'A-1' } });
    assert.equal((await client.sessions.get(session.id)).id, session.id);
    const page = await client.sessions.list({ limit: 1 });
    assert.deepEqual([page.data[0]?.id, typeof page.next_cursor], [session.id, 'string']);
    assert.equal((await session.update({ permissions: { mode: 'acceptEdits' } })).permissions.mode, 'acceptEdits');
    await session.delete();
    await assert.rejects(session.info(), { slug: 'session-not-found', status: 404 });
  });

  test('one call and one message need no session', async () => {
    assert.equal((await client.call('Glob', { pattern: '*' })).outcome, 'ok');
    const { messages } = await client.messages(bash('echo alone'), { session: free });
    assert.match(JSON.stringify(messages), /alone/);
    const session = await client.sessions.create(free);
    assert.match(JSON.stringify(await client.call('Bash', '{"command":"echo text"}', { sessionId: session.id })), /text/);
  });

  test('files go in and out, with the tag they must have', async () => {
    const session = await client.sessions.create();
    const written = await session.files.put('a folder/ä.txt', 'one');
    await assert.rejects(session.files.put('a folder/ä.txt', 'two', { ifMatch: '"other"' }), { slug: 'precondition-failed' });
    const read = await session.files.get('a folder/ä.txt');
    assert.equal(await read.text(), 'one');
    await session.files.put('a folder/ä.txt', new TextEncoder().encode('two'), { ifMatch: read.headers.get('etag') ?? '' });
    assert.equal(await (await session.files.get('a folder/ä.txt', { range: 'bytes=1-' })).text(), 'wo');
    assert.deepEqual(((await session.files.list('a folder')) as unknown as Json)['data'].length, 1);
    const tar = new Uint8Array(await (await session.files.archive()).arrayBuffer());
    const other = await client.sessions.create();
    await other.files.unpack(tar);
    assert.equal(await (await other.files.get('a folder/ä.txt')).text(), 'two');
    await other.files.delete('a folder', { recursive: true });
    assert.ok(written);
  });

  test('plans, turns, output, checkpoints, tasks, audit, tickets and tools are there', async () => {
    const session = await client.sessions.create(free);
    const plan = await session.plan(bash('ls'));
    assert.equal(plan.calls[0]?.read_only, true);
    const write = { id: 'write', name: 'Write', input: { file_path: 'new.txt', content: 'new' } };
    const { turn } = await session.run(assistant([write, { id: 'say', name: 'Bash', input: { command: 'echo output' } }]));
    assert.equal((await session.turns.list({ limit: 1 })).data[0]?.id, turn.id);
    assert.match(await (await session.turns.output(turn.id, 'say')).text(), /output/);
    const [checkpoint] = await session.checkpoints.list();
    const dry = await session.checkpoints.rewind(checkpoint?.id ?? '', { dryRun: true });
    assert.deepEqual(dry.removed.length, 1);
    assert.equal(await (await session.files.get('new.txt')).text(), 'new');
    await session.checkpoints.rewind(checkpoint?.id ?? '');
    await assert.rejects(session.files.get('new.txt'), { slug: 'file-not-found' });
    const started = await session.run(
      assistant([{ id: 'task', name: 'Bash', input: { command: 'echo begun; sleep 1000', run_in_background: true } }]),
    );
    assert.equal(started.turn.calls[0]?.outcome, 'ok');
    const [task] = await session.tasks.list();
    while (!(await session.tasks.output(task?.id ?? '')).output.includes('begun')) await sleep(20);
    assert.equal((await session.tasks.stop(task?.id ?? '')).status, 'stopped');
    assert.ok((await session.audit()).some((entry) => JSON.stringify(entry).includes('"say"')));
    const { ticket } = await session.tickets.create({ scope: 'watch' });
    assert.equal((await fetch(`${server.url}/v1/sessions/${session.id}/events?follow=false&ticket=${ticket}`)).status, 200);
    assert.ok((await session.searchTools('select:Bash')).matches.length === 1);
    assert.ok((await session.tools('openai_chat')).tools.every((tool) => tool['type'] === 'function'));
  });

  test('a turn is aborted, a call cancelled, by request', async () => {
    const session = await client.sessions.create(free);
    const run = session.run(
      assistant([
        { id: 'a', name: 'Bash', input: { command: 'sleep 1000' } },
        { id: 'b', name: 'Bash', input: { command: 'sleep 1000' } },
      ]),
    );
    for await (const event of session.events()) {
      if (event.type !== 'call_started') continue;
      const turnId = event.turn_id ?? '';
      if (event.tool_use_id === 'a') await session.turns.cancel(turnId, 'a');
      else {
        await session.turns.abort(turnId, 'It is late.');
        break;
      }
    }
    const { turn, messages } = await run;
    assert.deepEqual([turn.status, resultIds(messages)], ['aborted', ['a', 'b']]);
    assert.match(JSON.stringify(messages), /It is late/);
  });
});
