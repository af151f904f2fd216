// What servers do wrong costs them their own calls, and nothing else.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { rawHttpServer } from '../../support/mcp-http.ts';
import { fixture, hubInTest, peopleWho } from '../../support/mcp-session.ts';

const hostile = (mode: string, ...args: string[]) => fixture('hostile.ts', mode, ...args);

describe('a server that', () => {
  test('hangs at its start fails alone, and is not waited for again at once', async (t) => {
    const { open } = await hubInTest(t, { connectMs: 1_500, backOffMs: 60_000, maxBackOffMs: 60_000 });
    const { connect, names, remote } = await open({ hangs: hostile('hang'), works: hostile('plain') });
    await connect();
    assert.deepEqual(names(), ['mcp__works__one', 'mcp__works__two', 'mcp__works__both']);
    assert.deepEqual(remote.servers, [
      { name: 'hangs', state: 'failed', reason: 'It did not answer within 1500 ms.' },
      { name: 'works', state: 'ready' },
    ]);
    const before = remote.version;
    await connect();
    assert.equal(remote.version, before);
  });

  test('ends at its start is told of with its last words, without its secrets', async (t) => {
    const { open, reports } = await hubInTest(t);
    const { connect, remote } = await open({ crash: { ...hostile('crash'), env: { TOKEN: 'a-very-secret-token' } } });
    await connect();
    assert.match(remote.servers[0]?.reason ?? '', /exit code 7.*cannot start with \*\*\*/);
    assert.ok(!JSON.stringify([remote.servers, reports]).includes('a-very-secret-token'));
  });

  test('does not exist is told of as that', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, remote } = await open({ none: { type: 'stdio', command: 'no-such-server', args: [], env: {} } });
    await connect();
    assert.match(remote.servers[0]?.reason ?? '', /there is no program no-such-server/);
  });

  test('ends when it is asked something new is spoken to in the older way', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ old: hostile('old') });
    await connect();
    assert.equal((await call('mcp__old__one', {})).text, 'called one');
  });

  test('dies in the middle of a call fails that call and is started again for the next', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ dies: hostile('die') });
    await connect();
    for (let round = 0; round < 2; round += 1) {
      const { result, text } = await call('mcp__dies__one', {});
      assert.equal(result.isError, true);
      assert.match(text, /MCP server dies could not carry out the call\. It has ended \(exit code 3\).* may have taken effect/);
    }
  });

  test('keeps dying is given up, and its tools go', async (t) => {
    const { open } = await hubInTest(t, { reconnects: 2 });
    const { connect, call, names, remote } = await open({ dies: hostile('die') });
    await connect();
    for (let round = 0; round < 3; round += 1) await call('mcp__dies__one', {});
    assert.deepEqual(names(), []);
    assert.equal(remote.servers[0]?.state, 'failed');
  });

  test('sends broken JSON-RPC loses its connection with a reason', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ broken: hostile('broken') });
    await connect();
    assert.match((await call('mcp__broken__one', {})).text, /It sent a message that is no JSON-RPC/);
  });

  test('floods with messages or with chatter loses its connection, while others go on', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ flood: hostile('flood'), chatter: hostile('chatter'), works: hostile('plain') });
    await connect();
    const [flood, chatter, works] = await Promise.all([
      call('mcp__flood__one', {}),
      call('mcp__chatter__one', {}),
      call('mcp__works__one', {}),
    ]);
    assert.match(flood.text, /more messages than anybody can use/);
    assert.match(chatter.text, /standard output is for messages alone/);
    assert.equal(works.text, 'called one');
  });

  test('sends a message over the limit loses its connection; one that is only long comes whole', async (t) => {
    const { open } = await hubInTest(t, { messageBytes: 1_000_000 });
    const { connect, call } = await open({ huge: hostile('huge'), long: hostile('long') });
    await connect();
    assert.match((await call('mcp__huge__one', {})).text, /message of more than 1000000 bytes/);
    assert.equal((await call('mcp__long__one', {})).text.length, 200_000);
  });

  test('prints other things beside its messages is understood all the same, and told of once', async (t) => {
    const { open, reports } = await hubInTest(t);
    const { connect, call } = await open({ stray: hostile('stray') });
    await connect();
    assert.equal((await call('mcp__stray__one', {})).text, 'called one');
    assert.deepEqual(reports, ['MCP server stray of session ses_test: It prints what is no message: Welcome!']);
  });

  test('lists 5,000 tools gives as many as a server may have', async (t) => {
    const { open, reports } = await hubInTest(t);
    const { connect, names } = await open({ many: hostile('many') });
    await connect();
    assert.equal(names().length, 1_000);
    assert.deepEqual(reports, ['MCP server many of session ses_test: Its further tools are left out: a server may have 1000.']);
  });

  test('has broken schemas among good ones loses those tools alone', async (t) => {
    const { open, reports } = await hubInTest(t);
    const { connect, names, call } = await open({ s: hostile('schemas') });
    await connect();
    assert.deepEqual(names(), ['mcp__s__good', 'mcp__s__also-good']);
    for (const name of ['no-schema', 'a-string', 'lost', 'wrong', 'huge'])
      assert.match(reports.join('\n'), new RegExp(`tool ${name} is left out`));
    assert.equal((await call('mcp__s__also-good', {})).text, 'called also-good');
  });

  test('has names that clash or are too long keeps all its tools apart', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, names, call } = await open({ n: hostile('names') });
    await connect();
    const found = names();
    assert.equal(new Set(found).size, 6);
    assert.ok(found.every((name) => /^mcp__n__[a-zA-Z0-9_-]{1,57}$/.test(name)));
    assert.ok(found.includes('mcp__n__a_b') && found.includes('mcp__n__plain'));
    const texts = await Promise.all(found.map(async (name) => (await call(name, {})).text));
    assert.deepEqual(texts.slice(0, 4), ['called a.b', 'called a:b', 'called a_b', 'called plain']);
    assert.equal(new Set(texts).size, 6);
  });

  test('repeats its secrets in an error does not get them to the model', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ leak: { ...hostile('leak'), env: { TOKEN: 'a-very-secret-token' } } });
    await connect();
    assert.match((await call('mcp__leak__one', {})).text, /No access with \*\*\*/);
  });
});

