import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { createGzip } from 'node:zlib';
import { readWithin } from '../../src/contract/index.ts';
import { NO_EGRESS } from '../../src/network/egress.ts';
import { FetchError } from '../../src/network/fetch-error.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/network/guarded-fetch.ts';
import { mockNetwork } from './mock-network.ts';

type Verdict = 'allow' | 'block' | 'error';
interface Case {
  readonly id: string;
  readonly kind: string;
  readonly url: string;
  readonly expect: Verdict;
  readonly accept?: readonly Verdict[];
  readonly why: string;
  readonly resolves_to?: readonly string[] | null;
  readonly resolves_map?: Readonly<Record<string, readonly string[]>>;
  readonly resolves_sequence?: readonly (readonly string[])[];
  readonly redirects?: readonly string[];
  readonly requests?: number;
  readonly must_not_connect?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const PUBLIC = '93.184.216.34';
const MAX_BYTES = 200_000;
const { cases } = JSON.parse(readFileSync(new URL('../cases/ssrf.json', import.meta.url), 'utf8')) as { cases: Case[] };

describe('a URL that a session asks for', () => {
  for (const each of cases) {
    const accepted = each.accept ?? [each.expect];
    test(`${each.id} (${each.kind}: ${each.why}) is answered by ${accepted.join(' or ')}`, async () => {
      const { verdicts, addresses } = await run(each);
      for (const verdict of verdicts) assert.ok(accepted.includes(verdict), `${verdict}: ${each.url.slice(0, 200)}`);
      // A name that the case does not resolve is a public one here, so that what refuses it is not the look-up.
      assert.deepEqual(
        addresses.filter((address) => each.must_not_connect?.includes(address)),
        [],
      );
      const mayConnect = verdicts.includes('allow') || each.kind === 'redirect' || each.kind === 'response';
      if (!mayConnect) assert.deepEqual(addresses, []);
      if (each.kind === 'redirect') assert.ok(addresses.every((address) => address === PUBLIC));
    });
  }
});

async function run(each: Case): Promise<{ verdicts: Verdict[]; addresses: string[] }> {
  const network = await mockNetwork((host, lookUps) => {
    if (each.resolves_sequence !== undefined) return each.resolves_sequence[lookUps] ?? [];
    const given = each.resolves_map?.[host] ?? each.resolves_to;
    return given === undefined ? [PUBLIC] : given;
  }, answerOf(each));
  const guarded = createGuardedFetch({ egress: NO_EGRESS, lookUp: network.lookUp, dial: network.dial });
  Object.assign(process.env, each.env);
  try {
    const verdicts: Verdict[] = [];
    for (let request = 0; request < (each.requests ?? 1); request += 1) verdicts.push(await verdictOf(guarded, each.url));
    return { verdicts, addresses: network.dialled.flatMap(({ addresses }) => addresses) };
  } finally {
    for (const name of Object.keys(each.env ?? {})) delete process.env[name];
    await guarded.close();
    await network.close();
  }
}

async function verdictOf(guarded: GuardedFetch, url: string): Promise<Verdict> {
  try {
    const { body } = await guarded.fetch(url, { redirect: 'follow', signal: AbortSignal.timeout(30_000) });
    return (await readWithin(body, MAX_BYTES)).cut ? 'error' : 'allow';
  } catch (error) {
    assert.ok(error instanceof FetchError, String(error));
    return error.kind === 'blocked' || error.kind === 'redirects' ? 'block' : 'error';
  }
}

function answerOf({ url, redirects = [] }: Case): RequestListener {
  let answers = 0;
  const isLoop = redirects.length === 1 && redirects[0] === url;
  return (request, response) => {
    const host = request.headers.host ?? '';
    const location = isLoop ? url : redirects[answers];
    answers += 1;
    if (location !== undefined) response.writeHead(302, { location }).end();
    else if (host === 'big.example') pourZeros(response, response);
    else if (host === 'bomb.example') pourZeros(zipped(response), response);
    else if (host === 'hdr.example') response.writeHead(200, { 'x-large': 'x'.repeat(1_000_000) }).end();
    else response.end('<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd"><x/>');
  };
}

function zipped(response: ServerResponse): NodeJS.WritableStream {
  response.setHeader('content-encoding', 'gzip');
  const gzip = createGzip();
  gzip.pipe(response);
  return gzip;
}

/** Writes until the reader leaves. */
function pourZeros(into: NodeJS.WritableStream, response: ServerResponse): void {
  const block = Buffer.alloc(65_536);
  const pour = (): void => {
    while (!response.destroyed && into.write(block));
  };
  into.on('drain', pour);
  into.on('error', () => response.destroy());
  pour();
}
