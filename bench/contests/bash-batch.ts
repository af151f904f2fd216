// Ten commands in one concurrent batch, against ten shells that a small server starts by hand, with or without a sandbox.
import { createPlace, httpClient, postBatch, type HttpClient } from '../client.ts';
import { both, LeftOutError, type Contest } from '../contest.ts';
import { startServer, startService } from '../server-process.ts';
import { median } from '../statistics.ts';
import { timesOf } from '../timed.ts';

const COMMANDS = 10;
/** Batches a round. */
const BATCHES = 10;

/** What no session may fall below is the operator's choice. */
export const WITHOUT_SANDBOX = { TOOLEXEC_SANDBOX: 'off' };

export function bashBatch(sandbox: 'off' | 'on'): Contest {
  const against = sandbox === 'off' ? '10 raw spawns' : '10 bwrap by hand';
  return {
    calls: COMMANDS * BATCHES,
    // A thousand calls: what a call of this tool takes is compiled by then, which is work of the same two cores.
    warmUps: 10,
    lines: [{ row: '6', name: `10 × Bash true in one batch, sandbox ${sandbox}`, against, unit: 'ms', target: 1.2 }],
    async open({ toolexec }) {
      await using started = new AsyncDisposableStack();
      // One of its own, because a process that has grown forks slowly.
      const floors = started.adopt(await startServer({ file: 'floors.ts' }), (fresh) => fresh.stop());
      const start = async () => started.adopt(await startService({ env: WITHOUT_SANDBOX }), (server) => server.stop());
      const server = sandbox === 'on' ? toolexec : await start();
      const ours = started.adopt(httpClient(server.address('http')), (client) => client.close());
      const theirs = started.adopt(httpClient(floors.address('http')), (client) => client.close());
      const { id, directory } = sandbox === 'on' ? await createEnclosed(ours) : await createPlace(ours);
      const byHand = JSON.stringify({ count: COMMANDS, ...(sandbox === 'on' && { enclosed: directory }) });
      const running = started.move();
      return {
        measure: async (oursFirst) => [
          await both(oursFirst, {
            ours: async () => median(await timesOf(BATCHES, () => runCommands(ours, id))),
            theirs: async () => median(await timesOf(BATCHES, () => theirs.post('/spawn', byHand))),
          }),
        ],
        close: () => running.disposeAsync(),
      };
    },
  };
}

async function createEnclosed(http: HttpClient): Promise<{ id: string; directory: string }> {
  try {
    return await createPlace(http, { sandbox: { mode: 'required' } });
  } catch (error) {
    throw new LeftOutError(`This machine has no working sandbox: ${(error as Error).message}`, { cause: error });
  }
}

/** Ten commands in one batch. */
export function runCommands(http: HttpClient, session: string): Promise<string> {
  return postBatch(
    http,
    session,
    Array.from({ length: COMMANDS }, () => ({ name: 'Bash', input: { command: 'true' } })),
  );
}
