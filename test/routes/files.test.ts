import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { withLimits } from './config-file.ts';
import { problemOf, requestsOf } from './file-requests.ts';
import { rawRequest } from './raw-request.ts';

let server: TestServer;
before(async (t) => {
  server = await startServer(t as TestContext, {
    env: await withLimits(t as TestContext, { body_bytes: 2_000, workspace_bytes: 100_000 }),
  });
});

/** A session of its own, with a workspace that the test may look into. */
async function world() {
  const session = await server.session();
  const workspace = (await server.request('GET', `/v1/sessions/${session}`)).body['workspace'].path as string;
  const send = requestsOf(server, session);
  return { session, workspace, send };
}

/** Sends the head of a PUT and leaves its body to the test. */
function beginPut(path: string, framing: string): Socket {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n`);
  return socket;
}

describe('a file over REST', () => {
  test('is made, replaced, read and removed, byte for byte', async () => {
    const { send } = await world();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const made = await send('PUT', 'files/a/b%20c/%C3%A9.bin', { body: bytes });
    assert.equal(made.status, 201);
    const etag = made.headers.get('etag');
    assert.deepEqual(JSON.parse(made.text), { path: 'a/b c/é.bin', size: 256, etag });
    assert.deepEqual((await send('GET', 'files/a/b%20c/%C3%A9.bin')).bytes, bytes);
    const replaced = await send('PUT', 'files/a/b%20c/%C3%A9.bin', { body: 'other' });
    assert.deepEqual([replaced.status, replaced.headers.get('etag') === etag], [200, false]);
    assert.equal((await send('GET', 'files/a/b%20c/%C3%A9.bin')).text, 'other');
    assert.equal((await send('DELETE', 'files/a/b%20c/%C3%A9.bin')).status, 204);
    assert.equal(problemOf(await send('GET', 'files/a/b%20c/%C3%A9.bin')), '404 file-not-found');
    assert.equal(problemOf(await send('DELETE', 'files/a/b%20c/%C3%A9.bin')), '404 file-not-found');
  });

  test('may be of any content type and larger than other bodies, and is kept as it comes', async () => {
    const { send } = await world();
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'no type at all']) {
      assert.equal((await send('PUT', 'files/x', { body: '{"half":', 'content-type': type })).status < 300, true, type);
      assert.equal((await send('GET', 'files/x')).text, '{"half":');
    }
    assert.equal((await send('PUT', 'files/large', { body: 'x'.repeat(50_000) })).status, 201);
    assert.equal((await send('PUT', 'files/empty')).status, 201);
    const empty = await send('GET', 'files/empty');
    assert.deepEqual([empty.status, empty.text, empty.headers.get('content-length')], [200, '', '0']);
    assert.equal(problemOf(await send('PUT', 'files/x', { body: 'x', 'content-encoding': 'gzip' })), '415 unsupported-media-type');
    assert.equal(problemOf(await send('PUT', 'files/x', { body: 'x', 'content-range': 'bytes 0-0/1' })), '400 invalid-request');
  });

  test('comes in the part that is asked for', async () => {
    const { send } = await world();
    const { headers } = await send('PUT', 'files/f.txt', { body: '0123456789' });
    const etag = headers.get('etag') ?? '';
    const part = async (range: string, more = {}) => {
      const { status, text: body, headers: got } = await send('GET', 'files/f.txt', { range, ...more });
      return [status, body, got.get('content-range')];
    };
    assert.deepEqual(await part('bytes=2-4'), [206, '234', 'bytes 2-4/10']);
    assert.deepEqual(await part('bytes=-3'), [206, '789', 'bytes 7-9/10']);
    assert.deepEqual(await part('bytes=8-'), [206, '89', 'bytes 8-9/10']);
    assert.deepEqual(await part('bytes=1-2', { 'if-range': etag }), [206, '12', 'bytes 1-2/10']);
    assert.deepEqual(await part('bytes=1-2', { 'if-range': '"other"' }), [200, '0123456789', null]);
    const beyond = await send('GET', 'files/f.txt', { range: 'bytes=10-' });
    assert.deepEqual([problemOf(beyond), beyond.headers.get('content-range')], ['416 range-not-satisfiable', 'bytes */10']);
  });

  test('is not sent again to who has it, and HEAD tells of it without sending it', async () => {
    const { send } = await world();
    const etag = (await send('PUT', 'files/f', { body: 'content' })).headers.get('etag') ?? '';
    for (const known of [etag, '*', `"x", W/${etag}`]) {
      const same = await send('GET', 'files/f', { 'if-none-match': known });
      assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', etag]);
    }
    assert.equal((await send('GET', 'files/f', { 'if-none-match': '"x"' })).status, 200);
    assert.equal(problemOf(await send('GET', 'files/f', { 'if-match': '"x"' })), '412 precondition-failed');
    const head = await send('HEAD', 'files/f');
    assert.deepEqual([head.status, head.text, head.headers.get('content-length'), head.headers.get('etag')], [200, '', '7', etag]);
    assert.equal((await send('HEAD', 'files/missing')).status, 404);
  });

  test('that a browser would run, or does not know, is saved and not shown', async () => {
    const { send } = await world();
    const kinds = {
      'a.html': 'text/html',
      'a.svg': 'image/svg+xml',
      'a.js': 'text/javascript',
      'a.xhtml': 'application/xhtml+xml',
      a: 'application/octet-stream',
      'a.HTM': 'text/html',
    };
    for (const [name, type] of Object.entries({ ...kinds, 'a.txt': 'text/plain', 'a.png': 'image/png' })) {
      await send('PUT', `files/${name}`, { body: '<script>alert(1)</script>' });
      const { headers } = await send('GET', `files/${name}`);
      assert.equal(headers.get('content-type')?.split(';')[0], type);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-disposition'), name in kinds ? 'attachment' : null, name);
    }
  });
});

describe('preconditions', () => {
  test('keep a client from replacing or removing what it does not know', async () => {
    const { send } = await world();
    assert.equal(problemOf(await send('PUT', 'files/f', { body: 'x', 'if-match': '*' })), '412 precondition-failed');
    const first = (await send('PUT', 'files/f', { body: '1', 'if-none-match': '*' })).headers.get('etag') ?? '';
    assert.equal(problemOf(await send('PUT', 'files/f', { body: '2', 'if-none-match': '*' })), '412 precondition-failed');
    const second = await send('PUT', 'files/f', { body: '2', 'if-match': first });
    assert.equal(second.status, 200);
    for (const wrong of [first, `W/${second.headers.get('etag')}`, 'nonsense']) {
      assert.equal(problemOf(await send('PUT', 'files/f', { body: '3', 'if-match': wrong })), '412 precondition-failed');
      assert.equal(problemOf(await send('DELETE', 'files/f', { 'if-match': wrong })), '412 precondition-failed');
    }
    assert.equal(problemOf(await send('DELETE', 'files/missing', { 'if-match': '*' })), '412 precondition-failed');
    assert.equal((await send('GET', 'files/f')).text, '2');
    assert.equal((await send('PUT', 'files/f', { body: '3', 'if-match': '*' })).status, 200);
    assert.equal((await send('DELETE', 'files/f', { 'if-match': '*' })).status, 204);
  });

  test('let one of many writers at once through, and tell the others', async () => {
    const { send } = await world();
    const etag = (await send('PUT', 'files/f', { body: 'start' })).headers.get('etag') ?? '';
    const writers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => send('PUT', 'files/f', { body: `writer ${n}`, 'if-match': etag })),
    );
    const makers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => send('PUT', 'files/new', { body: `maker ${n}`, 'if-none-match': '*' })),
    );
    const winner = writers.findIndex(({ status }) => status === 200);
    assert.ok(writers.every(({ status }, n) => status === (n === winner ? 200 : 412)));
    assert.equal((await send('GET', 'files/f')).text, `writer ${winner}`);
    assert.equal(makers.filter(({ status }) => status === 201).length, 1);
  });
});

describe('a directory over REST', () => {
  test('lists page by page, also the workspace', async () => {
    const { send, workspace } = await world();
    for (const name of ['b', 'a', 'c/d']) await send('PUT', `files/${name}`, { body: name });
    await symlink('/etc', join(workspace, 'link'));
    const first = JSON.parse((await send('GET', 'files?limit=3')).text) as Json;
    assert.deepEqual(
      [first['path'], first['data'].map(({ name, type }: Json) => `${name} ${type}`)],
      ['', ['a file', 'b file', 'c directory']],
    );
    assert.match(first['data'][0].modified_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const rest = JSON.parse((await send('GET', `files/?cursor=${first['next_cursor']}`)).text) as Json;
    assert.deepEqual([rest['data'].map(({ name, type }: Json) => `${name} ${type}`), 'next_cursor' in rest], [['link link'], false]);
    const below = JSON.parse((await send('GET', 'files/c/')).text) as Json;
    assert.deepEqual([below['path'], below['data'].length, below['data'][0].size], ['c', 1, 3]);
    assert.equal((await send('GET', 'files?limit=0')).status, 400);
  });

  test('is not written like a file, and removed only when it is empty or that is asked for', async () => {
    const { send } = await world();
    await send('PUT', 'files/d/f', { body: 'x' });
    assert.equal(problemOf(await send('PUT', 'files/d', { body: 'x' })), '409 file-conflict');
    assert.equal(problemOf(await send('PUT', 'files/d/f/below', { body: 'x' })), '409 file-conflict');
    assert.equal(problemOf(await send('PUT', 'files/', { body: 'x' })), '409 file-conflict');
    assert.equal(problemOf(await send('PUT', 'files/new/', { body: 'x' })), '400 invalid-request');
    assert.equal(problemOf(await send('DELETE', 'files/d')), '409 file-conflict');
    assert.equal((await send('DELETE', 'files/d?recursive=true')).status, 204);
    for (const root of ['', '.', 'x%2F..']) assert.equal(problemOf(await send('DELETE', `files/${root}?recursive=true`)), '403 forbidden');
  });
});

describe('hostile paths', () => {
  test('never lead out of the workspace, however they are written', async () => {
    const { send, session, workspace } = await world();
    await mkdir(join(server.root, 'outside'));
    await writeFile(join(server.root, 'outside/secret'), 'canary');
    await server.post(session, [
      call('1', 'Bash', { command: `ln -s ${server.root}/outside out; ln -s /etc/passwd passwd; ln -s ../../.. up` }),
    ]);
    const paths = [
      '..%2f..%2f..%2fetc%2fpasswd',
      '%2e%2e%2f%2e%2e%2fx',
      '%2Fetc%2Fpasswd',
      '%2fetc/passwd',
      'out/secret',
      'passwd',
      'up/x',
      'a%2f..%2f..%2fx',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        if (method === 'DELETE' && path === 'passwd') continue;
        const answer = await send(method, `files/${path}`, method === 'PUT' ? { body: 'x' } : {});
        assert.equal(problemOf(answer), '403 forbidden', `${method} ${path}`);
        assert.ok(!answer.text.includes('canary') && !answer.text.includes('root:'));
      }
    }
    const raw = await rawRequest(server.url, [`GET /v1/sessions/${session}/files/../../../../etc/passwd HTTP/1.1`, 'Host: localhost']);
    assert.ok(raw.status >= 400 && raw.status < 500);
    assert.deepEqual(await readdir(join(server.root, 'outside')), ['secret']);
    assert.deepEqual((await readdir(workspace)).toSorted(), ['out', 'passwd', 'up']);
  });

  test('are decoded once, and refused where nothing can have them', async () => {
    const { send, workspace } = await world();
    assert.equal((await send('PUT', 'files/%252e%252e%252fx', { body: 'x' })).status, 201);
    assert.deepEqual(await readdir(workspace), ['%2e%2e%2fx']);
    for (const path of ['a%00b', 'x'.repeat(256), 'x%2f'.repeat(2_500)])
      assert.equal(problemOf(await send('GET', `files/${path}`)), '400 invalid-request');
    for (const path of ['a%zz', 'a%ff']) assert.equal((await send('GET', `files/${path}`)).status, 400);
    const long = `${'d'.repeat(200)}/`.repeat(5);
    assert.equal((await send('PUT', `files/${long}f`, { body: 'x' })).status, 201, 'a path may be longer than other parameters');
  });

  test('of another owner’s session, or of none, are not found', async (t) => {
    const guarded = await startServer(t, { env: { TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' } });
    const headers = (key: string) => ({ authorization: `Bearer ${key}` });
    const made = await guarded.request('POST', '/v1/sessions', {}, headers('first-secret'));
    const send = requestsOf(guarded, made.body['id'] as string);
    assert.equal((await send('PUT', 'files/f', { body: 'x', ...headers('first-secret') })).status, 201);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      assert.equal(problemOf(await send(method, 'files/f', headers('second-secret'))), '404 session-not-found');
      assert.equal(problemOf(await send(method, 'files/f')), '401 unauthorized');
    }
    assert.equal((await send('GET', 'files/f', headers('first-secret'))).text, 'x');
  });
});

describe('an upload', () => {
  test('whose client leaves midway leaves nothing, and the file before as it was', async () => {
    const { session, send, workspace } = await world();
    await send('PUT', 'files/kept', { body: 'before' });
    for (const path of ['kept', 'new/deep/file']) {
      for (const framing of ['Content-Length: 90000', 'Transfer-Encoding: chunked']) {
        const socket = beginPut(`/v1/sessions/${session}/files/${path}`, framing);
        socket.write(framing.startsWith('Content') ? 'x'.repeat(20_000) : `4e20\r\n${'x'.repeat(20_000)}\r\n`);
        while ((await readdir(workspace, { recursive: true })).every((name) => !name.endsWith('.tmp'))) await sleep(5);
        socket.destroy();
        while ((await readdir(workspace, { recursive: true })).join() !== 'kept') await sleep(5);
      }
    }
    assert.equal((await send('GET', 'files/kept')).text, 'before');
  });

  test('that is refused is told so while it is still being sent', async () => {
    const { session, workspace } = await world();
    const declared = beginPut(`/v1/sessions/${session}/files/f`, 'Content-Length: 100001\r\nConnection: close');
    assert.match(await text(declared), /^HTTP\/1\.1 413 [^]*quota-exceeded/);
    const endless = beginPut(`/v1/sessions/${session}/files/f`, 'Transfer-Encoding: chunked');
    const flood = setInterval(() => endless.write(`4e20\r\n${'x'.repeat(20_000)}\r\n`), 1);
    const [answer] = (await once(endless, 'data')) as [Buffer];
    clearInterval(flood);
    endless.destroy();
    assert.match(answer.toString(), /^HTTP\/1\.1 413 [^]*quota-exceeded/);
    while ((await readdir(workspace)).length > 0) await sleep(5);
  });

  test('that is refused does not hold up the next request of its connection', async () => {
    const { session } = await world();
    const socket = beginPut(`/v1/sessions/${session}/files/f`, 'If-Match: "x"\r\nContent-Length: 50000');
    socket.write(`${'x'.repeat(50_000)}GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    assert.deepEqual((await text(socket)).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 412', 'HTTP/1.1 200']);
  });
});

