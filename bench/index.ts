// `npm run bench`: the service and its floors side by side, in interleaved rounds; medians and their ratios.
// --rounds N (7), --only TEXT (part of a line's name), --json, --profile DIR (a CPU profile of the service)
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { bashBatch } from './contests/bash-batch.ts';
import { dependenciesContest } from './contests/dependencies.ts';
import { idleSessions } from './contests/idle-sessions.ts';
import { manySockets } from './contests/many-sockets.ts';
import { postNoop } from './contests/post-noop.ts';
import { scheduleContest } from './contests/schedules.ts';
import { socketNoop } from './contests/socket-noop.ts';
import { storesContest } from './contests/stores.ts';
import { summarise, warmUp, type Contest, type LineResult, type Pair } from './contest.ts';
import { startOnRedis } from './redis-service.ts';
import { table } from './report.ts';
import { SCRIPTS } from './scripts.ts';
import { TURN_SHAPES } from './turn-shapes.ts';
import { startServer, startService, type ServerProcess } from './server-process.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number of at least 1.');

const results = await run();
if (options.json) process.stdout.write(`${JSON.stringify({ node: process.version, cpus: cpus().length, rounds, results }, null, 2)}\n`);
else process.stdout.write(`${table(results)}\n`);

async function run(): Promise<LineResult[]> {
  const profile = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
  await using started = new AsyncDisposableStack();
  const toolexec = started.adopt(await startService({ nodeOptions: profile }), (server) => server.stop());
  const floors = started.adopt(await startServer({ file: 'floors.ts' }), (server) => server.stop());
  const contests = (await openContests(toolexec, floors)).map((contest) => started.adopt(contest, (open) => open.close()));
  for (const contest of contests) await warmUp(contest);
  const measured = new Map<Contest, (readonly Pair[])[]>(contests.map((contest) => [contest, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contest, pairs] of measured) pairs.push(await contest.measure(round % 2 === 0));
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  return [...measured].flatMap(([contest, pairs]) =>
    contest.lines.map((line, index) =>
      summarise(
        line,
        contest,
        pairs.flatMap((round) => round[index] ?? []),
      ),
    ),
  );
}

async function openContests(toolexec: ServerProcess, floors: ServerProcess): Promise<Contest[]> {
  const contests = [
    await socketNoop(toolexec, floors, 0),
    await socketNoop(toolexec, floors, 1_100),
    await postNoop(toolexec, floors),
    await bashBatch(toolexec, floors),
    storesContest(toolexec),
    manySockets({ start: () => startService(), store: 'SQLite', target: 1.67, floors }),
    manySockets({ start: startOnRedis, store: 'Redis', target: null, floors }),
    idleSessions('SQLite'),
    idleSessions('Redis'),
    ...(await Promise.all(SCRIPTS.map((script) => scheduleContest(toolexec, script)))),
    ...(await Promise.all(TURN_SHAPES.map((shape) => dependenciesContest(toolexec, shape)))),
  ];
  const [chosen, left] = [true, false].map((wanted) =>
    contests.filter(({ lines }) => lines.some(({ name }) => name.includes(options.only)) === wanted),
  );
  await Promise.all((left ?? []).map((contest) => contest.close()));
  return chosen ?? [];
}
