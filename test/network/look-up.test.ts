import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { NO_EGRESS } from '../../src/network/egress.ts';
import { FetchError } from '../../src/network/fetch-error.ts';
import { addressesOf, createLookUp } from '../../src/network/look-up.ts';

const A = 1;
const REFUSED_BY_SERVER = 5;
type Zone = Readonly<Record<string, { readonly ipv4?: readonly string[]; readonly fails?: true }>>;

/** A name server that knows a few IPv4 addresses, says of other names that they do not exist, and keeps what it was asked. */
async function nameServer(t: TestContext, zone: Zone) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const entry = zone[name];
    const found = type === A ? (entry?.ipv4 ?? []) : [];
    const code = entry === undefined ? 3 : entry.fails === true ? REFUSED_BY_SERVER : 0;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80 | code, 0, 1, 0, found.length, 0, 0, 0, 0]);
    const records = found.map((text) => Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...text.split('.').map(Number)]));
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { asked, lookUp: createLookUp([`127.0.0.1:${socket.address().port}`]) };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

describe('the look-up of a host', () => {
  test('gives all its addresses, and asks for exactly this name', async (t) => {
    const { asked, lookUp } = await nameServer(t, { 'a.example.com': { ipv4: ['93.184.216.34', '1.1.1.1'] } });
    assert.deepEqual(await lookUp('a.example.com', false), ['93.184.216.34', '1.1.1.1']);
    assert.deepEqual(await lookUp('no.example.com', false), []);
    assert.deepEqual([...new Set(asked)], ['a.example.com', 'no.example.com']);
  });

  test('knows nothing of the names of this machine, unless an operator named the host', async (t) => {
    const { lookUp } = await nameServer(t, {});
    assert.deepEqual(await lookUp('localhost', false), []);
    assert.ok((await lookUp('localhost', true)).includes('127.0.0.1'));
  });

  test('that fails is not taken for a name without addresses', async (t) => {
    const { lookUp } = await nameServer(t, { 'a.example.com': { fails: true } });
    await assert.rejects(addressesOf({ host: 'a.example.com', port: 443 }, { egress: NO_EGRESS, lookUp }), (error) => {
      assert.ok(error instanceof FetchError);
      assert.deepEqual([error.kind, /could not be looked up just now/.test(error.message)], ['network', true]);
      return true;
    });
  });
});
