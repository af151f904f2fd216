// What a hostile command can reach.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { commands, outputThat, waitFor } from './commands.ts';

/** Connects to $1 $2 (or to the socket $1) from inside, sends a line and prints the answer. */
const ASK = `perl -MIO::Socket::INET -MIO::Socket::UNIX -e '
  my $s = @ARGV > 1 ? IO::Socket::INET->new("$ARGV[0]:$ARGV[1]") : IO::Socket::UNIX->new($ARGV[0] =~ s/^\\@/\\0/r);
  die "unreachable: $!\n" unless $s;
  print $s "hello\n"; shutdown $s, 1; print <$s>;
'`;

/** Answers with what it was sent, in capitals, once the other side has said all. */
async function capitals(t: TestContext, place: string | number): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('end', () => socket.end(text.toUpperCase()));
    socket.on('error', () => socket.destroy());
  });
  if (typeof place === 'number') server.listen(place, '127.0.0.1');
  else server.listen(place);
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
}

describe('a command without a network', () => {
  test('reaches no service of this machine, by address, abstract name or socket file', async (t) => {
    const { run, data } = await commands(t, { sandbox: true });
    const server = await capitals(t, 0);
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await capitals(t, `\0${data}`);
    await capitals(t, join(data, 'socket'));
    const lines = [`127.0.0.1 ${port}`, `localhost ${port}`, `0.0.0.0 ${port}`, `@${data}`, join(data, 'socket')];
    for (const line of lines) {
      const { output, exitCode } = await run(`${ASK} ${line}`);
      assert.match(output, /^unreachable: /, line);
      assert.notEqual(exitCode, 0);
    }
    assert.match((await run(`exec 3<>/dev/tcp/127.0.0.1/${port}`)).output, /Connection refused/);
  });

  test('has nothing but a loopback of its own', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const { output } = await run(
      `tail -n +3 /proc/net/dev | cut -d: -f1; tail -n +2 /proc/net/route; tail -n +2 /proc/net/unix; tail -n +2 /proc/net/tcp`,
    );
    assert.equal(output.trim(), 'lo');
    const own = `perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:8000") or die $!; $c = IO::Socket::INET->new("127.0.0.1:8000") or die $!; print "own"'`;
    assert.equal((await run(own)).output, 'own');
  });
});

describe('a command with a proxy', () => {
  const withProxy = (t: TestContext) =>
    commands(t, { sandbox: ({ data }) => ({ network: { kind: 'proxy', socketPath: join(data, 'proxy') } }) });

  test('reaches it where the variables for proxies say, and nothing else', async (t) => {
    const { run, data } = await withProxy(t);
    await capitals(t, join(data, 'proxy'));
    const direct = await capitals(t, 0);
    const address = direct.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { output } = await run(`echo $http_proxy $HTTPS_PROXY; ${ASK} 127.0.0.1 \${http_proxy##*:}; ${ASK} 127.0.0.1 ${port}`);
    assert.match(output, /^(http:\/\/127\.0\.0\.1:\d+) \1\nHELLO\nunreachable: /);
  });

  test('finds it ready at once, and many times at once', async (t) => {
    const { run, data } = await withProxy(t);
    await capitals(t, join(data, 'proxy'));
    const { output } = await run(`for i in 1 2 3 4 5 6 7 8; do ${ASK} 127.0.0.1 3128 & done; wait`);
    assert.equal(output, 'HELLO\n'.repeat(8));
  });

  test('passes on much in both directions without loss', async (t) => {
    const { run, data } = await withProxy(t);
    await capitals(t, join(data, 'proxy'));
    const line = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:3128") or die; print $s "abc" x 1000000; shutdown $s, 1; local $/; print length <$s>'`;
    assert.equal((await run(line)).output, '3000000');
  });

  test('does not wait for it, has no child more and leaves nothing behind', async (t) => {
    const { run, data, countRunning } = await withProxy(t);
    await capitals(t, join(data, 'proxy'));
    const { output, exitCode, cwd } = await run('wait; jobs; env | grep -c TOOLEXEC; ls /proc/$$/fd > fds; tr "\\n" " " < fds; exit 3');
    assert.equal(output, '0\n0 1 19 2 ');
    assert.equal(exitCode, 3);
    assert.ok(cwd !== null);
    assert.equal(countRunning(), 0);
  });

  test('that is gone meanwhile is told by an end of the connection, and does not start without it', async (t) => {
    const { runner, request, run, data } = await withProxy(t);
    const server = await capitals(t, join(data, 'proxy'));
    const { seen, onOutput } = outputThat(/started/);
    const asked = request(`echo started; ${waitFor('go')}; ${ASK} 127.0.0.1 3128; echo end`, { onOutput });
    const running = runner.run(asked);
    await seen;
    server.close();
    await writeFile(join(asked.cwd, 'go'), '');
    await running;
    assert.equal(await readFile(asked.outputFile, 'utf8'), 'started\nend\n');
    await assert.rejects(run('true'), /sandbox could not be set up/);
  });

  test('has none of it when it only reads', async (t) => {
    const { run, data } = await withProxy(t);
    await capitals(t, join(data, 'proxy'));
    const { output } = await run(`echo "<$http_proxy>"; ${ASK} 127.0.0.1 3128`, { readOnly: true });
    assert.match(output, /^<>\nunreachable: /);
  });

  test('cannot turn the bridge into something else through its environment', async (t) => {
    const { run, data, request } = await withProxy(t);
    await capitals(t, join(data, 'proxy'));
    const { env } = request('true');
    const { output } = await run('echo line', { env: { ...env, TOOLEXEC_BRIDGE: 'echo evil', TOOLEXEC_LIMITS: '-n 7' } });
    assert.equal(output, 'line\n');
  });
});
