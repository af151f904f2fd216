// The helper process: starts commands for the service, whose own fork would copy its whole page table and stop its event
// loop for that long. Kept small for the same reason: execa and node modules only. It lives as long as its channel.
import { openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../contract/message-of.ts';
import { closeInherited } from './inherited-descriptors.ts';
import type { Order, SendReport } from './messages.ts';
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
const stops = new Map<number, AbortController>();

const send: SendReport = (report, sent) => {
  process.send?.(report, undefined, {}, () => sent?.());
};

async function carryOut(order: Exclude<Order, { type: 'stop' }>): Promise<void> {
  const { id } = order;
  const controller = new AbortController();
  stops.set(id, controller);
  const parts = { pipes, shell, mark, graceMs: Number(graceMs), send, signal: controller.signal };
  try {
    if (order.type === 'run') send({ type: 'ran', id, result: await runCommand(order, parts) });
    else send({ type: 'executed', id, result: await runProgram(order, parts) });
  } catch (error) {
    send({ type: 'failed', id, message: messageOf(error) });
  } finally {
    stops.delete(id);
  }
}

process.on('message', (order: Order) => {
  if (order.type === 'stop') stops.get(order.id)?.abort();
  else void carryOut(order);
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
