// Runs inside the sandbox, as a program of its own: takes connections on a port of the command's otherwise empty network and
// passes each on to the unix socket of the proxy. Says `ready` once it listens; ends with the sandbox.
import { connect, createServer, type Socket } from 'node:net';

const [socketPath = '', port = ''] = process.argv.slice(2);

const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: socketPath, allowHalfOpen: true });
  pass(client, proxy);
  pass(proxy, client);
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));

function pass(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroySoon());
}
