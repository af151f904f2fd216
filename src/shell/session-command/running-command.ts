// A command that runs while its output is passed on.
import {
  livePieces,
  whenFired,
  type CallContext,
  type CommandRequest,
  type CommandResult,
  type ToolEmission,
} from '../../contract/index.ts';

/** All of a command but where its output goes, and what ends it. */
export type Line = Omit<CommandRequest, 'outputFile' | 'signal' | 'untimed' | 'onOutput'>;

type Controls = Pick<CommandRequest, 'signal' | 'untimed' | 'onOutput'>;

/** Starts a command of a call, or takes up again what the call had started before the service died. */
export type Begin = (controls: Controls, context: CallContext) => Promise<CommandResult>;

export function beginLine(line: Line): Begin {
  return (controls, { commands, outputFile }) => commands.run({ ...line, outputFile, ...controls });
}

/** Rejects with LostCommandError when nobody can tell what became of it. */
export const takeUp: Begin = (controls, { commands, outputFile }) => commands.reattach(outputFile, controls);

/** Pieces that wait for a reader that is slower than the command; that the oldest are dropped their offsets show. */
const MAX_WAITING = 16;

/** Output past this kills a command, in bytes. */
export const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;

/** What is the same for every command that a call runs: whether a yes to it was given. */
export function callFacts({ decision, state }: CallContext): { readonly approved: boolean } {
  // What is protected is asked for, unless nothing is: a yes to the command is one to that.
  return { approved: decision.decided_by === 'approval' || state.mode === 'bypassPermissions' };
}

export interface CommandProgress {
  readonly kind: 'output';
  readonly stream: 'stdout';
  /** Bytes that were printed before. */
  readonly offset: number;
  readonly text: string;
}

export interface RunningCommand {
  /** How it ended. Nobody has to await it. Rejects when it could not be started at all. */
  readonly result: Promise<CommandResult>;
  /** What it prints, until it has ended or was released. One reader. */
  readonly progress: () => AsyncGenerator<ToolEmission<CommandProgress>, void, void>;
  readonly hasEnded: () => boolean;
  readonly kill: () => void;
  /** What stops the call does not stop the command any more, and nobody waits for what it prints. */
  readonly release: () => void;
  /** Kills it, and resolves when it has ended. */
  leave(): Promise<void>;
}

/** A command that ends with its call. @param untimed lifts its time limit when it fires */
export function startCommand(begin: Begin, context: CallContext, untimed?: AbortSignal): RunningCommand {
  const { signal } = context;
  const live = livePieces<Parameters<NonNullable<CommandRequest['onOutput']>>[0]>(MAX_WAITING);
  const killed = new AbortController();
  const kill = (): void => killed.abort();
  let ended = false;
  whenFired(signal, kill);
  const controls = { signal: killed.signal, ...(untimed !== undefined && { untimed }), onOutput: live.push };
  const result = begin(controls, context).finally(() => {
    ended = true;
    release();
  });
  result.catch(() => {
    // Awaited by the call or a task; until then an error must not count as one that nobody handles.
  });

  function release(): void {
    signal.removeEventListener('abort', kill);
    live.end();
  }

  return {
    result,
    async *progress() {
      for await (const { offset, text } of live.pieces()) {
        if (!signal.aborted) yield { type: 'progress', data: { kind: 'output', stream: 'stdout', offset, text } };
      }
    },
    hasEnded: () => ended,
    kill,
    release,
    async leave() {
      if (!ended) kill();
      await Promise.allSettled([result]);
    },
  };
}
