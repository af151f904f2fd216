import { untilAborted, type TeamInbox } from '../contract/index.ts';

const MAX_MESSAGES = 100;
const MAX_CHARS = 200_000;

/** Messages that wait for one member of a team. */
export class Inbox implements TeamInbox {
  #messages: string[] = [];
  #chars = 0;
  #closed = false;
  readonly #waiting = new Set<() => void>();

  /** Whether one more of this length fits. */
  hasRoomFor({ length }: string): boolean {
    return this.#messages.length < MAX_MESSAGES && this.#chars + length <= MAX_CHARS;
  }

  put(message: string): void {
    this.#messages.push(message);
    this.#chars += message.length;
    this.#wake();
  }

  take(): readonly string[] {
    const taken = this.#messages;
    this.#messages = [];
    this.#chars = 0;
    return taken;
  }

  async wait(signal: AbortSignal): Promise<boolean> {
    if (this.#messages.length === 0 && !this.#closed && !signal.aborted) await this.#next(signal);
    return this.#messages.length > 0 && !this.#closed && !signal.aborted;
  }

  async #next(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await untilAborted(promise, signal);
    this.#waiting.delete(resolve);
  }

  /** Its owner is no member any more. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
