import type { TurnRecord } from '../sessions/turn/turn-record.ts';
import { endTurn, turnBegun, type TurnSpans } from './turn-spans.ts';

/** The spans of turns that have not ended. */
export class OpenTurns {
  /** By their id. */
  readonly #turns = new Map<string, { readonly record: TurnRecord; readonly spans: TurnSpans }>();
  /** The one turn that runs in each session, by the session's id. */
  readonly #running = new Map<string, TurnSpans>();

  add(record: TurnRecord, spans: TurnSpans): void {
    this.#turns.set(record.id, { record, spans });
  }

  find(turnId: string): TurnSpans | undefined {
    return this.#turns.get(turnId)?.spans;
  }

  runningIn(sessionId: string): TurnSpans | undefined {
    return this.#running.get(sessionId);
  }

  begin(turnId: string): void {
    const spans = this.find(turnId);
    if (spans === undefined) return;
    this.#running.set(spans.sessionId, spans);
    turnBegun(spans);
  }

  end(record: TurnRecord, status: string): void {
    const spans = this.find(record.id);
    if (spans === undefined) return;
    this.#turns.delete(record.id);
    if (this.runningIn(spans.sessionId) === spans) this.#running.delete(spans.sessionId);
    endTurn(spans, record, status);
  }

  /** Whatever goes on goes on elsewhere or later. */
  leaveAll(): void {
    for (const { record } of this.#turns.values()) this.end(record, 'unfinished');
  }
}
