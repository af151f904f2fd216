import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readWithin } from '../../src/contract/index.ts';
import { parseEgress } from '../../src/network/egress.ts';
import { FetchError, type FetchErrorKind } from '../../src/network/fetch-error.ts';
import { createGuardedFetch, type FetchAnswer, type FetchOptions, type GuardedFetch } from '../../src/network/guarded-fetch.ts';
import { listen, mockNetwork, stop, type MockNetwork } from './mock-network.ts';

/** A real server on this machine, which a rule of the operator's opens. */
async function local(t: TestContext, answer: RequestListener): Promise<{ guarded: GuardedFetch; base: string }> {
  const { server, port } = await listen(answer);
  const guarded = createGuardedFetch({ egress: parseEgress([`127.0.0.1:${port}`]) });
  t.after(async () => {
    await guarded.close();
    await stop(server);
  });
  return { guarded, base: `http://127.0.0.1:${port}` };
}

/** Names of the public internet, which all lead to one local server. */
async function internet(t: TestContext, answer: RequestListener): Promise<{ guarded: GuardedFetch; network: MockNetwork }> {
  const network = await mockNetwork(() => ['93.184.216.34'], answer);
  const guarded = createGuardedFetch({ egress: parseEgress([]), lookUp: network.lookUp, dial: network.dial });
  t.after(async () => {
    await guarded.close();
    await network.close();
  });
  return { guarded, network };
}

interface Whole extends Omit<FetchAnswer, 'body'> {
  readonly body: Buffer;
  /** There was more than the limit. */
  readonly cut: boolean;
}

/** An exchange with its body. */
async function whole(
  guarded: GuardedFetch,
  url: string,
  { maxBytes = 1_000_000, ...options }: Partial<FetchOptions> & { maxBytes?: number } = {},
): Promise<Whole> {
  const answer = await guarded.fetch(url, { signal: AbortSignal.timeout(30_000), ...options });
  const { bytes, cut } = await readWithin(answer.body, maxBytes);
  return { ...answer, body: bytes, cut };
}

const failsAs = (kind: FetchErrorKind, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof FetchError, String(error));
  assert.equal(error.kind, kind);
  assert.match(error.message, text);
  return true;
};

