// Searches of a tree of 20,000 files, against ripgrep by hand, which gives its lines and names in no order.
import { createPlace, httpClient, postBatch } from '../client.ts';
import { both, type Contest, type Line } from '../contest.ts';
import { NEEDLE, plantTree } from '../files.ts';
import { startServer } from '../server-process.ts';
import { median } from '../statistics.ts';
import { timesOf } from '../timed.ts';

const FILES = 20_000;
/** Searches of each kind a round. */
const SEARCHES = 3;

interface Search {
  readonly line: Omit<Line, 'unit'>;
  readonly use: { readonly name: string; readonly input: unknown };
  readonly byHand: readonly string[];
}

const KINDS: readonly Search[] = [
  {
    line: { row: '9', name: 'Grep over 20,000 files, in path order', against: 'rg by hand', target: 1.1 },
    use: { name: 'Grep', input: { pattern: NEEDLE, output_mode: 'content' } },
    byHand: ['--no-config', '--line-number', NEEDLE, '.'],
  },
  {
    line: { row: '10', name: 'Glob, newest first, 20,000 files', against: 'rg --files', target: 1.5 },
    use: { name: 'Glob', input: { pattern: '**/*.ts' } },
    byHand: ['--no-config', '--files'],
  },
];

export function searches(): Contest {
  return {
    calls: SEARCHES,
    warmUps: 1,
    lines: KINDS.map(({ line }) => ({ ...line, unit: 'ms' })),
    async open({ toolexec }) {
      await using started = new AsyncDisposableStack();
      // One of its own, because a process that has grown forks slowly.
      const floors = started.adopt(await startServer({ file: 'floors.ts' }), (fresh) => fresh.stop());
      const ours = started.adopt(httpClient(toolexec.address('http')), (client) => client.close());
      const theirs = started.adopt(httpClient(floors.address('http')), (client) => client.close());
      const { id, directory } = await createPlace(ours);
      await plantTree(directory, FILES);
      const compare = (oursFirst: boolean, { use, byHand }: Search) =>
        both(oursFirst, {
          ours: async () => median(await timesOf(SEARCHES, () => postBatch(ours, id, [use]))),
          theirs: async () => median(await timesOf(SEARCHES, () => theirs.post('/ripgrep', JSON.stringify({ directory, args: byHand })))),
        });
      const running = started.move();
      return {
        async measure(oursFirst) {
          const pairs = [];
          for (const kind of KINDS) pairs.push(await compare(oursFirst, kind));
          return pairs;
        },
        close: () => running.disposeAsync(),
      };
    },
  };
}