test('what is put between a Read and an Edit is seen by the Edit, and nobody ever sees a part of a file', async () => {
  const { session, send } = await world();
  const contents = ['a', 'b'].map((letter) => `${letter.repeat(40_000)}\n`);
  await send('PUT', 'files/f', { body: contents[0] ?? '' });
  await server.post(session, [call('r', 'Read', { file_path: 'f' })]);
  await send('PUT', 'files/f', { body: contents[1] ?? '' });
  const edit = await server.post(session, [call('e', 'Edit', { file_path: 'f', old_string: 'aaaa', new_string: 'c' })]);
  assert.match(resultsOf(edit.body).join(), /changed since it was read/);
  assert.equal((await send('GET', 'files/f')).text, contents[1]);
  const second = await server.session({ workspace: { path: server.root } });
  const other = await server.session({ workspace: { path: server.root } });
  const writers = [requestsOf(server, second), requestsOf(server, other)];
  await writers[0]?.('PUT', 'files/shared', { body: contents[0] ?? '' });
  const seen = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      await writers[n % 2]?.('PUT', 'files/shared', { body: contents[n % 2] ?? '' });
      return (await writers[(n + 1) % 2]?.('GET', 'files/shared'))?.text ?? '';
    }),
  );
  assert.ok(seen.every((content) => contents.includes(content)));
});
