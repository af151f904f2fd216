import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { parseDomains } from '../../src/network/domain-list.ts';
import { startDomainProxy, type DomainProxyOptions } from '../../src/network/domain-proxy.ts';
import { parseEgress } from '../../src/network/egress.ts';
import { listen, stop } from './mock-network.ts';

interface Setup {
  readonly path: string;
  readonly close: () => Promise<void>;
}

async function proxy(t: TestContext, options: Partial<DomainProxyOptions> & { allow: string[]; exempt?: string[] }): Promise<Setup> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-proxy-'));
  const started = await startDomainProxy({
    socketPath: join(directory, 'p.sock'),
    domains: parseDomains(options.allow),
    egress: parseEgress(options.exempt ?? []),
    ...options,
  });
  t.after(async () => {
    await started.close();
    await rm(directory, { recursive: true });
  });
  return { path: started.socketPath, close: () => started.close() };
}

/** A server of bytes that sends back what it gets. */
async function echo(t: TestContext): Promise<{ server: Server; port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

async function web(t: TestContext, answer: RequestListener): Promise<number> {
  const { server, port } = await listen(answer);
  t.after(() => stop(server));
  return port;
}

/** Sends bytes as they are, says that there are no more, and gives all that comes back until the proxy ends the connection. */
async function raw(path: string, bytes: string): Promise<string> {
  return text(connect({ path, allowHalfOpen: true }).end(bytes));
}

async function tunnel(path: string, authority: string): Promise<{ status: number; socket: Socket }> {
  const request = httpRequest({ socketPath: path, method: 'CONNECT', path: authority }).end();
  const [response, socket] = (await once(request, 'connect')) as [{ statusCode: number }, Socket];
  return { status: response.statusCode, socket };
}

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
async function forward(
  path: string,
  url: string,
  { body, ...options }: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const request = httpRequest({ socketPath: path, path: url, ...options }).end(body);
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) } satisfies Reply;
}

describe('a tunnel through the proxy', () => {
  test('carries bytes both ways, what was sent at once and what comes after one side has ended too', async (t) => {
    const { port } = await echo(t);
    const { path } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`] });
    const answer = await raw(path, `CONNECT localhost:${port} HTTP/1.1\r\nHost: x\r\n\r\nearly `);
    assert.match(answer, /^HTTP\/1\.1 200 [^\r]*\r\n\r\nearly $/);
    const { status, socket } = await tunnel(path, `LOCALHOST.:${port}`);
    assert.equal(status, 200);
    socket.end('hello');
    assert.equal(await text(socket), 'hello');
  });

  test('gives what the server says first to a client that has nothing to say', async (t) => {
    const server = createServer((socket) => socket.end('welcome')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { path } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`] });
    assert.match(await raw(path, `CONNECT localhost:${port} HTTP/1.1\r\n\r\n`), /\r\n\r\nwelcome$/);
  });

  test('is refused to hosts and ports that the session does not list, and that is told', async (t) => {
    let lookUps = 0;
    const lookUp = async () => [`93.184.216.${(lookUps += 1)}`];
    const { path } = await proxy(t, { allow: ['example.com', '*.example.org'], lookUp });
    for (const authority of ['www.example.com:443', 'example.com.evil.com:443', 'example.org:443', 'example.com:22', '93.184.216.34:443']) {
      const answer = await raw(path, `CONNECT ${authority} HTTP/1.1\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 403 Forbidden\r\n/);
      assert.match(answer, /is not among the allowed_domains of this session\.\n$/);
    }
    assert.equal(lookUps, 0);
  });

  test('is refused to a listed host whose address is not public', async (t) => {
    const { path } = await proxy(t, {
      allow: ['example.com', '10.0.0.1', 'printer.local'],
      lookUp: async () => ['93.184.216.34', '10.0.0.1'],
    });
    for (const host of ['example.com', '10.0.0.1', '167772161', 'printer.local']) {
      assert.match(await raw(path, `CONNECT ${host}:443 HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 403 /, host);
    }
  });

  test('goes to the addresses that were checked', async (t) => {
    const { port } = await echo(t);
    const dialled: (readonly string[])[] = [];
    let lookUps = 0;
    const { path } = await proxy(t, {
      allow: ['example.com'],
      lookUp: async () => [(lookUps += 1) === 1 ? '93.184.216.34' : '127.0.0.1'],
      dial: async ({ addresses }) => {
        dialled.push(addresses);
        return connect(port, '127.0.0.1');
      },
    });
    const { status, socket } = await tunnel(path, 'example.com:443');
    socket.destroy();
    assert.deepEqual([status, dialled, lookUps], [200, [['93.184.216.34']], 1]);
  });

  test('is refused to what can be read in two ways', async (t) => {
    const { path } = await proxy(t, { allow: ['example.com', '*.example.com'] });
    const odd = ['evil.com\0.example.com:443', 'evil.com%00.example.com:443', 'evil.com#.example.com:443', 'evil.com/.example.com:443'];
    const more = [
      'user@example.com:443',
      'example.com',
      'example.com:',
      'example.com:443:443',
      ':443',
      'exämple.com:443',
      'a..example.com:443',
    ];
    for (const authority of [...odd, ...more, 'https://example.com:443', `${'a'.repeat(64)}.example.com:443`]) {
      assert.match(await raw(path, `CONNECT ${authority} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 400 /, authority);
    }
  });

  test('that lies still is closed on both sides', async (t) => {
    const { port, sockets } = await echo(t);
    const { path } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`], idleMs: 100 });
    const { socket } = await tunnel(path, `localhost:${port}`);
    const [other] = sockets;
    assert.ok(other !== undefined);
    await Promise.all([once(socket.resume(), 'close'), once(other, 'close')]);
  });

  test('to a server that is not there is told as that', async (t) => {
    const { server, port } = await listen(() => {});
    await stop(server);
    const { path } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`] });
    assert.match(await raw(path, `CONNECT localhost:${port} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 502 [\s\S]*localhost refused the connection/);
  });
});

