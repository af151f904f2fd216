// What servers do wrong costs them their own questions, and nothing else.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { MAX_CODE_RESULTS, type OpenProgram } from '../../src/contract/index.ts';
import { openProgram } from '../../src/sandbox/open-program/open-program.ts';
import { processesWith } from '../sandbox/commands.ts';
import { fake, serversInTest } from './servers.ts';

const HOVER = { operation: 'hover', line: 1, character: 1 } as const;
const range = { start: { line: 4, character: 2 }, end: { line: 4, character: 9 } };

describe('A language server that', () => {
  const faults: [mode: string, reason: RegExp][] = [
    ['dies', /It has ended \(exit code 3\)\. Its last words: I will not work/],
    ['silent', /It did not answer within 0\.5 seconds/],
    ['huge', /It wants to send a message of 104857600 bytes, and at most 16777216 are taken/],
    ['endless-header', /no message: its standard output is for messages of the protocol alone/],
    ['garbage', /no message: its standard output is for messages of the protocol alone/],
    ['odd-answer', /It did not say what it can do/],
    ['other-units', /It counts characters in another way than UTF-16/],
    ['dies-when-asked', /It has ended \(exit code 9\)/],
    ['floods', /It sends more than can be listened to/],
    ['hangs', /It did not answer within 0\.7 seconds/],
  ];
  for (const [mode, reason] of faults) {
    test(`${mode} is told of as that, and nothing of it is left`, async (t) => {
      const slow = mode === 'silent' ? { startup_ms: 500 } : {};
      const limits = { requestMs: mode === 'floods' ? 30_000 : 700, messages: 2_000 };
      const { ask, write, mark, reports } = await serversInTest(t, { fake: { ...fake(mode), ...slow } }, { limits });
      await write('a.fake', 'x');
      await assert.rejects(ask('a.fake', HOVER), reason);
      while (processesWith(mark).length > 0) await wait(10);
      assert.match(reports.join(), reason);
    });
  }

  test('asks and does not read what it is answered is given up', async (t) => {
    const limits = { messageBytes: 100_000 };
    const { ask, write } = await serversInTest(t, { fake: fake('asks-and-is-deaf') }, { limits });
    await write('a.fake', 'x');
    await assert.rejects(ask('a.fake', HOVER), /It does not read what it is sent/);
  });

  test('wants to change files is refused, and answers all the same', async (t) => {
    const { ask, write } = await serversInTest(t, { fake: fake('applies-edits') });
    await write('a.fake', 'x');
    const answer = await ask('a.fake', HOVER);
    assert.ok(answer.kind === 'text' && answer.text.includes('"applied":false'));
  });

  test('fails again and again is left alone after three times, with the reason', async (t) => {
    const { ask, write, reports } = await serversInTest(t, { fake: fake('dies') });
    await write('a.fake', 'x');
    for (let round = 0; round < 3; round += 1) await assert.rejects(ask('a.fake', HOVER), /exit code 3/);
    await assert.rejects(ask('a.fake', HOVER), /It failed 3 times within 5 minutes, and is left alone .* I will not work/);
    assert.equal(reports.length, 3);
  });

  test('does not stop must, with all that it started', async (t) => {
    const { ask, write, mark, servers } = await serversInTest(t, { fake: fake('stubborn') });
    await write('a.fake', 'x');
    await ask('a.fake', HOVER);
    // What it starts is there a moment after its answer, and what was killed until somebody has taken note of it.
    while (processesWith(mark).length < 2) await wait(10);
    await servers.close();
    while (processesWith(mark).length > 0) await wait(10);
  });

  for (const moment of ['is being opened', 'has not answered yet'] as const) {
    test(`${moment} when the session ends, is ended too`, async (t) => {
      const opening = Promise.withResolvers<void>();
      const slowly: OpenProgram = async ({ command, args, cwd }) => {
        if (moment === 'is being opened') opening.resolve();
        await wait(100);
        const program = await openProgram({ command, args, cwd, env: { SLOW: cwd } });
        opening.resolve();
        return program;
      };
      const { ask, write, servers, workspace } = await serversInTest(t, { fake: fake('silent') }, { openProgram: slowly });
      await write('a.fake', 'x');
      const answer = assert.rejects(ask('a.fake', HOVER), /It has ended with the session/);
      await opening.promise;
      await servers.close();
      await answer;
      assert.deepEqual(processesWith(`SLOW=${workspace}`), []);
    });
  }

  test('answers with more than is told, or with what is none, loses the rest', async (t) => {
    const answer = [
      { uri: 'file:///etc/passwd', range },
      { uri: 'jdt://contents/x.class', range },
      { uri: 'file:///a%2Fb', range },
      { uri: 5 },
      null,
      { targetUri: 'file:///b%20c.fake', targetRange: range, targetSelectionRange: range },
      ...Array.from({ length: 10_000 }, () => ({ uri: 'file:///many', range })),
    ];
    const { ask, write } = await serversInTest(t, { fake: fake('good') });
    await write('answer.json', JSON.stringify(answer));
    await write('a.fake', 'x');
    const found = await ask('a.fake', { operation: 'references', line: 1, character: 1 });
    assert.equal(found.kind, 'places');
    const [outside, spaced] = found.places;
    assert.deepEqual(outside, { path: '/etc/passwd', line: 5, character: 3 });
    assert.equal(spaced?.path, '/b c.fake');
    assert.ok(found.places.length <= MAX_CODE_RESULTS);
    for (const operation of ['document_symbols', 'workspace_symbols'] as const) {
      assert.deepEqual(await ask('a.fake', { operation, query: 'x' }), { kind: 'symbols', symbols: [] });
    }
  });

  test('nests symbols without end costs no more than what is told', async (t) => {
    let symbol: object = { name: 'deepest', kind: 5, selectionRange: range };
    for (let depth = 0; depth < 500; depth += 1) symbol = { name: `at ${depth}`, kind: 99, selectionRange: range, children: [symbol] };
    const { ask, write } = await serversInTest(t, { fake: fake('good') });
    await write('answer.json', JSON.stringify([symbol]));
    await write('a.fake', 'x');
    const found = await ask('a.fake', { operation: 'document_symbols' });
    assert.ok(found.kind === 'symbols' && found.symbols.length > 10 && found.symbols.length < 100);
    assert.equal(found.symbols[0]?.kind, 'symbol');
  });
});

