import type { Agent } from 'undici';
import type { Dial } from './connect.ts';
import type { Target } from './egress.ts';
import type { Guard } from './look-up.ts';

/** What the two ways through the proxy share. */
export interface Passage {
  readonly guard: Guard;
  readonly dial: Dial;
  /** For requests that are not tunnelled; it too connects past the guard only. */
  readonly agent: Agent;
  readonly idleMs: number;
  /** Why the list of domains does not let this through; `null` when it does. */
  refuse(target: Target): string | null;
}
