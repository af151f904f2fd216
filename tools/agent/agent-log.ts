// What an agent says and does, as lines that people and models can read. Kept in memory until there is a file for it.
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { AgentProgress } from '../../src/contract/index.ts';
import { lineOf } from './told-event.ts';

/** Characters that are kept of one agent. */
const MAX_CHARS = 8 * 1024 * 1024;
const FULL = '\n[More than this is not kept.]\n';

export class AgentLog {
  #held = '';
  #chars = 0;
  #atLineStart = true;
  #file: WriteStream | undefined;

  note(data: AgentProgress): void {
    if (data.kind === 'agent_text') this.#write(data.text);
    else if (data.kind === 'agent') this.line(`session ${data.session_id}`);
    else {
      const line = lineOf(data.event);
      if (line !== undefined) this.line(line);
    }
  }

  line(text: string): void {
    this.#write(`${this.#atLineStart ? '' : '\n'}[${text}]\n`);
  }

  /** From now on all goes to this file, what was held back first. */
  open(path: string): void {
    this.#file = createWriteStream(path, { flags: 'a', mode: 0o600 });
    this.#file.on('error', () => {
      // What cannot be written is lost; the agent's work does not hang on it.
    });
    this.#file.write(this.#held);
    this.#held = '';
  }

  /** Resolves when all that was noted lies in the file. Never throws. */
  async close(): Promise<void> {
    if (this.#file === undefined) return;
    this.#file.end();
    await finished(this.#file).catch(() => {});
  }

  #write(text: string): void {
    if (this.#chars > MAX_CHARS || text === '') return;
    this.#chars += text.length;
    const kept = this.#chars > MAX_CHARS ? FULL : text;
    this.#atLineStart = kept.endsWith('\n');
    if (this.#file === undefined) this.#held += kept;
    else this.#file.write(kept);
  }
}
