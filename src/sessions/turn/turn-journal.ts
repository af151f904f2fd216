// A turn's way into the log: it does not wait for each append, and knows when what it has appended is kept.
import type { EngineEvent } from '../../contract/index.ts';
import type { SessionClientCalls } from '../people/client-calls.ts';
import type { AppendRequest, EventLog } from '../log/event-log.ts';
import type { LogItem } from '../log/log-reader.ts';

/** Progress that waits for what is on its way into the log: more is dropped, which happens while the store is away. */
const MOST_PROGRESS = 1_000;

/** Appends that overlap: the log keeps their order, so that those of one moment share one transaction. */
export class Journal {
  readonly #log: EventLog;
  readonly #clientCalls: Pick<SessionClientCalls, 'told'>;
  #last: Promise<unknown> = Promise.resolve();
  inFlight = 0;
  #lateProgress = 0;

  constructor(log: EventLog, clientCalls: Pick<SessionClientCalls, 'told'>) {
    this.#log = log;
    this.#clientCalls = clientCalls;
  }

  append(request: AppendRequest): void {
    this.inFlight += 1;
    const appended = this.#log.append(request);
    this.#last = appended;
    if (request.events.some(({ type }) => type === 'client_call')) this.#tellOf(appended);
    // A failure is thrown to whoever awaits `kept`: the log takes nothing after it, so the last append fails as well.
    this.whenKept(() => (this.inFlight -= 1));
  }

  /** Progress keeps its place: after what is still on its way into the log. */
  live(event: Extract<EngineEvent, { type: 'progress' }>, turnId: string): void {
    if (this.inFlight === 0) this.#log.live(event, turnId);
    else if (this.#lateProgress < MOST_PROGRESS) {
      this.#lateProgress += 1;
      this.whenKept(() => {
        this.#lateProgress -= 1;
        this.#log.live(event, turnId);
      });
    }
  }

  /** Does something once everything appended so far is kept; never, when it cannot be. */
  whenKept(then: () => void): void {
    this.#last.then(then, () => {
      // Whoever awaits `kept` is told.
    });
  }

  /** Resolves when everything appended so far is kept. @throws Problem `store-unavailable` */
  async kept(): Promise<void> {
    await this.#last;
  }

  /** Sockets that come later are told of calls that lie with the client. */
  #tellOf(appended: Promise<readonly LogItem[]>): void {
    appended.then(
      (items) => this.#clientCalls.told(items.filter(({ type }) => type === 'client_call')),
      () => {
        // Whoever awaits `kept` is told.
      },
    );
  }
}
