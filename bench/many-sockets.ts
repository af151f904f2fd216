// Opens sockets by the hundred.
import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { createSession, httpClient, openBareSocket, openSocket, times } from './client.ts';
import type { ServerProcess } from './server-process.ts';

const AT_ONCE = 16;

/** Sockets of a session each. */
export async function openSessionSockets(server: ServerProcess, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  const http = httpClient(server.address('http'));
  await times(count, AT_ONCE, async () => {
    const session = await createSession(http);
    sockets.push(await openSocket(`ws://${server.address('http')}/v1/sessions/${session}/stream`));
  });
  await http.close();
  return sockets;
}

/** Sockets of the bare server. */
export async function openBareSockets(floors: ServerProcess, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  await times(count, AT_ONCE, async () => void sockets.push(await openBareSocket(`ws://${floors.address('socket')}`)));
  return sockets;
}

/** Closes them, and waits until they are closed: a server that still says goodbye is not idle. */
export async function closeSockets(sockets: readonly WebSocket[]): Promise<void> {
  await Promise.all(
    sockets.map(async (socket) => {
      if (socket.readyState === socket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    }),
  );
}
