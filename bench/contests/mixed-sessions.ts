// Two hundred sessions at work, beside a command that floods its output and a reader of it that has stalled, against the
// same without them.
import { openAgents, type Agents } from '../agents.ts';
import { createSession, httpClient, openSocket, callId } from '../client.ts';
import type { Contest } from '../contest.ts';
import { startService, type ServerProcess } from '../server-process.ts';
import { percentile } from '../statistics.ts';

const SESSIONS = 200;
const PHASE_MS = { short: 2_000, long: 5_000 };
const TEXT = 'a line of output that is about as long as a line of a build';
/** Both take one core for as long as they run; only one of them prints. */
const FLOOD = `while :; do echo '${TEXT}'; done`;
const SILENT = `${FLOOD} > /dev/null`;

export function mixedSessions(): Contest {
  const line = { row: '15', name: 'p99 of no-ops of 200 sessions beside a flood and a stalled reader', unit: 'ms' } as const;
  return {
    calls: (SESSIONS * PHASE_MS.short) / 500,
    warmUps: 1,
    lines: [
      { ...line, against: 'without them', target: 2 },
      { ...line, against: 'beside a silent command', target: null },
    ],
    async open({ long }) {
      await using started = new AsyncDisposableStack();
      const server = started.adopt(await startService(), (running) => running.stop());
      const agents = started.adopt(await openAgents(server, SESSIONS), (open) => open.close());
      const phaseMs = long ? PHASE_MS.long : PHASE_MS.short;
      const running = started.move();
      const phases = {
        quiet: () => p99Of(agents, phaseMs),
        silent: () => beside(server, { command: SILENT, work: () => p99Of(agents, phaseMs) }),
        flood: () => beside(server, { command: FLOOD, work: () => p99Of(agents, phaseMs) }),
      };
      return {
        async measure(oursFirst) {
          const measured = { quiet: { p99Ms: 0, faults: 0 }, silent: { p99Ms: 0, faults: 0 }, flood: { p99Ms: 0, faults: 0 } };
          const order = ['flood', 'quiet', 'silent'] as const;
          for (const phase of oursFirst ? order : order.toReversed()) measured[phase] = await phases[phase]();
          const { quiet, silent, flood } = measured;
          const faults = quiet.faults + silent.faults + flood.faults;
          return [
            { ours: flood.p99Ms, theirs: quiet.p99Ms, faults },
            { ours: flood.p99Ms, theirs: silent.p99Ms },
          ];
        },
        close: () => running.disposeAsync(),
      };
    },
  };
}

async function p99Of(agents: Agents, ms: number): Promise<{ p99Ms: number; faults: number }> {
  const { noopsMs, faults } = await agents.work(ms);
  return { p99Ms: percentile(noopsMs, 0.99), faults };
}

/** Does something while a session runs the command, one socket of it reads all that comes, and another one nothing. */
async function beside<Result>(server: ServerProcess, { command, work }: { command: string; work: () => Promise<Result> }): Promise<Result> {
  const http = httpClient(server.address('http'));
  const path = `/v1/sessions/${await createSession(http)}`;
  const open = () => openSocket(`ws://${server.address('http')}${path}/stream`);
  const [reader, stalled] = [await open(), await open()];
  stalled.pause();
  const seen = new Set<string>();
  reader.on('message', (data: Buffer) => seen.add(/^\{"type":"(\w+)"/.exec(data.toString('latin1', 0, 50))?.[1] ?? ''));
  reader.send(JSON.stringify({ type: 'tool_use', id: callId(), name: 'Bash', input: { command } }));
  try {
    const result = await work();
    if (seen.has('tool_result') || seen.has('progress') !== (command === FLOOD))
      throw new Error(`The command did not run as it should: ${[...seen].join(', ')}`);
    return result;
  } finally {
    stalled.terminate();
    reader.terminate();
    await http.delete(path);
    await http.close();
  }
}
