// Which calls of the client one socket is told of: each lies with one socket that runs such tools, or with all while none does.
import type { LogItem } from '../src/sessions/log-reader.ts';
import type { ClientRunner } from '../src/sessions/client-calls.ts';
import type { Session } from '../src/sessions/session.ts';

interface Named {
  readonly turn_id: string;
  readonly tool_use_id: string;
}

export class ClientCallGate implements ClientRunner {
  tools: ReadonlySet<string> = new Set();
  readonly #session: Session;
  readonly #send: (items: LogItem[]) => Promise<boolean>;
  /** Numbers of the calls' events that this socket was sent. */
  readonly #sent = new Set<number>();
  /** The last number that this socket was sent in the order of the log. */
  #through = 0;
  #waking: Promise<void> = Promise.resolve();

  /** @param send tells the socket */
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
  passes(item: LogItem): boolean {
    if (item.seq === null) return true;
    this.#through = item.seq;
    return item.type !== 'client_call' || this.#takes(item.seq, item.json);
  }

  #takes(seq: number, json: string): boolean {
    const { turn_id: turnId, tool_use_id: toolUseId } = JSON.parse(json) as Named;
    if (this.#sent.has(seq) || this.#session.clientCalls.isForOther(this, turnId, toolUseId)) return false;
    this.#sent.add(seq);
    return true;
  }

  wake(): void {
    this.#waking = this.#waking
      .then(() => this.#tell())
      .catch(() => {
        // A log that cannot be read ends the socket where it is read for all else.
      });
  }

  close(): void {
    this.#session.clientCalls.leave(this);
  }

  /** Sends what concerns the socket now and passed it by before. */
  async #tell(): Promise<void> {
    const { clientCalls, log } = this.#session;
    for (const turnId of clientCalls.turnIds) {
      const after = this.#session.openTurn(turnId)?.startSeq;
      if (after === undefined) continue;
      for await (const items of log.read({ after, follow: false, signal: new AbortController().signal })) {
        const open = items.filter(({ type, seq, json }) => {
          // What lies ahead comes in its order.
          if (type !== 'client_call' || seq === null || seq > this.#through) return false;
          const { turn_id, tool_use_id } = JSON.parse(json) as Named;
          return clientCalls.isFor(this, turn_id, tool_use_id) && this.#takes(seq, json);
        });
        if (open.length > 0 && !(await this.#send(open))) return;
      }
    }
  }
}