describe('A question', () => {
  test('that is stopped ends at once, and the server is told to stop', async (t) => {
    const { ask, write, told } = await serversInTest(t, { fake: fake('hangs') });
    await write('a.fake', 'x');
    const stop = new AbortController();
    const answer = assert.rejects(ask('a.fake', { ...HOVER, signal: stop.signal }), /The question was stopped/);
    while (!(await told()).includes('textDocument/hover')) await wait(10);
    stop.abort({ kind: 'aborted', message: 'enough' });
    await answer;
    while (!(await told()).includes('$/cancelRequest')) await wait(10);
  });

  test('about a file that no server is for says which ones there are', async (t) => {
    const { ask, write, servers } = await serversInTest(t, { one: fake('good'), two: fake('good', '.other') });
    await write('a.py', 'x');
    await assert.rejects(
      ask('a.py', HOVER),
      /No language server is configured for a\.py\. There are some for \.fake \(one\), \.other \(two\)\./,
    );
    assert.equal(servers.busy, false);
  });

  test('that a server does not take says what it cannot tell', async (t) => {
    const { ask, write } = await serversInTest(t, { fake: fake('cannot-hover') });
    await write('a.fake', 'x');
    await assert.rejects(ask('a.fake', HOVER), /The language server fake gives no answer\. It cannot tell what something is\./);
  });

  test('about what is wrong waits for what comes late', async (t) => {
    const { ask, write } = await serversInTest(t, { fake: fake('publishes') }, { limits: { quietMs: 500 } });
    const path = await write('a.fake', 'x');
    const place = { path, line: 1, character: 1 };
    assert.deepEqual(await ask('a.fake', { operation: 'diagnostics' }), {
      kind: 'diagnostics',
      diagnostics: [
        { ...place, severity: 'error', message: 'first' },
        { ...place, severity: 'warning', message: 'second', source: 'fake 7' },
      ],
    });
  });

  test('about what is wrong is put to a server that can be asked', async (t) => {
    const { ask, write, told } = await serversInTest(t, { fake: fake('pulls') });
    await write('answer.json', JSON.stringify({ kind: 'full', items: [{ range, message: 'wrong' }] }));
    await write('a.fake', 'x');
    const answer = await ask('a.fake', { operation: 'diagnostics' });
    assert.ok(answer.kind === 'diagnostics' && answer.diagnostics[0]?.message === 'wrong');
    assert.ok((await told()).includes('textDocument/diagnostic'));
  });

  test('about what is wrong, to a server that says nothing, does not end as if all were well', async (t) => {
    const { ask, write } = await serversInTest(t, { fake: fake('good') }, { limits: { diagnosticsMs: 200 } });
    await write('a.fake', 'x');
    await assert.rejects(ask('a.fake', { operation: 'diagnostics' }), /It has said nothing about the file within 0\.2 seconds/);
  });
});

