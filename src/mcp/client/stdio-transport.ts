// JSON-RPC over the streams of a program, one message a line. What a program prints that is no message is dropped; what is a
// broken one ends the connection, since an answer may have been lost with it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { endingOf, settlesWithin, type ServerProgram } from '../../contract/index.ts';
import { boundedLines } from './bounded-lines.ts';
import { cancelledId } from './cancelled-id.ts';

/** Lines after which others have a turn, so that a flood does not stop the service. */
const LINES_PER_TURN = 64;
/** Bytes in a row that are no message: such a program speaks something else. */
const MAX_STRAY_BYTES = 1024 ** 2;
/** Characters of a stray line that are told. */
const MAX_SHOWN = 200;

/** Milliseconds that a program which takes no input any more has to end: its end tells more. */
const ENDING_MS = 1_000;

/** The program has ended by itself. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
}

export interface StdioOptions {
  readonly open: () => Promise<ServerProgram>;
  readonly messageBytes: number;
  /** Told once a connection, of the first line that is no message. */
  readonly onStray: (line: string) => void;
}

type Snapshot = ReturnType<typeof AsyncLocalStorage.snapshot>;

export class StdioTransport implements Transport {
  // By these two the SDK tells that silence comes from an old server rather than from a broken network.
  readonly stderr = null;
  readonly pid = null;
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  readonly #options: StdioOptions;
  /** In what context each request was made: its answer is handled there. */
  readonly #contexts = new Map<string | number, Snapshot>();
  #strayTold = false;
  #program: ServerProgram | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const program = await this.#options.open();
    // A close that came while it started found nothing to end.
    if (this.#closed !== undefined) return program.kill();
    this.#program = program;
    void this.#listen(program);
    void program.exited.then((exit) => this.#end(new ProgramEnded(endingOf(exit, program.stderrTail()))));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const program = this.#program;
    if (this.#closed !== undefined || program === undefined) throw new Error('It has ended.');
    const { stdin } = program;
    if (stdin.writableLength > this.#options.messageBytes) throw new Error('It does not read its input.');
    if ('method' in message && 'id' in message) this.#contexts.set(message.id, AsyncLocalStorage.snapshot());
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) this.#contexts.delete(cancelled);
    const { promise: written, resolve } = Promise.withResolvers<boolean>();
    stdin.write(`${JSON.stringify(message)}\n`, (error) => resolve(!error));
    if (!(await written)) throw await whyUnread(program);
  }

  async close(): Promise<void> {
    await this.#end();
  }

  async #listen(program: ServerProgram): Promise<void> {
    let lines = 0;
    let stray = 0;
    try {
      for await (const line of boundedLines(program.stdout, this.#options.messageBytes)) {
        if (this.#closed !== undefined) return;
        const message = readMessage(line);
        if (message === null) {
          this.#tellStray(line);
          stray += line.length + 1;
          if (stray > MAX_STRAY_BYTES) throw new Error('It prints much that is no message: its standard output is for messages alone.');
        } else {
          stray = 0;
          this.#deliver(message);
        }
        lines += 1;
        if (lines % LINES_PER_TURN === 0) await setImmediate();
      }
    } catch (error) {
      // A pipe that breaks tells nothing that the end of the program does not tell better.
      if (isBrokenPipe(error)) return;
      await this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #tellStray(line: string): void {
    if (this.#strayTold || line === '') return;
    this.#strayTold = true;
    this.#options.onStray(line.slice(0, MAX_SHOWN));
  }

  #deliver(message: JSONRPCMessage): void {
    const id = 'method' in message ? undefined : message.id;
    const context = id === undefined ? undefined : this.#contexts.get(id);
    if (id !== undefined) this.#contexts.delete(id);
    if (context === undefined) this.onmessage?.(message);
    else context(() => this.onmessage?.(message));
  }

  /** Once: the first error is the reason. */
  #end(error?: Error): Promise<void> {
    this.#closed ??= this.#finish(error);
    return this.#closed;
  }

  async #finish(error: Error | undefined): Promise<void> {
    if (error !== undefined) this.onerror?.(error);
    this.#contexts.clear();
    this.onclose?.();
    await this.#program?.kill();
  }
}

/** `null` for what is no message. @throws Error for one that is broken */
function readMessage(line: string): JSONRPCMessage | null {
  if (!line.startsWith('{') || !line.includes('"jsonrpc"')) return null;
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch (error) {
    throw new Error('It sent a message that is no JSON-RPC.', { cause: error });
  }
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

async function whyUnread(program: ServerProgram): Promise<Error> {
  if (!(await settlesWithin(program.exited, ENDING_MS))) return new Error('It takes no input any more.');
  return new ProgramEnded(endingOf(await program.exited, program.stderrTail()));
}
