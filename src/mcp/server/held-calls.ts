// Calls whose people are being asked: each is held under a key that only the asked client knows, until it comes back
// with the answer.
import { randomUUID } from 'node:crypto';
import type { HostedCall } from './ports.ts';
import type { Told } from './progress.ts';

export interface HeldCall {
  readonly call: HostedCall;
  readonly approvalId: string;
  /** As it was asked. */
  readonly byTool: boolean;
  readonly told: Told;
}

interface Held extends HeldCall {
  readonly owner: string;
  readonly timer: NodeJS.Timeout;
}

export interface HoldLimits {
  /** Milliseconds for which a call is held: a client that does not come back cancels it. */
  readonly holdMs: number;
  /** Calls held for one owner. */
  readonly perOwner: number;
}

export class HeldCalls {
  readonly #held = new Map<string, Held>();
  readonly #limits: HoldLimits;

  constructor(limits: HoldLimits) {
    this.#limits = limits;
  }

  /** @returns the key; `null` when as many are held as may be */
  hold(owner: string, held: HeldCall): string | null {
    const count = [...this.#held.values()].filter((one) => one.owner === owner).length;
    if (count >= this.#limits.perOwner) return null;
    const key = randomUUID();
    const timer = setTimeout(() => this.cancel(key), this.#limits.holdMs);
    timer.unref();
    this.#held.set(key, { ...held, owner, timer });
    return key;
  }

  /** Takes a call back; `undefined` for whom it was not held for, or too late. */
  take(owner: string, key: string): HeldCall | undefined {
    const held = this.#held.get(key);
    if (held?.owner !== owner) return undefined;
    this.#drop(key, held);
    return held;
  }

  /** The client does not come back. */
  cancel(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#drop(key, held);
    held.call.cancel();
  }

  /** Forgets them all; their sessions end them. */
  close(): void {
    for (const [key, held] of this.#held) this.#drop(key, held);
  }

  #drop(key: string, { timer }: Held): void {
    clearTimeout(timer);
    this.#held.delete(key);
  }
}