describe('The servers of a session', () => {
  test('have only so many documents open, and hear of a text once', async (t) => {
    const { ask, write, told } = await serversInTest(t, { fake: fake('good') }, { limits: { documents: 2 } });
    for (const name of ['a.fake', 'b.fake', 'c.fake']) {
      await write(name, name);
      await ask(name, HOVER);
      await ask(name, HOVER);
    }
    const heard = (await told()).filter((method) => /did(Open|Close|Change)/.test(method));
    assert.deepEqual(
      heard,
      ['didOpen', 'didOpen', 'didClose', 'didOpen'].map((method) => `textDocument/${method}`),
    );
  });

  test('are only so many at once: the one that was asked longest ago makes room', async (t) => {
    const kinds = ['.a', '.b', '.c'];
    const settings = Object.fromEntries(kinds.map((kind) => [kind.slice(1), fake('good', kind)]));
    const { ask, write, mark } = await serversInTest(t, settings, { limits: { servers: 2 } });
    const pids: string[] = [];
    for (const kind of [...kinds, '.c', '.b', '.a']) {
      await write(`x${kind}`, 'x');
      const answer = await ask(`x${kind}`, HOVER);
      pids.push(answer.kind === 'text' ? answer.text : '');
    }
    const [a, b, c, stillC, stillB, newA] = pids;
    assert.deepEqual([stillC, stillB], [c, b]);
    assert.notEqual(newA, a);
    while (processesWith(mark).length > 2) await wait(10);
  });

  test('end when nobody has asked for long, and start again', async (t) => {
    const { ask, write, servers, mark, told, reports } = await serversInTest(t, { fake: fake('good') }, { limits: { idleMs: 50 } });
    await write('a.fake', 'x');
    const first = await ask('a.fake', HOVER);
    while (servers.busy || processesWith(mark).length > 0) await wait(10);
    assert.deepEqual((await told()).slice(-2), ['shutdown', 'exit']);
    assert.notDeepEqual(await ask('a.fake', HOVER), first);
    assert.deepEqual(reports, []);
  });

  test('are chosen by the longest extension that fits, in any case', async (t) => {
    const { ask, write } = await serversInTest(t, { code: fake('cannot-hover'), types: fake('good', '.d.fake') });
    await write('a.D.fake', 'x');
    assert.equal((await ask('a.D.fake', HOVER)).kind, 'text');
  });
});
