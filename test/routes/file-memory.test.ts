// Large files pass through the service: it holds no more of them than is on its way.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { startProcess } from '../support/process.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 256 * MIB;
/** Far less than a file; the buffers that wait for the garbage collector, up to about 64 MiB of them, fit. */
const BOUND = FILE_BYTES / 2;

/** The most memory that a process has had, in bytes. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

function* zeros(bytes: number): Generator<Buffer, void, void> {
  const chunk = Buffer.alloc(256 * 1024);
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
}

async function put(url: string, bytes: number): Promise<number | undefined> {
  const sending = request(url, { method: 'PUT' });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(zeros(bytes), { objectMode: false }), sending);
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode;
}

async function read(url: string): Promise<number> {
  const [answer] = (await once(request(url).end(), 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return bytes;
}

test('a large file goes in and out, alone and in an archive, in a fraction of its size', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-memory-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const service = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
  const made = (await (await fetch(`${service.url}/v1/sessions`, { method: 'POST' })).json()) as { id: string };
  const session = `${service.url}/v1/sessions/${made.id}`;
  assert.equal(await put(`${session}/files/small`, 1_000), 201);
  assert.equal(await read(`${session}/files/small`), 1_000);
  const before = await peakOf(service.pid);
  const grown = async (): Promise<number> => (await peakOf(service.pid)) - before;

  assert.equal(await put(`${session}/files/large`, FILE_BYTES), 201);
  const afterPut = await grown();
  assert.equal(await read(`${session}/files/large`), FILE_BYTES);
  const afterGet = await grown();
  const archive = await read(`${session}/archive`);
  assert.ok(archive > FILE_BYTES && archive < FILE_BYTES + MIB);
  const afterArchive = await grown();
  t.diagnostic(
    `grew by ${[afterPut, afterGet, afterArchive].map((bytes) => Math.round(bytes / MIB)).join(', ')} MiB, from ${Math.round(before / MIB)}`,
  );
  assert.ok(afterArchive < BOUND, `it grew by ${afterArchive} bytes`);
  assert.equal((await stat(join(dataDir, 'sessions', made.id, 'workspace/large'))).size, FILE_BYTES);
});
