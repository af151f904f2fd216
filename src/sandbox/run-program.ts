// Inside the helper: one program without a shell, its output captured in memory up to a limit.
import type { ProgramResult } from '../contract/index.ts';
import type { ExecOrder } from './messages.ts';
import type { Pipe } from './pipe-pool.ts';
import { readPipe, type PipeReader } from './pipe-reader.ts';
import { startGroup, type ProcessGroup } from './process-group.ts';
import type { HelperParts } from './run-command.ts';
import { incompleteTail } from './utf8.ts';

const MAX_ERROR_BYTES = 16_384;

/** @throws Error when the program could not be started. */
export async function runProgram(order: ExecOrder, parts: HelperParts): Promise<ProgramResult> {
  using output = await parts.pipes.take();
  using errors = await parts.pipes.take();
  if (parts.signal.aborted) return { exitCode: null, stdout: '', stderr: '', truncated: false, stopped: 'aborted' };
  const group = await start(order, parts, { output, errors });
  parts.send({ type: 'started', id: order.id, pid: group.pid });
  const stdout = capture(output.handOverReadEnd(), order.maxOutputBytes, () => group.stop('output_limit'));
  const stderr = capture(errors.handOverReadEnd(), MAX_ERROR_BYTES);
  const { exitCode, stopped } = await group.end(Promise.all([stdout.reader.ended, stderr.reader.ended]));
  await Promise.all([stdout.reader.drain(), stderr.reader.drain()]);
  return {
    exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.truncated(),
    stopped: stopped === 'timeout' || stopped === 'aborted' ? stopped : null,
  };
}

async function start(order: ExecOrder, parts: HelperParts, { output, errors }: { output: Pipe; errors: Pipe }): Promise<ProcessGroup> {
  const { file, args, cwd, env, timeoutMs } = order;
  const { graceMs, signal } = parts;
  const outputs = [output.writeEnd, errors.writeEnd] as const;
  const group = await startGroup({ file, args, cwd, env, outputs, timeoutMs, graceMs, signal });
  output.closeWriteEnd();
  errors.closeWriteEnd();
  return group;
}

interface Capture {
  readonly reader: PipeReader;
  text(): string;
  truncated(): boolean;
}

/** Keeps the first `limit` bytes; what comes after is read and dropped. */
function capture(readEnd: number, limit: number, onFull?: () => void): Capture {
  const chunks: Buffer[] = [];
  let kept = 0;
  let truncated = false;
  const reader = readPipe(readEnd, async (chunk) => {
    const part = Buffer.from(chunk.subarray(0, limit - kept));
    kept += part.length;
    if (part.length > 0) chunks.push(part);
    if (part.length === chunk.length) return;
    truncated = true;
    onFull?.();
  });
  return {
    reader,
    text: () => {
      const bytes = Buffer.concat(chunks);
      return bytes.toString('utf8', 0, bytes.length - (truncated ? incompleteTail(bytes) : 0));
    },
    truncated: () => truncated,
  };
}