describe('a body', () => {
  test('comes decompressed and whole', async (t) => {
    const text = 'grüße '.repeat(1000);
    const { guarded, base } = await local(t, (request, response) => {
      const [coding, bytes] = request.url === '/br' ? ['br', brotliCompressSync(text)] : ['gzip', gzipSync(text)];
      response.writeHead(200, { 'content-encoding': coding, 'X-Seen': request.headers['x-mine'] }).end(bytes);
    });
    for (const path of ['/br', '/gzip']) {
      const { status, headers, url, body } = await whole(guarded, base + path, { headers: { 'X-Mine': 'yes' } });
      assert.deepEqual([status, headers['x-seen'], url, body.toString()], [200, 'yes', base + path, text]);
    }
  });

  test('is counted as it is after decompression', async (t) => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    assert.ok(bomb.length < 100_000);
    const { guarded, base } = await local(t, (_, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    const { body, cut } = await whole(guarded, base, { maxBytes: 100_000 });
    assert.deepEqual([body.length, cut], [100_000, true]);
  });

  test('without an end is given up at the limit, and its connection closed', async (t) => {
    const closed = Promise.withResolvers<void>();
    const { guarded, base } = await local(t, (_, response) => {
      response.once('close', () => closed.resolve());
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', pour);
      pour();
    });
    assert.equal((await whole(guarded, base, { maxBytes: 50_000 })).cut, true);
    await closed.promise;
  });

  test('of exactly the limit is given', async (t) => {
    const { guarded, base } = await local(t, (_, response) => response.end('12345'));
    for (const [maxBytes, text, isCut] of [
      [5, '12345', false],
      [4, '1234', true],
    ] as const) {
      const { body, cut } = await whole(guarded, base, { maxBytes });
      assert.deepEqual([body.toString(), cut], [text, isCut]);
    }
  });

  test('can be read as it comes, and broken off', async (t) => {
    const closed = Promise.withResolvers<void>();
    const { guarded, base } = await local(t, (_, response) => {
      response.once('close', () => closed.resolve());
      response.write('first');
    });
    const { body } = await guarded.fetch(base, { signal: new AbortController().signal });
    for await (const chunk of body ?? []) {
      assert.equal(Buffer.from(chunk).toString(), 'first');
      break;
    }
    await closed.promise;
  });
});

describe('time', () => {
  test('runs out for headers that do not come and for a body that does not end', async (t) => {
    const { guarded, base } = await local(t, (request, response) => {
      if (request.url === '/body') response.write('some');
    });
    for (const path of ['/headers', '/body']) {
      await assert.rejects(whole(guarded, base + path, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
    }
  });

  test("ends with the caller's signal, whose reason is thrown", async (t) => {
    const arrived = Promise.withResolvers<void>();
    const { guarded, base } = await local(t, () => arrived.resolve());
    const controller = new AbortController();
    const reason = { kind: 'aborted', message: 'The user stopped it.' };
    const call = whole(guarded, base, { signal: controller.signal });
    await arrived.promise;
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
  });

  test('is not needed to refuse headers that are too large', async (t) => {
    const { guarded, base } = await local(t, (_, response) => response.setHeader('x', 'y'.repeat(20_000)).end());
    await assert.rejects(whole(guarded, base), failsAs('too_large', /headers/));
  });
});

describe('a redirect', () => {
  const bounce: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const left = Number(searchParams.get('left'));
    if (pathname === '/chain' && left > 0) response.writeHead(302, { location: `/chain?left=${left - 1}` }).end('moved');
    else if (pathname === '/to')
      response.writeHead(Number(searchParams.get('status') ?? 302), { location: searchParams.get('url') ?? '' }).end();
    else {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.end(JSON.stringify({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() }));
      });
    }
  };
  const to = (url: string, status = 302) => `https://a.example/to?status=${status}&url=${encodeURIComponent(url)}`;
  const seen = (body: Buffer) => JSON.parse(body.toString()) as { method: string; headers: Record<string, string>; body: string };

  test('on the same host is followed five times and not a sixth', async (t) => {
    const { guarded, network } = await internet(t, bounce);
    assert.equal((await whole(guarded, 'https://a.example/chain?left=5')).url, 'https://a.example/chain?left=0');
    await assert.rejects(whole(guarded, 'https://a.example/chain?left=6'), failsAs('redirects', /more than 5 times/));
    assert.ok(network.dialled.length > 0);
  });

  test('to another host is told and not followed, unless that is asked for', async (t) => {
    const { guarded, network } = await internet(t, bounce);
    const told = await whole(guarded, to('https://b.example/x'));
    assert.deepEqual([told.status, told.redirectTo], [302, 'https://b.example/x']);
    assert.deepEqual(network.asked, ['a.example']);
    const followed = await whole(guarded, to('https://b.example/x'), { redirect: 'follow' });
    assert.deepEqual([followed.status, followed.url, followed.redirectTo], [200, 'https://b.example/x', undefined]);
  });

  test('to a host that only begins or ends alike is one to another host', async (t) => {
    const { guarded } = await internet(t, bounce);
    for (const url of ['https://a.example.evil.com/', 'https://evil-a.example/', 'https://www.a.example/']) {
      assert.equal((await whole(guarded, to(url))).redirectTo, url);
    }
  });

  test('that takes the encryption away is told and not followed; one that adds it is followed', async (t) => {
    const { guarded } = await internet(t, bounce);
    assert.equal((await whole(guarded, to('http://a.example/x'))).redirectTo, 'http://a.example/x');
    const plain = to('https://a.example/x').replace('https:', 'http:');
    assert.equal((await whole(guarded, plain)).url, 'https://a.example/x');
  });

  test('to a private address is refused, whether it would be followed or told', async (t) => {
    const { guarded, network } = await internet(t, bounce);
    for (const redirect of ['follow', 'same-host'] as const) {
      for (const url of ['http://127.0.0.1/', 'http://metadata.internal/', 'file:///etc/passwd', 'http://user:pw@b.example/']) {
        await assert.rejects(
          whole(guarded, to(url), { redirect }),
          failsAs('blocked', /^a\.example redirects to a URL that cannot be reached/),
        );
      }
    }
    assert.ok(network.dialled.every(({ host }) => host === 'a.example'));
  });

  test('is an answer like any other when none is to be followed', async (t) => {
    const { guarded } = await internet(t, bounce);
    const { status, headers, redirectTo } = await whole(guarded, to('http://127.0.0.1/'), { redirect: 'manual' });
    assert.deepEqual([status, headers['location'], redirectTo], [302, 'http://127.0.0.1/', undefined]);
  });

  test('takes what says who asks to the same origin alone', async (t) => {
    const { guarded } = await internet(t, bounce);
    const headers = { Authorization: 'Bearer k', Cookie: 'c=1', 'X-Key': 'k', Accept: 'text/html', Host: 'evil.example' };
    const same = seen((await whole(guarded, to('/x'), { headers })).body).headers;
    assert.deepEqual([same['authorization'], same['cookie'], same['x-key'], same['host']], ['Bearer k', 'c=1', 'k', 'a.example']);
    for (const url of ['https://b.example/x', 'https://a.example:8443/x']) {
      const other = seen((await whole(guarded, to(url), { headers, redirect: 'follow' })).body).headers;
      assert.deepEqual(
        [other['authorization'], other['cookie'], other['x-key'], other['accept']],
        [undefined, undefined, undefined, 'text/html'],
      );
    }
  });

  test('turns a POST into a GET where browsers do, and keeps it with 307 and 308', async (t) => {
    const { guarded } = await internet(t, bounce);
    const post = { method: 'POST', body: 'data', headers: { 'content-type': 'text/plain' } };
    for (const status of [301, 302, 303]) {
      const got = seen((await whole(guarded, to('/x', status), post)).body);
      assert.deepEqual([got.method, got.body, got.headers['content-type']], ['GET', '', undefined]);
    }
    for (const status of [307, 308]) {
      const got = seen((await whole(guarded, to('/x', status), post)).body);
      assert.deepEqual([got.method, got.body, got.headers['content-type']], ['POST', 'data', 'text/plain']);
    }
  });

  test('never takes a body to another origin', async (t) => {
    const { guarded, network } = await internet(t, bounce);
    const call = whole(guarded, to('https://b.example/', 307), { method: 'POST', body: 'secret', redirect: 'follow' });
    await assert.rejects(call, failsAs('redirects', /would get the body/));
    assert.deepEqual(network.asked, ['a.example']);
  });
});