describe('a call', () => {
  test('that is stopped is cancelled at the server', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call, workspace } = await open({ silent: hostile('silent', 'log') });
    await connect();
    const stop = new AbortController();
    const pending = call('mcp__silent__one', {}, { signal: stop.signal });
    setTimeout(() => stop.abort({ kind: 'aborted', message: 'enough' }), 50);
    await assert.rejects(pending);
    while (!(await readFile(join(workspace, 'log'), 'utf8')).includes('cancelled')) await wait(10);
    assert.match(await readFile(join(workspace, 'log'), 'utf8'), /cancelled true/);
  });

  test('that tells nothing for too long is ended, and one that tells of its progress is not', async (t) => {
    const { open } = await hubInTest(t, { callIdleMs: 250 });
    const { connect, call } = await open({ silent: hostile('silent'), busy: hostile('progress') });
    await connect();
    const { result, text } = await call('mcp__silent__one', {});
    assert.deepEqual([result.isError, result.timedOut], [true, true]);
    assert.match(text, /told nothing for 250 ms/);
    const busy = await call('mcp__busy__one', {});
    assert.equal(busy.text, 'done');
    assert.deepEqual(busy.progress.at(-1), { kind: 'mcp', progress: 8, total: 8, message: 'on it' });
  });

  test('that fails says so', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ fail: hostile('fail') });
    await connect();
    assert.deepEqual((await call('mcp__fail__one', {})).result, { content: 'It went wrong.', isError: true });
  });

  test('asks people what its server wants to know, and time does not count meanwhile', async (t) => {
    const { open } = await hubInTest(t, { callIdleMs: 200 });
    const { connect, call } = await open({ ask: hostile('ask') });
    await connect();
    const { people, asked } = peopleWho({ behavior: 'allow', by: 'client' });
    const slow = {
      ...people,
      approve: async (question: Parameters<typeof people.approve>[0]) => (await wait(500), people.approve(question)),
    };
    assert.equal((await call('mcp__ask__one', {}, { people: slow })).text, '{"action":"accept","content":{}}');
    assert.equal(asked[0]?.reason, 'May one go on?');
  });

  test('is not asked about when it cannot be told which call the server means', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ ask: hostile('ask') });
    await connect();
    const { people, asked } = peopleWho({ behavior: 'allow', by: 'client' }, { behavior: 'allow', by: 'client' });
    const both = await Promise.all([call('mcp__ask__both', {}, { people }), call('mcp__ask__both', {}, { people })]);
    assert.deepEqual(
      both.map(({ text }) => text),
      ['{"action":"decline"}', '{"action":"decline"}'],
    );
    assert.equal(asked.length, 0);
  });
});

