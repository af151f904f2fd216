// `npm run bench`: the service and its floors side by side, in interleaved rounds; medians and their ratios.
// --rounds N (7), --only TEXT (part of a line's name), --row ROW, --long (longer phases), --profile DIR (a CPU profile of the
// service), --from FILE (what an earlier run gave as JSON, instead of a run)
// --note TEXT (what a reader should know of the run), --json, --svg FILE, --docs (the plot and the table of docs/performance.md)
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Contest } from './contest.ts';
import { CONTESTS } from './contests.ts';
import { installSize } from './install-size.ts';
import { renewTable } from './markdown.ts';
import { plot } from './plot.ts';
import type { Report } from './result.ts';
import { runContests } from './run.ts';
import { startServer, startService } from './server-process.ts';
import { table } from './table.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    row: { type: 'string' },
    long: { type: 'boolean', default: false },
    profile: { type: 'string' },
    from: { type: 'string' },
    json: { type: 'boolean', default: false },
    svg: { type: 'string' },
    docs: { type: 'boolean', default: false },
    note: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number of at least 1.');
const contests = CONTESTS.filter(isChosen);
if (contests.length === 0) throw new Error('No line has such a name or row: see the table of docs/performance.md.');
if (options.docs && contests.length < CONTESTS.length) throw new Error('--docs shows a whole run: leave out --only and --row.');

const report = options.from === undefined ? await run() : (JSON.parse(await readFile(options.from, 'utf8')) as Report);
process.stdout.write(`${options.json ? JSON.stringify(report, null, 2) : table(report)}\n`);
if (options.svg !== undefined) await writeFile(options.svg, plot(report.results));
if (options.docs) await renewDocs(report);
if (report.leftOut.some(({ failed }) => failed)) process.exitCode = 1;

function isChosen({ lines }: Contest): boolean {
  return lines.some(({ name, row }) => name.includes(options.only) && (options.row === undefined || row === options.row));
}

async function run(): Promise<Report> {
  const profile = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
  await using started = new AsyncDisposableStack();
  const toolexec = started.adopt(await startService({ nodeOptions: profile }), (server) => server.stop());
  const floors = started.adopt(await startServer({ file: 'floors.ts' }), (server) => server.stop());
  const world = { toolexec, floors, long: options.long };
  const date = new Date().toISOString();
  const done = await runContests(contests, { world, rounds, tell: (line) => process.stderr.write(`${line}\n`) });
  const facts = contests.length === CONTESTS.length ? await installSize() : [];
  return {
    date,
    node: process.version,
    cpus: cpus().length,
    rounds,
    ...(options.note !== undefined && { note: options.note }),
    ...done,
    facts,
  };
}

async function renewDocs(shown: Report): Promise<void> {
  const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
  await writeFile(fileURLToPath(new URL('../docs/performance.svg', import.meta.url)), plot(shown.results));
  await writeFile(page, renewTable(await readFile(page, 'utf8'), shown));
}
