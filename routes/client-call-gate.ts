// Which calls of the client one socket is told of: each lies with one socket that runs such tools, or with all while none does.
import type { LogItem } from '../src/sessions/log/log-reader.ts';
import type { ClientRunner } from '../src/sessions/people/client-calls.ts';
import type { Session } from '../src/sessions/session.ts';

export class ClientCallGate implements ClientRunner {
  tools: ReadonlySet<string> = new Set();
  readonly #session: Session;
  readonly #send: (items: LogItem[]) => Promise<boolean>;
  /** Numbers of the calls' events that this socket was sent. */
  readonly #sent = new Set<number>();
  /** The last number that this socket was sent in the order of the log. */
  #through = 0;
  #telling = false;
  #due = false;
  #closed = false;

  /** @param send tells the socket; false when it has gone */
  constructor(session: Session, send: (items: LogItem[]) => Promise<boolean>) {
    this.#session = session;
    this.#send = send;
    session.clientCalls.join(this);
  }

  /** The socket is sent what comes after this number; what was before it has passed it by. */
  startAfter(seq: number): void {
    this.#through = Math.max(this.#through, seq);
  }

  subscribe(names: readonly string[]): void {
    this.tools = new Set(names);
    this.#session.clientCalls.subscribed(this);
  }

  /** True of what the socket is to be sent. */
  passes({ type, seq, json }: LogItem): boolean {
    if (seq === null) return true;
    this.#through = seq;
    if (type !== 'client_call') return true;
    const { turn_id: turnId, tool_use_id: toolUseId } = JSON.parse(json) as { turn_id: string; tool_use_id: string };
    if (this.#sent.has(seq) || this.#session.clientCalls.isForOther(this, turnId, toolUseId)) return false;
    this.#sent.add(seq);
    return true;
  }

  wake(): void {
    this.#due = true;
    if (!this.#telling) void this.#tell();
  }

  close(): void {
    this.#closed = true;
    this.#session.clientCalls.leave(this);
  }

  /** Sends what concerns the socket now and passed it by before; what lies ahead comes in its order. */
  async #tell(): Promise<void> {
    this.#telling = true;
    while (this.#due && !this.#closed) {
      this.#due = false;
      const items = [...this.#session.clientCalls.itemsFor(this)].filter(
        ({ seq }) => seq !== null && seq <= this.#through && !this.#sent.has(seq),
      );
      for (const { seq } of items) this.#sent.add(seq ?? 0);
      if (items.length > 0 && !(await this.#send(items))) break;
    }
    this.#telling = false;
  }
}
