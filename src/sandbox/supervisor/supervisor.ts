// The helper process: starts commands for the service, whose own fork would copy its whole page table and stop its event
// loop for that long. Kept small for the same reason: execa and node modules only. It lives as long as the service, and when
// that dies without a word, as long as a command runs that a later process of the service may take up. In a container whose
// first process is the service all of it ends with that.
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../contract/message-of.ts';
import { listenForService } from './attach-server.ts';
import { socketPath } from '../processes/command-record.ts';
import { closeInherited } from './inherited-descriptors.ts';
import type { ExecOrder, HelperTimes, Order, Report, RunOrder, SendReport } from '../messages.ts';
import { gatherReports } from './gathered-reports.ts';
import { createPipePool } from './pipe-pool.ts';
import { killAllGroups } from './process-group.ts';
import { hostIdentity, identityOf } from '../processes/process-identity.ts';
import { runCommand, type HelperParts } from './run-command.ts';
import { createRunningOrders, type RunningOrder } from './running-orders.ts';
import { createShell } from './shell.ts';

const STANDARD_ERROR = 2;

closeInherited();
const [directory = '', times = ''] = process.argv.slice(2);
const { graceMs, orphanMs, watchdogMs } = JSON.parse(times) as HelperTimes;
const pipes = createPipePool(directory);
const shell = createShell(directory);
// Not the directory: whoever has that open can walk out of any sandbox through it.
const mark = openSync(join(directory, 'mark'), 'wx', 0o400);
const head = { host: hostIdentity(), helper: identityOf(process.pid), directory };
const orders = createRunningOrders({ head, orphanMs, onLeft: leave });
listenForService(socketPath(directory), orders);

const send: SendReport = gatherReports((reports, sent) => {
  if (process.connected) process.send?.(reports, undefined, {}, () => sent?.());
  else sent?.();
});

async function carryOut(order: RunOrder | ExecOrder): Promise<void> {
  let running: RunningOrder | undefined;
  let end: Exclude<Report, { type: 'started' | 'output' }>;
  try {
    running = orders.begin(order);
    end = await endOf(order, partsOf(running));
  } catch (error) {
    end = { type: 'failed', id: order.id, message: messageOf(error) };
  }
  if (running !== undefined) orders.ended(running, end.type === 'executed' ? undefined : end);
  send(end);
}

function partsOf(running: RunningOrder): HelperParts {
  const { stop, untime } = running.changes;
  const told: SendReport = (report, sent) => {
    if (report.type === 'started') orders.started(running, report.pid);
    send(report, sent);
  };
  return { pipes, shell, mark, graceMs, send: told, signal: stop.signal, untimed: untime.signal };
}

async function endOf(order: RunOrder | ExecOrder, parts: HelperParts): Promise<Extract<Report, { type: 'ran' | 'executed' }>> {
  const { id } = order;
  if (order.type === 'run') return { type: 'ran', id, result: await runCommand(order, parts) };
  // Loaded, with execa, for the first one: two helpers start with the service, and keep it waiting.
  const { runProgram } = await import('./run-program.ts');
  return { type: 'executed', id, result: await runProgram(order, parts) };
}

let watchdog: NodeJS.Timeout | undefined;

function watch(): void {
  clearTimeout(watchdog);
  if (watchdogMs !== undefined) watchdog = setTimeout(() => orders.stopAll(), watchdogMs);
}

function leave(): void {
  killAllGroups();
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}

process.on('message', (given: readonly Order[]) => {
  watch();
  for (const order of given) take(order);
});

function take(order: Order): void {
  if (order.type === 'run' || order.type === 'exec') void carryOut(order);
  else if (order.type === 'end') leave();
  else if (order.type === 'stop' || order.type === 'untime') orders.change(order.id, order.type);
}

process.once('disconnect', () => {
  clearTimeout(watchdog);
  // Whoever reads what the service said last must not wait for this process as well.
  closeSync(STANDARD_ERROR);
  openSync('/dev/null', 'w');
  orders.desert();
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Meant for the service: it drains first, and telling this process is the last that it does.
  });
}