describe('a connection', () => {
  test('that is used again leads where it was checked to lead, though the name now leads elsewhere', async (t) => {
    const network = await mockNetwork(
      (_, lookUps) => (lookUps === 0 ? ['93.184.216.34'] : ['10.0.0.1']),
      (request, response) => response.setHeader('connection', request.url === '/last' ? 'close' : 'keep-alive').end('ok'),
    );
    const guarded = createGuardedFetch({ egress: parseEgress([]), lookUp: network.lookUp, dial: network.dial });
    t.after(async () => {
      await guarded.close();
      await network.close();
    });
    await whole(guarded, 'http://r.example/');
    // The client takes a connection back a little after its answer is read.
    await setImmediate();
    await whole(guarded, 'http://r.example/last');
    assert.equal(network.dialled.length, 1);
    await assert.rejects(
      whole(guarded, 'http://r.example/'),
      failsAs('blocked', /r\.example does not exist, or has an address that is not public/),
    );
    assert.deepEqual(
      network.dialled.map(({ addresses }) => addresses),
      [['93.184.216.34']],
    );
  });

  test('to a private address is refused in the words of a name that does not exist', async (t) => {
    const network = await mockNetwork(
      (host) => (host === 'db.example.com' ? ['10.1.2.3'] : null),
      (_, response) => response.end(),
    );
    const guarded = createGuardedFetch({ egress: parseEgress([]), lookUp: network.lookUp, dial: network.dial });
    t.after(async () => {
      await guarded.close();
      await network.close();
    });
    const messages = await Promise.all(
      ['db', 'no'].map((name) =>
        whole(guarded, `https://${name}.example.com/`).then(
          () => 'it was answered',
          (error: Error) => error.message,
        ),
      ),
    );
    assert.equal(messages[0]?.replace('db.', 'no.'), messages[1]);
    assert.doesNotMatch(messages.join(), /10\.1|ENOTFOUND/);
  });

  test('is asked for by the name without the dot at its end, so that all checks see one name', async (t) => {
    const { guarded, network } = await internet(t, (request, response) => response.end(request.headers.host));
    const { url, body } = await whole(guarded, 'https://A.Example./x');
    assert.deepEqual([url, body.toString(), network.asked], ['https://a.example/x', 'a.example', ['a.example']]);
  });

  test("goes to an operator's host by name, as this machine knows it", async (t) => {
    const { server, port } = await listen((request, response) => response.end(request.headers.host));
    const guarded = createGuardedFetch({ egress: parseEgress([`localhost:${port}`]) });
    t.after(async () => {
      await guarded.close();
      await stop(server);
    });
    assert.equal((await whole(guarded, `http://localhost:${port}/`)).body.toString(), `localhost:${port}`);
    await assert.rejects(whole(guarded, `http://127.0.0.1:${port}/`), failsAs('blocked', /127\.0\.0\.1 is not public/));
  });

  test('with TLS names the host that was asked for, and is given up when it cannot be trusted', async (t) => {
    const hello = Promise.withResolvers<string>();
    const server = createServer((socket) => {
      socket.on('data', (bytes) => {
        hello.resolve(bytes.toString('latin1'));
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const guarded = createGuardedFetch({ egress: parseEgress(['localhost']) });
    t.after(async () => {
      await guarded.close();
      server.close();
    });
    await assert.rejects(whole(guarded, `https://localhost:${port}/`), failsAs('network', /No secure connection to localhost/));
    assert.match(await hello.promise, /localhost/);
  });

  test('that is refused is told as that', async (t) => {
    const { server, port } = await listen(() => {});
    await stop(server);
    const guarded = createGuardedFetch({ egress: parseEgress(['127.0.0.0/8']) });
    t.after(() => guarded.close());
    await assert.rejects(whole(guarded, `http://127.0.0.1:${port}/`), failsAs('network', /refused the connection/));
  });

  test('ends when everything is closed', async (t) => {
    const { server, port } = await listen(() => {});
    t.after(() => stop(server));
    const guarded = createGuardedFetch({ egress: parseEgress(['127.0.0.1']) });
    const arrived = once(server, 'request');
    const call = assert.rejects(whole(guarded, `http://127.0.0.1:${port}/`), failsAs('network', /failed before/));
    await arrived;
    await guarded.close();
    await call;
  });
});
