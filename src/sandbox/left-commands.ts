// Takes up a command that an earlier process of the service has left: its helper, if it still lives, is told that somebody is
// there, and closes the connection when how the command ended stands beside its output.
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { LostCommandError, whenFired, type CommandRequest, type CommandResult } from '../contract/index.ts';
import { exitPath, recordPath, socketPath, type CommandExit } from './processes/command-record.ts';
import { writeJsonLine } from './json-lines.ts';
import type { AttachLine } from './messages.ts';
import { hostIdentity, isThere } from './processes/process-identity.ts';
import { killGroup } from './processes/processes.ts';
import { readExit, readRecord, type KeptRecord } from './processes/read-record.ts';
import { killHolders } from './processes/stray-processes.ts';

/** Milliseconds that a helper has to end a command, its grace among them. */
const STOP_MS = 10_000;

type Controls = Pick<CommandRequest, 'signal' | 'untimed'>;

/** @throws LostCommandError when nobody can tell, and Error as running it would have */
export async function reattach(outputFile: string, controls: Controls): Promise<CommandResult> {
  const exit = (await readExit(outputFile)) ?? (await waitForExit(outputFile, controls));
  if (exit === null) throw new LostCommandError();
  if (exit.type === 'failed') throw new Error(exit.message);
  return exit.result;
}

async function waitForExit(outputFile: string, controls: Controls): Promise<CommandExit | null> {
  const record = await readRecord(outputFile);
  // The numbers of another machine or container mean other processes here, and its sockets are not to be had.
  if (record === null || record.host !== hostIdentity()) return null;
  if (isThere(record.helper) !== false) await attend({ record, outputFile, controls });
  const exit = await readExit(outputFile);
  if (exit === null && isThere(record.helper) === false) await bury(record);
  return exit;
}

/** Resolves when the command has ended, or nothing can be known of that any more. */
function attend({ record, outputFile, controls }: { record: KeptRecord; outputFile: string; controls: Controls }): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(socketPath(record.directory));
    const over = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    socket.on('error', () => {
      // Nobody listens there, or the helper has ended: `close` follows.
    });
    socket.once('close', () => {
      clearTimeout(timer);
      over.abort();
      resolve();
    });
    // Read, so that its end is noticed.
    socket.resume();
    tell(socket, { type: 'attach', outputFile });
    const stop = (): void => {
      tell(socket, { type: 'stop' });
      timer = setTimeout(() => socket.destroy(), STOP_MS);
    };
    whenFired(controls.signal, stop, over.signal);
    if (controls.untimed !== undefined) whenFired(controls.untimed, () => tell(socket, { type: 'untime' }), over.signal);
  });
}

function tell(socket: Socket, line: AttachLine): void {
  writeJsonLine(socket, line);
}

/** The helper has died too: what it ran has nobody who reads its output, and is killed. */
async function bury({ directory, group }: KeptRecord): Promise<void> {
  // Its number is the group's for as long as anything of that is left.
  if (group !== undefined && isThere(group) === true) killGroup(group.pid, 'SIGKILL');
  await killHolders(directory);
  await rm(directory, { recursive: true, force: true }).catch(() => {
    // Of another user, perhaps: it holds pipes alone.
  });
}

/** Never rejects. */
export async function forgetCommand(outputFile: string): Promise<void> {
  await Promise.all(
    [recordPath(outputFile), exitPath(outputFile)].map((path) =>
      rm(path, { force: true }).catch(() => {
        // It goes with the session.
      }),
    ),
  );
}
