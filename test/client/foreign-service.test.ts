// Something that is not the service answers at its address, such as a proxy with an error of its own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocketServer } from 'ws';
import { ToolexecClient } from '../../client/src/index.ts';

for (const said of ['<html>Bad gateway</html>', 'null', '{"type":"session"}']) {
  test(`frames such as ${said} end the connection, not the program: it is tried again, and then told`, async (t) => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    t.after(() => server.close());
    let connections = 0;
    server.on('connection', (socket) => {
      connections += 1;
      socket.send(said);
    });
    await once(server, 'listening');
    const client = new ToolexecClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, retries: 2 });
    const watch = client.sessions.open('ses_1').watch();
    await assert.rejects(watch[Symbol.asyncIterator]().next(), /No connection/);
    assert.equal(connections, 3);
  });
}
