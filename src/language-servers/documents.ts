// What a server takes for the text of files. Those that it was asked about are open in it, as they were then; one that has
// changed since is closed, so that the server reads the file itself.
import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { ServerConnection } from './server-connection.ts';
import { uriOf } from './uris.ts';

interface OpenDocument {
  readonly version: number;
  readonly digest: string;
  readonly stamp: string;
}

export interface DocumentText {
  /** Absolute real path. */
  readonly path: string;
  readonly text: string;
}

export interface DocumentsOptions {
  readonly connection: ServerConnection;
  readonly languageOf: (path: string) => string;
  /** How many are open at once; the one that was asked about longest ago is closed. */
  readonly max: number;
}

export class Documents {
  readonly #options: DocumentsOptions;
  readonly #open: LRUCache<string, OpenDocument>;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#open = new LRUCache({
      max: options.max,
      dispose: (_document, path, reason) => {
        if (reason !== 'set') options.connection.notify('textDocument/didClose', { textDocument: { uri: uriOf(path) } });
      },
    });
  }

  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  close(path: string): void {
    this.#open.delete(path);
  }

  /** Makes the server see a file with this text, and all others as they are. @throws Error when the server has ended */
  async sync({ path, text }: DocumentText): Promise<void> {
    const others = [...this.#open.keys()].filter((other) => other !== path);
    const [stamp, ...stamps] = await Promise.all([path, ...others].map(stampOf));
    for (const [index, other] of others.entries()) this.#closeChanged(other, stamps[index]);
    const { connection, languageOf } = this.#options;
    const digest = hash('sha256', text);
    const known = this.#open.get(path);
    const version = (known?.version ?? 0) + 1;
    const uri = uriOf(path);
    this.#open.set(path, { version: known?.digest === digest ? known.version : version, digest, stamp: stamp ?? '' });
    if (known === undefined)
      connection.notify('textDocument/didOpen', { textDocument: { uri, languageId: languageOf(path), version, text } });
    else if (known.digest !== digest)
      connection.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
  }

  #closeChanged(path: string, stamp: string | undefined): void {
    const known = this.#open.peek(path);
    if (known === undefined || known.stamp === stamp) return;
    // Some servers keep a text that was that of the file when it was opened. This one never was.
    const textDocument = { uri: uriOf(path), version: known.version + 1 };
    this.#options.connection.notify('textDocument/didChange', { textDocument, contentChanges: [{ text: `\n${known.digest}` }] });
    this.close(path);
  }
}

/** Another one whenever the file is another. */
async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    return [mtimeMs, ctimeMs, size, ino].join(' ');
  } catch {
    // It is gone, which is another state as well.
    return 'gone';
  }
}