describe('a plain request through the proxy', () => {
  test('comes through with its method, body and headers, and without those of the proxy', async (t) => {
    const port = await web(t, (request, response) => {
      void text(request).then((body) => {
        response.setHeader('set-cookie', ['a=1', 'b=2']);
        return response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
      });
    });
    const { path } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`] });
    const reply = await forward(path, `http://localhost:${port}/a?b=c`, {
      method: 'PUT',
      body: 'data',
      headers: { Host: 'evil.example', 'X-Mine': 'yes', 'Proxy-Authorization': 'Basic c2VjcmV0', Connection: 'x-hop', 'X-Hop': 'no' },
    });
    assert.deepEqual([reply.status, reply.headers['set-cookie']], [200, ['a=1', 'b=2']]);
    const seen = JSON.parse(reply.body) as { method: string; url: string; headers: Record<string, string>; body: string };
    assert.deepEqual([seen.method, seen.url, seen.body], ['PUT', '/a?b=c', 'data']);
    assert.deepEqual([seen.headers['host'], seen.headers['x-mine']], [`localhost:${port}`, 'yes']);
    assert.deepEqual([seen.headers['proxy-authorization'], seen.headers['x-hop']], [undefined, undefined]);
  });

  test('gives redirects and errors of the server as they are', async (t) => {
    const port = await web(t, (_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end('moved'));
    const { path } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`] });
    const { status, headers, body } = await forward(path, `http://localhost:${port}/`);
    assert.deepEqual([status, headers.location, body], [302, 'http://127.0.0.1/', 'moved']);
  });

  test('is refused where a tunnel would be', async (t) => {
    const { path } = await proxy(t, { allow: ['example.com', '10.0.0.1'], lookUp: async () => ['10.0.0.1'] });
    for (const url of ['http://example.com/', 'http://10.0.0.1/', 'http://www.example.com/', 'http://example.com:8080/']) {
      assert.equal((await forward(path, url)).status, 403, url);
    }
  });

  test('is refused unless it is an absolute http URL', async (t) => {
    const { path } = await proxy(t, { allow: ['example.com'] });
    for (const url of ['/', 'https://example.com/', 'ftp://example.com/', 'http://user:pw@example.com/', '*']) {
      const { status, body } = await forward(path, url);
      assert.equal(status, 400, url);
      assert.ok(body.length > 10 && !body.includes('pw'));
    }
  });

  test('whose server breaks off is broken off, and no shorter answer', async (t) => {
    const port = await web(t, (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('part', () => response.destroy());
    });
    const { path } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`] });
    await assert.rejects(forward(path, `http://localhost:${port}/`), { code: 'ECONNRESET' });
  });
});

describe('the proxy', () => {
  test('can be reached by its user alone', async (t) => {
    const { path } = await proxy(t, { allow: [] });
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  test('does not start where others may enter, where its path does not fit, or where another listens', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'toolexec-proxy-'));
    t.after(() => rm(directory, { recursive: true }));
    await chmod(directory, 0o755);
    const start = (socketPath: string) => startDomainProxy({ socketPath, domains: [], egress: parseEgress([]) });
    await assert.rejects(start(join(directory, 'p.sock')), /give a directory of mode 700/);
    await assert.rejects(start(join(directory, 'p'.repeat(108))), /at most 107 bytes/);
    assert.equal(existsSync(join(directory, 'p.sock')), false);
    await chmod(directory, 0o700);
    const first = await start(join(directory, 'p.sock'));
    await assert.rejects(start(first.socketPath), { code: 'EADDRINUSE' });
    await first.close();
  });

  test('drops connections above its limit, and takes new ones when some have gone', async (t) => {
    const { path } = await proxy(t, { allow: [], maxConnections: 2 });
    const open = [connect(path), connect(path)];
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    assert.equal(await raw(path, 'CONNECT a.example:443 HTTP/1.1\r\n\r\n').catch(() => ''), '');
    for (const socket of open) socket.destroy();
    let answer = '';
    for (let tries = 0; tries < 100 && answer === ''; tries += 1) {
      answer = await raw(path, 'CONNECT a.example:443 HTTP/1.1\r\n\r\n').catch(() => '');
    }
    assert.match(answer, /^HTTP\/1\.1 403 /);
  });

  test('refuses headers that are too large', async (t) => {
    const { path } = await proxy(t, { allow: ['example.com'] });
    assert.match(await raw(path, `CONNECT example.com:443 HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /);
  });

  test('closes every tunnel and request, and takes its socket away', async (t) => {
    const { server, port, sockets } = await echo(t);
    const { path, close } = await proxy(t, { allow: [`localhost:${port}`], exempt: [`localhost:${port}`] });
    const { socket } = await tunnel(path, `localhost:${port}`);
    const idle = connect(path);
    await once(idle, 'connect');
    const forwarded = once(server, 'connection');
    const request = forward(path, `http://localhost:${port}/`).catch((error: unknown) => error);
    await forwarded;
    const ends = [socket, idle, ...sockets].map((each) => once(each.resume(), 'close'));
    await close();
    await Promise.all(ends);
    await request;
    assert.equal(existsSync(path), false);
    await close();
  });
});
