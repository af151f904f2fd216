// How long the event loop of a server could not turn.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks. */
const RESOLUTION_MS = 1;

/** Looks from `begin` to `longestMs`, so that it costs nothing at other times. */
export function loopWatch() {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  return {
    begin(): void {
      delays.reset();
      delays.enable();
    },
    /** The longest block since `begin`, in milliseconds. */
    longestMs(): number {
      delays.disable();
      return Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
    },
  };
}
