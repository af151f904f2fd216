// What stands before the nodes: each connection goes to the next node that takes it. It knows nothing of HTTP or sessions, and
// does to connections what networks do.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface Proxy {
  readonly url: string;
  /** Breaks one connection, or all of them. */
  cut(which: number | 'all'): void;
  /** Holds back what passes, in both directions, for a while. */
  delay(forMs: number): Promise<void>;
  /** Lets nothing more through on a connection, which neither end is told. */
  halfOpen(which: number): void;
  close(): Promise<void>;
}

interface Passage {
  readonly client: Socket;
  readonly node: Socket;
  /** Passes nothing any more, not even an end. */
  silent: boolean;
}

/** After how long both ends of a half-open connection are told. */
const FORGOTTEN_MS = 12_000;
const NOBODY = 'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** @param ports asked for each connection */
export async function startProxy(ports: () => readonly number[]): Promise<Proxy> {
  const clients = new Set<Socket>();
  const passages = new Set<Passage>();
  let turn = 0;
  let delayed = 0;
  const server = createServer((client) => {
    // Whatever breaks is told by its end.
    client.on('error', () => undefined);
    clients.add(client.once('close', () => clients.delete(client)));
    void lead(client);
  });

  async function lead(client: Socket): Promise<void> {
    const all = ports();
    const from = (turn += 1) % all.length;
    const node = await reach([...all.slice(from), ...all.slice(0, from)]);
    // What it still says is passed over, or its end would not be seen.
    if (node === null) client.resume().end(NOBODY);
    else if (client.destroyed) node.destroy();
    else join({ client, node, silent: false });
  }

  function join(passage: Passage): void {
    const { client, node } = passage;
    passages.add(passage);
    if (delayed === 0) open(passage);
    for (const [end, other] of [
      [client, node],
      [node, client],
    ] as const) {
      end.on('error', () => undefined);
      end.on('close', () => {
        passages.delete(passage);
        if (!passage.silent) other.destroy();
      });
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy does not listen.');
  const chosen = (which: number): Passage | undefined =>
    [...passages].filter(({ silent }) => !silent).at(which % Math.max(1, passages.size));
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut(which) {
      const hit = which === 'all' ? [...passages] : [chosen(which)];
      for (const passage of hit) passage?.client.resetAndDestroy();
    },
    async delay(forMs) {
      delayed += 1;
      for (const passage of passages) shut(passage);
      await wait(forMs);
      delayed -= 1;
      if (delayed === 0) for (const passage of passages) open(passage);
    },
    halfOpen(which) {
      const passage = chosen(which);
      if (passage === undefined) return;
      passage.silent = true;
      shut(passage);
      const forget = (): void => destroy(passage);
      setTimeout(forget, FORGOTTEN_MS).unref();
    },
    async close() {
      for (const passage of passages) destroy(passage);
      for (const client of clients) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function open({ client, node, silent }: Passage): void {
  if (silent) return;
  client.pipe(node);
  node.pipe(client);
}

/** What comes waits in the buffers of the sockets. */
function shut({ client, node }: Passage): void {
  client.unpipe();
  node.unpipe();
}

function destroy({ client, node }: Passage): void {
  client.destroy();
  node.destroy();
}

async function reach(ports: readonly number[]): Promise<Socket | null> {
  for (const port of ports) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      // Nobody is there: the next one.
      socket.destroy();
    }
  }
  return null;
}
