import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { Problem, type Ticket, type TicketStore } from '../../src/contract/index.ts';
import { tickets, ticketsInMemory, type Tickets } from '../../src/plugins/access/tickets.ts';
import { openNode } from '../store/redis/open-redis.ts';
import { startRedis, type RedisServer } from '../support/redis.ts';

const PER_OWNER = 3;

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

/** Two ends at which one store of tickets is used. */
type Ends = readonly [TicketStore, TicketStore];

const stores: Readonly<Record<string, (t: TestContext) => Promise<Ends>>> = {
  'tickets of one process': async () => {
    const store = ticketsInMemory(PER_OWNER);
    return [store, store];
  },
  'tickets of two nodes': async (t) => {
    await (await server.client()).flushAll();
    const [a, b] = [await openNode(t, server.url, { node: 'a' }), await openNode(t, server.url, { node: 'b' })];
    return [a.tickets(PER_OWNER), b.tickets(PER_OWNER)];
  },
};

for (const [name, open] of Object.entries(stores)) {
  describe(name, () => {
    test('are made at one and used at the other, as what they were made for', async (t) => {
      const [here, there] = await desks(await open(t));
      const ticket = ticketOf({ scope: 'watch' });
      const text = await here.issue(ticket);
      assert.deepEqual(await there.redeem(text, 'ses_1'), ticket);
    });

    test('are used once, also when many ask at the same moment', async (t) => {
      const [here, there] = await open(t);
      assert.equal(await here.put('digest', ticketOf()), true);
      const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? here : there).take('digest')));
      assert.equal(taken.filter((ticket) => ticket !== null).length, 1);
      assert.equal(await there.take('digest'), null);
    });

    test('open no other session, are then used up, and nobody gets one that was never made', async (t) => {
      const [here, there] = await desks(await open(t));
      const text = await here.issue(ticketOf());
      assert.equal(await there.redeem(text, 'ses_2'), null);
      assert.equal(await there.redeem(text, 'ses_1'), null);
      assert.equal(await there.redeem('tkt_made_up', 'ses_1'), null);
    });

    test('are refused to an owner with too many that wait, and to no other; a used one makes room', async (t) => {
      const [here, there] = await open(t);
      for (let n = 0; n < PER_OWNER; n += 1) assert.equal(await (n % 2 === 0 ? here : there).put(`d${n}`, ticketOf()), true);
      assert.equal(await here.put('too many', ticketOf()), false);
      assert.equal(await there.put('too many', ticketOf()), false);
      assert.equal(await here.take('too many'), null, 'one that was refused opens nothing');
      assert.equal(await there.put('of another', ticketOf({ owner: 'bert' })), true);
      await there.take('d0');
      assert.equal(await here.put('next', ticketOf()), true);
    });

    test('never wait in greater numbers than an owner may have, however many are asked for at once', async (t) => {
      const ends = await open(t);
      const made = await Promise.all(Array.from({ length: 20 }, (_, n) => ends[n % 2 === 0 ? 0 : 1].put(`d${n}`, ticketOf())));
      assert.equal(made.filter(Boolean).length, PER_OWNER);
    });

    test('open nothing once they have expired, and take no room', async (t) => {
      const [here, there] = await open(t);
      const [issuer] = await desks([here, there]);
      const texts = await Promise.all(Array.from({ length: PER_OWNER }, () => issuer.issue(ticketOf({ expiresAt: Date.now() + 30 }))));
      await sleep(60);
      assert.equal(await issuer.redeem(texts[0] ?? '', 'ses_1'), null);
      for (let n = 0; n < PER_OWNER; n += 1) assert.equal(await there.put(`later ${n}`, ticketOf()), true);
    });
  });
}

test('tickets that are kept in Redis go by themselves, and so does the list of those that wait', async (t) => {
  const client = await server.client();
  await client.flushAll();
  const { tickets: kept } = await openNode(t, server.url);
  const sizeBefore = await client.dbSize();
  await kept(PER_OWNER).put('short', ticketOf({ expiresAt: Date.now() + 200 }));
  await kept(PER_OWNER).put('shorter', ticketOf({ expiresAt: Date.now() + 20 }));
  assert.equal(await client.dbSize(), sizeBefore + 3);
  while ((await client.dbSize()) > sizeBefore) await sleep(20);
});

test('tickets are neither made nor used while Redis is away: whoever asks is told to come again', async (t) => {
  const own = await startRedis();
  t.after(() => own.end());
  const store = (await openNode(t, own.url)).tickets(PER_OWNER);
  await own.kill();
  for (const asked of [store.put('digest', ticketOf()), store.take('digest')]) {
    await assert.rejects(asked, (error) => error instanceof Problem && error.code === 'store-unavailable');
  }
});

/** What routes use, at both ends. */
async function desks([here, there]: Ends): Promise<readonly [Tickets, Tickets]> {
  return [await desk(here), await desk(there)];
}

async function desk(store: TicketStore): Promise<Tickets> {
  const app = fastify();
  await app.register(tickets, { store });
  return app.tickets;
}

function ticketOf(fields: Partial<Ticket> = {}): Ticket {
  return { owner: 'anna', sessionId: 'ses_1', scope: 'drive', expiresAt: Date.now() + 30_000, ...fields };
}
