// The two ends of a program as the library for JSON-RPC wants them, with what it does not have: limits.
import { setImmediate } from 'node:timers/promises';
import type { Readable, Writable } from 'node:stream';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import { readMessages } from './read-messages.ts';

export interface ReaderOptions {
  readonly messageBytes: number;
  /** Told of each message before it is handled. @throws Error when there have been too many */
  readonly onMessage: (bytes: number) => void;
  /** Told once: nothing is read after it. */
  readonly onFault: (error: Error) => void;
}

export class ProgramReader extends AbstractMessageReader implements MessageReader {
  readonly #stdout: Readable;
  readonly #options: ReaderOptions;
  #stopped = false;

  constructor(stdout: Readable, options: ReaderOptions) {
    super();
    this.#stdout = stdout;
    this.#options = options;
  }

  listen(callback: DataCallback): Disposable {
    void this.#read(callback);
    return { dispose: () => this.#stop() };
  }

  override dispose(): void {
    this.#stop();
    super.dispose();
  }

  #stop(): void {
    this.#stopped = true;
  }

  async #read(callback: DataCallback): Promise<void> {
    try {
      for await (const { message, size } of readMessages(this.#stdout, this.#options.messageBytes)) {
        if (this.#stopped) return;
        this.#options.onMessage(size);
        callback(message);
        // The library handles one a turn: a flood then neither piles up nor keeps others from theirs.
        await setImmediate();
      }
    } catch (error) {
      // A pipe that breaks tells nothing that the end of the program does not tell better.
      if (!(error instanceof Error) || 'code' in error || this.#stopped) return;
      this.#options.onFault(error);
    }
  }
}

export interface WriterOptions {
  readonly messageBytes: number;
  readonly onFault: (error: Error) => void;
}

export class ProgramWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #stdin: Writable;
  readonly #options: WriterOptions;

  constructor(stdin: Writable, options: WriterOptions) {
    super();
    this.#stdin = stdin;
    this.#options = options;
  }

  async write(message: Message): Promise<void> {
    if (this.#stdin.writableLength > this.#options.messageBytes) {
      const fault = new Error('It does not read what it is sent.');
      this.#options.onFault(fault);
      throw fault;
    }
    const json = JSON.stringify(message);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`, (error) => (error ? reject(error) : resolve()));
    await promise;
  }

  end(): void {
    this.#stdin.end();
  }
}
