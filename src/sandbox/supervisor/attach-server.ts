// Inside the helper: the socket at which a later process of the service takes up what an earlier one has left. It lies in the
// helper's private directory, which no sandbox shows.
import { createServer } from 'node:net';
import { readJsonLines } from '../json-lines.ts';
import type { AttachLine } from '../messages.ts';
import type { RunningOrder, RunningOrders } from './running-orders.ts';

/** A process of the service has one connection a command. */
const MAX_CONNECTIONS = 4096;

/** Listens until the process ends. Where the system lets it not, what is left when the service dies ends with its time. */
export function listenForService(path: string, orders: Pick<RunningOrders, 'attach' | 'orphans'>): void {
  const server = createServer((socket) => {
    let attached: RunningOrder | undefined;
    socket.on('error', () => {
      // The other end is gone: `close` follows, and says all there is to know.
    });
    readJsonLines(socket, (line) => {
      // Only who may read the private directory can connect: a process of the service.
      const said = line as AttachLine;
      if (said.type === 'sessions') return void socket.end(`${JSON.stringify(orders.orphans())}\n`);
      if (said.type !== 'attach') return attached?.changes[said.type].abort();
      attached = orders.attach(said.outputFile, socket);
      if (attached === undefined) socket.end();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('error', () => {
    // Its path is too long for a socket.
  });
  server.listen(path);
}
