// A network of its own for tests: names lead where the test says, and every connection ends at one local server.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Dial, Dialled } from '../../src/network/connect.ts';
import type { LookUp } from '../../src/network/look-up.ts';

export interface MockNetwork {
  readonly lookUp: LookUp;
  readonly dial: Dial;
  /** Names that were looked up, in order. */
  readonly asked: string[];
  /** Connections that were made, in order. */
  readonly dialled: Dialled[];
  close(): Promise<void>;
}

/** @param resolve gives the addresses of a name, `null` when there is no such name */
export async function mockNetwork(
  resolve: (host: string, lookUps: number) => readonly string[] | null,
  answer: RequestListener,
): Promise<MockNetwork> {
  const { server, port } = await listen(answer);
  const asked: string[] = [];
  const dialled: Dialled[] = [];
  return {
    asked,
    dialled,
    lookUp: async (host) => {
      asked.push(host);
      const addresses = resolve(host, asked.length - 1);
      if (addresses === null) throw Object.assign(new Error(`queryA ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
      return addresses;
    },
    dial: async (to) => {
      dialled.push(to);
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
    close: () => stop(server),
  };
}

export async function listen(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

export async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
