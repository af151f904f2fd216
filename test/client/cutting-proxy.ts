// A way to the service whose connections can be cut. It looks into nothing: it counts what passes, to know when.
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  /** Where it leads: may be changed when the service has moved. */
  target: string;
  /** How often connections were cut. */
  readonly cuts: number;
  /** Cuts all connections, at once and in both directions. */
  cut(): void;
  /** Cuts all connections as soon as this many more bytes have come from the client, or from the service. */
  cutAfter(bytes: number, from: 'client' | 'service'): void;
}

export async function startCuttingProxy(t: { after(end: () => void): void }, target: string): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const limits: Record<'client' | 'service', number> = { client: Infinity, service: Infinity };
  const pass = (from: Socket, to: Socket, side: 'client' | 'service'): void => {
    from.on('data', (data) => {
      // What came is passed on up to the very byte at which the connection is cut.
      const left = limits[side];
      limits[side] -= data.length;
      to.write(data.subarray(0, Math.max(0, Math.min(data.length, left))));
      if (limits[side] <= 0) proxy.cut();
    });
    from.on('close', () => to.destroySoon());
    from.on('error', () => to.destroy());
    sockets.add(from);
    from.once('close', () => sockets.delete(from));
  };
  const server = createServer((client) => {
    const { hostname, port } = new URL(proxy.target);
    const service = connect(Number(port), hostname);
    pass(client, service, 'client');
    pass(service, client, 'service');
  });
  let cuts = 0;
  const proxy: CuttingProxy = {
    url: '',
    target,
    get cuts() {
      return cuts;
    },
    cut() {
      cuts += 1;
      Object.assign(limits, { client: Infinity, service: Infinity });
      for (const socket of sockets) socket.destroySoon();
    },
    cutAfter(bytes, from) {
      limits[from] = bytes;
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
