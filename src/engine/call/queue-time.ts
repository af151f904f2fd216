import type { CommandRunner } from '../../contract/index.ts';

/** How long a call that runs was kept waiting for places of its commands: time of the queue, not of the call. */
export interface Waits {
  ms: number;
}

/** The runner of one call that begins now. What it runs in the background is waited for by nobody. */
export function notingWaits(commands: CommandRunner, waits: Waits): CommandRunner {
  let known = performance.now();
  const onWaited = (ms: number): void => {
    const now = performance.now();
    // Commands that wait side by side keep their call waiting once.
    waits.ms += Math.min(ms, now - known);
    known = now;
  };
  return {
    ...commands,
    run: (request) => commands.run(request.background === true ? request : { ...request, onWaited }),
    exec: (request) => commands.exec({ ...request, onWaited }),
  };
}
