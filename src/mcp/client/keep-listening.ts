import { setTimeout } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';

export interface Listening {
  /** Milliseconds before the first attempt; each further one waits twice as long, up to `maxBackOffMs`. */
  readonly backOffMs: number;
  readonly maxBackOffMs: number;
  /** Fires when the connection has ended. */
  readonly signal: AbortSignal;
  /** Something may have changed while nobody listened. */
  readonly onGap: () => void;
}

/** Since 2026-07-28 changes come through a stream that the client opens, and opens again when it breaks off. Never throws. */
export async function keepListening(client: Client, { backOffMs, maxBackOffMs, signal, onGap }: Listening): Promise<void> {
  let subscription = client.autoOpenedSubscription;
  try {
    for (let waitMs = backOffMs; subscription !== undefined; waitMs = Math.min(waitMs * 2, maxBackOffMs)) {
      await subscription.closed;
      await setTimeout(waitMs, undefined, { signal });
      subscription = await client.listen(subscription.honoredFilter, { signal });
      onGap();
    }
  } catch {
    // The connection has ended, or the server offers no such stream any more: its tools stay as they are.
  }
}
