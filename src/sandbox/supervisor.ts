// The helper process: starts commands for the service, whose own fork would copy its whole page table and stop its event
// loop for that long. Kept small for the same reason: execa and node modules only. It lives as long as its channel.
import { openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../contract/message-of.ts';
import { closeInherited } from './inherited-descriptors.ts';
import type { ChangeOrder, Order, SendReport } from './messages.ts';
import { createPipePool } from './pipe-pool.ts';
import { killAllGroups } from './process-group.ts';
import { runCommand } from './run-command.ts';
import { runProgram } from './run-program.ts';
import { createShell } from './shell.ts';

closeInherited();
const [directory = '', graceMs = ''] = process.argv.slice(2);
const pipes = createPipePool(directory);
const shell = createShell(directory);
// Not the directory: whoever has that open can walk out of any sandbox through it.
const mark = openSync(join(directory, 'mark'), 'wx', 0o400);
const changes = new Map<number, Record<ChangeOrder['type'], AbortController>>();

const send: SendReport = (report, sent) => {
  process.send?.(report, undefined, {}, () => sent?.());
};

async function carryOut(order: Exclude<Order, ChangeOrder>): Promise<void> {
  const { id } = order;
  const [stop, untime] = [new AbortController(), new AbortController()];
  changes.set(id, { stop, untime });
  const parts = { pipes, shell, mark, graceMs: Number(graceMs), send, signal: stop.signal, untimed: untime.signal };
  try {
    if (order.type === 'run') send({ type: 'ran', id, result: await runCommand(order, parts) });
    else send({ type: 'executed', id, result: await runProgram(order, parts) });
  } catch (error) {
    send({ type: 'failed', id, message: messageOf(error) });
  } finally {
    changes.delete(id);
  }
}

process.on('message', (order: Order) => {
  if (order.type === 'run' || order.type === 'exec') void carryOut(order);
  else changes.get(order.id)?.[order.type].abort();
});

process.once('disconnect', () => {
  killAllGroups();
  rmSync(directory, { recursive: true, force: true });
  process.exit();
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Meant for the service: it drains first, and closing the channel is how it ends this process.
  });
}