describe('the tools of a session', () => {
  test('change with the server, and their version with them', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call, names, remote } = await open({ change: hostile('change') });
    await connect();
    const before = remote.version;
    await call('mcp__change__grow', {});
    while (remote.version === before) await wait(10);
    assert.deepEqual(names(), ['mcp__change__grow', 'mcp__change__grown']);
  });

  test('take what a server says of them as hints', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, tool } = await open({ h: hostile('hints') });
    await connect();
    const facts = ['reads', 'again', 'removes', 'bare'].map((name) => {
      const each = tool(`mcp__h__${name}`);
      return [each.isReadOnly({}), each.isConcurrencySafe({}), each.isDestructive({}), each.effect({}), each.shouldDefer, each.alwaysLoad];
    });
    assert.deepEqual(facts, [
      [true, true, false, 'read', true, false],
      [false, false, false, 'idempotent', true, false],
      [false, false, true, 'once', true, false],
      [false, false, false, 'once', true, true],
    ]);
    assert.deepEqual(
      ['reads', 'again', 'removes', 'bare'].map((name) => tool(`mcp__h__${name}`).hints),
      [{ readOnly: true }, { idempotent: true }, { destructive: true }, {}],
    );
    assert.deepEqual(tool('mcp__h__reads').permissionSubjects({}, {} as never), [{ kind: 'other' }]);
    assert.equal(tool('mcp__h__reads').searchHint, 'h Reads it');
    const description = tool('mcp__h__bare').description({ workspace: '/' });
    assert.equal(description.length, 2_048);
    assert.ok(description.startsWith('begind'));
  });

  test('stay when a connection is closed for being idle, and the next call opens it again', async (t) => {
    const { open } = await hubInTest(t, { statefulIdleMs: 50 });
    const { connect, call } = await open({ f: hostile('forget', 'log') });
    await connect();
    const first = (await call('mcp__f__one', {})).text;
    while (existsSync(`/proc/${first}`)) await wait(10);
    assert.notEqual((await call('mcp__f__one', {})).text, first);
  });

  test('tell whether something is open that may remember what was done', async (t) => {
    const { open } = await hubInTest(t, { statefulIdleMs: 500 });
    const { settings } = await rawHttpServer(t, (_asked, _response, usual) => usual());
    const forgets = await open({ web: settings });
    await forgets.connect();
    assert.equal(forgets.remote.busy, false, 'a server that gives no session id');
    const { connect, call, remote } = await open({ web: settings, f: hostile('forget') });
    assert.equal(remote.busy, false);
    await connect();
    assert.equal(remote.busy, true);
    while (remote.busy) await wait(10);
    await call('mcp__f__one', {});
    assert.equal(remote.busy, true, 'the call has started the program again');
    await remote.close();
    assert.equal(remote.busy, false);
  });

  test('go with the session, and their programs too, whatever they do', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call, remote, names, workspace } = await open({ c: hostile('children'), s: hostile('stubborn', 'log') });
    await connect();
    const child = (await call('mcp__c__one', {})).text;
    const stubborn = /pid (\d+)/.exec(await readFile(join(workspace, 'log'), 'utf8'))?.[1];
    assert.ok(existsSync(`/proc/${child}`) && existsSync(`/proc/${stubborn}`));
    await remote.close();
    while (existsSync(`/proc/${child}`)) await wait(10);
    assert.ok(!existsSync(`/proc/${stubborn}`));
    await connect();
    assert.deepEqual(names().length, 6);
    assert.match((await call('mcp__c__one', {})).text, /The session has ended/);
  });

  test('are given up at once when the session ends before their server has answered', async (t) => {
    const { open } = await hubInTest(t, { connectMs: 3_600_000 });
    const { connect, remote, workspace } = await open({ hangs: hostile('hang', 'log') });
    const connecting = connect();
    while (!existsSync(join(workspace, 'log'))) await wait(10);
    await remote.close();
    await connecting;
    const pid = /pid (\d+)/.exec(await readFile(join(workspace, 'log'), 'utf8'))?.[1];
    assert.ok(!existsSync(`/proc/${pid}`));
  });

  test('connect only for who asks: a look at them starts nothing, and the name of a tool starts its own server', async (t) => {
    const { open } = await hubInTest(t);
    const { names, remote } = await open({ a: hostile('plain'), b: hostile('plain') });
    assert.deepEqual(names(), []);
    await remote.ready('Read', new AbortController().signal);
    assert.deepEqual(
      remote.servers.map(({ state }) => state),
      ['idle', 'idle'],
    );
    await remote.ready('mcp__b__one', new AbortController().signal);
    assert.deepEqual(
      remote.servers.map(({ state }) => state),
      ['idle', 'ready'],
    );
    await remote.connect(AbortSignal.abort());
    assert.equal(remote.servers[0]?.state, 'connecting');
  });
});
