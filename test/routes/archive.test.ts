import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, type TestServer } from '../support/server.ts';
import { problemOf, requestsOf } from './file-requests.ts';

let server: TestServer;
before(async (t) => {
  server = await startServer(t as TestContext);
});

async function world() {
  const session = await server.session();
  const workspace = (await server.request('GET', `/v1/sessions/${session}`)).body['workspace'].path as string;
  return { session, workspace, send: requestsOf(server, session) };
}

/** A directory with what is hard to pack. */
async function project(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-archive-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'src/deep'), { recursive: true });
  await mkdir(join(directory, 'empty'));
  await writeFile(join(directory, 'src/deep/data.bin'), Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => n % 251)));
  await writeFile(join(directory, 'src/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(directory, `src/${'long-name-'.repeat(15)}ü.txt`), 'long');
  await writeFile(join(directory, 'none'), '');
  await symlink('deep/data.bin', join(directory, 'src/link'));
  return directory;
}

/** Names, kinds, sizes, modes of owners and targets of links, of all that is below a directory. */
function treeOf(directory: string): string {
  return execFileSync('bash', ['-c', `find . -mindepth 1 -printf '%P %y %m %l\\n' | sort; find . -type f -exec sha256sum {} + | sort`], {
    cwd: directory,
    encoding: 'utf8',
  });
}

describe('an archive over REST', () => {
  test('of GNU tar is unpacked as it was packed, and GNU tar unpacks what comes back', async (t) => {
    const { session, workspace } = await world();
    const directory = await project(t);
    for (const format of ['gnu', 'pax']) {
      const body = execFileSync('tar', ['-C', directory, `--format=${format}`, '-cf', '-', '.'], { maxBuffer: 2 ** 30 });
      const put = await fetch(`${server.url}/v1/sessions/${session}/archive`, { method: 'PUT', body });
      assert.deepEqual([put.status, await put.json()], [200, { files: 5, bytes: 3_000_014 }]);
      assert.equal(treeOf(workspace), treeOf(directory));
    }
    const got = await fetch(`${server.url}/v1/sessions/${session}/archive`);
    assert.deepEqual([got.status, got.headers.get('content-type')], [200, 'application/x-tar']);
    const back = await mkdtemp(join(tmpdir(), 'toolexec-archive-'));
    t.after(() => rm(back, { recursive: true, force: true }));
    execFileSync('tar', ['-C', back, '-xpf', '-'], { input: Buffer.from(await got.arrayBuffer()) });
    assert.equal(treeOf(back), treeOf(directory));
  });

  test('that is hostile, or none, or does not fit what is there, is a problem that says so', async (t) => {
    const { send, workspace } = await world();
    const directory = await project(t);
    await symlink('/etc', join(directory, 'out'));
    const hostile = execFileSync('tar', ['-C', directory, '-cf', '-', 'none', 'out']);
    const refused = await send('PUT', 'archive', { body: hostile });
    assert.equal(problemOf(refused), '400 invalid-request');
    assert.match(refused.text, /"out\\" is a link to \/etc/);
    assert.equal(problemOf(await send('PUT', 'archive', { body: 'nothing of the kind' })), '400 invalid-request');
    assert.equal(problemOf(await send('PUT', 'archive')), '400 invalid-request');
    await send('PUT', 'files/none/below', { body: 'x' });
    const conflict = await send('PUT', 'archive', { body: execFileSync('tar', ['-C', directory, '-cf', '-', 'none']) });
    assert.equal(problemOf(conflict), '409 file-conflict');
    assert.deepEqual(await readdir(workspace), ['none']);
  });

  test('whose client leaves midway leaves nothing', async () => {
    const { session, workspace } = await world();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`PUT /v1/sessions/${session}/archive HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n`);
    const archive = execFileSync('tar', ['-C', '/', '--transform', 's/.*/passwd/', '-cf', '-', 'etc/passwd'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    socket.write(archive.subarray(0, 1_024));
    while ((await readdir(workspace, { recursive: true })).length < 2) await sleep(5);
    socket.destroy();
    while ((await readdir(workspace)).length > 0) await sleep(5);
  });

  test('is one of a few that one key has under way, which end with their clients', async () => {
    const { session, send } = await world();
    const head = `PUT /v1/sessions/${session}/archive HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n`;
    const sockets = new Set<Socket>();
    const upload = (): void => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
      sockets.add(socket);
      socket.write(head);
      // Only one that came while a request below had its place is answered.
      socket.once('data', () => {
        socket.destroy();
        upload();
      });
    };
    for (let count = 0; count < 8; count += 1) upload();
    while ((await send('GET', 'archive')).status !== 429) await sleep(5);
    assert.equal(problemOf(await send('PUT', 'archive', { body: 'x' })), '429 too-many-requests');
    for (const socket of sockets) socket.destroy();
    while ((await send('GET', 'archive')).status !== 200) await sleep(5);
  });

  test('of an empty workspace is empty, and none is made for HEAD', async () => {
    const { send } = await world();
    assert.equal((await send('GET', 'archive')).text.replaceAll('\0', ''), '');
    assert.equal((await send('HEAD', 'archive')).status, 404);
    assert.equal(problemOf(await requestsOf(server, 'ses_none')('GET', 'archive')), '404 session-not-found');
  });
});
