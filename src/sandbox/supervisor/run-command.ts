// Inside the helper: one shell line. Its output goes pipe → file, so that none of it passes through the service; the
// directory in which the shell ended comes back through a second pipe.
import { readFileSync } from 'node:fs';
import type { CommandResult } from '../../contract/index.ts';
import { messageOf } from '../../contract/message-of.ts';
import { whenFired } from '../../contract/when-fired.ts';
import { createLiveOutput } from './live-output.ts';
import { openPaths } from '../enclosure/bound-paths.ts';
import { memberGone } from '../processes/processes.ts';
import type { RunOrder, SendReport } from '../messages.ts';
import { outputFileAt, type OutputFile } from './output-file.ts';
import { readAvailable, readPipe } from './pipe-reader.ts';
import type { Pipe, PipePool } from './pipe-pool.ts';
import { startGroup, type ProcessGroup } from './process-group.ts';
import type { Shell } from './shell.ts';
import { exitOfEnclosed, MAX_REPORT_BYTES, readReport } from './shell-report.ts';

/** Bytes of what an enclosing program says when it could not begin. */
const MAX_REASON_BYTES = 500;

export interface HelperParts {
  readonly pipes: PipePool;
  readonly shell: Shell;
  /** A descriptor of an empty file in the helper's private directory: who inherits it is found by it, should the helper die. */
  readonly mark: number;
  readonly graceMs: number;
  readonly send: SendReport;
  /** Fires when the service wants this order stopped. */
  readonly signal: AbortSignal;
  /** Fires when the service wants this order to have no time limit any more. */
  readonly untimed: AbortSignal;
}

/** @throws Error when the command could not be started, or its output not be kept. */
export async function runCommand(order: RunOrder, parts: HelperParts): Promise<CommandResult> {
  using output = await parts.pipes.take();
  using directory = await parts.pipes.take();
  if (parts.signal.aborted) return { exitCode: null, signal: null, stopped: 'aborted', outputBytes: 0, cwd: null };
  using file = outputFileAt(order.outputFile);
  try {
    const group = await startShell(order, parts, { output, directory });
    return await follow({ order, parts, file, group, output, directory });
  } catch (error) {
    file.remove();
    throw error;
  }
}

interface Pipes {
  readonly output: Pipe;
  readonly directory: Pipe;
}

async function startShell(order: RunOrder, parts: HelperParts, { output, directory }: Pipes): Promise<ProcessGroup> {
  const { graceMs, signal, untimed, shell } = parts;
  const { cwd, timeoutMs, enclosure } = order;
  // Both streams get the same pipe: what is printed first comes out first.
  const pipes = [output.writeEnd, output.writeEnd, directory.writeEnd] as const;
  const common = { cwd, timeoutMs, graceMs, signal, untimed };
  using bound = openPaths(enclosure?.bound ?? []);
  const group =
    enclosure === undefined
      ? await startGroup({ ...shell.invocation(order), ...common, outputs: pipes })
      : await startGroup({
          ...shell.enclosed(order, enclosure),
          ...common,
          outputs: [...pipes, shell.prelude, directory.writeEnd, ...bound.descriptors],
          encloses: true,
        });
  output.closeWriteEnd();
  directory.closeWriteEnd();
  return group;
}

interface Followed extends Pipes {
  readonly order: RunOrder;
  readonly parts: HelperParts;
  readonly file: OutputFile;
  readonly group: ProcessGroup;
}

async function follow({ order, parts, file, group, output, directory }: Followed): Promise<CommandResult> {
  const { id, maxOutputBytes } = order;
  parts.send({ type: 'started', id, pid: group.pid });
  const live = createLiveOutput((piece, sent) => parts.send({ type: 'output', id, ...piece }, sent));
  let outputBytes = 0;
  let failure: unknown;
  const failed = (error: unknown): void => {
    failure = error;
    group.stop('failed');
  };
  // What goes on in the background has a file from then on, which people are told of and may look into.
  const makeFile = (): void => {
    try {
      file.make();
    } catch (error) {
      failed(error);
    }
  };
  whenFired(parts.untimed, makeFile);
  const reader = readPipe(output.handOverReadEnd(), async (chunk) => {
    const kept = chunk.subarray(0, maxOutputBytes - outputBytes);
    try {
      if (failure === undefined && kept.length > 0) await file.append(kept);
    } catch (error) {
      failed(error);
    }
    outputBytes += kept.length;
    live.add(kept);
    if (kept.length < chunk.length) group.stop('output_limit');
  });

  const { stopped, ...exit } = await group.end(reader.ended);
  await reader.drain();
  live.finish();
  parts.untimed.removeEventListener('abort', makeFile);
  if (failure !== undefined || stopped === 'failed') {
    const end = stopped === 'failed' ? 'The command was killed' : 'The command has ended, but not all that it printed is known';
    throw new Error(`${end}: its output could not be written (${messageOf(failure)}).`);
  }
  const report = readReport(readAvailable(directory.readEnd, MAX_REPORT_BYTES));
  if (report.first !== null) await memberGone(report.first, group.pid);
  if (order.enclosure === undefined) return { ...exit, stopped, outputBytes, cwd: report.cwd };
  if (!report.started && stopped === null)
    throw notBegun(outputBytes === 0 ? '' : readFileSync(order.outputFile).toString('utf8', 0, MAX_REASON_BYTES));
  return { ...exitOfEnclosed(exit, report), stopped, outputBytes, cwd: report.cwd };
}

/** Nobody but the enclosing program can have printed anything before the line began. */
function notBegun(said: string): Error {
  return new Error(`The command did not run, because its sandbox could not be set up: ${said.trim() || 'no reason was given'}`);
}
