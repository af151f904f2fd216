// Inside the helper: what the service is told of the start of a command waits a little, and is left out when the command has ended
// meanwhile: each message wakes the service, and most commands are over sooner than it would have looked.
import type { Report, SendReport } from '../messages.ts';

/** Milliseconds. Who runs beyond them is known to the service, should this process die. */
const MAX_WAIT_MS = 20;

/** @param post hands over what belongs together; `sent` is called when it has left this process (or never will) */
export function gatherReports(post: (reports: readonly Report[], sent?: () => void) => void): SendReport {
  const started = new Map<number, Report>();
  let timer: NodeJS.Timeout | undefined;

  function sendWith(reports: readonly Report[], sent?: () => void): void {
    clearTimeout(timer);
    timer = undefined;
    post([...started.values(), ...reports], sent);
    started.clear();
  }

  return (report, sent) => {
    if (report.type === 'started') {
      started.set(report.id, report);
      timer ??= setTimeout(() => sendWith([]), MAX_WAIT_MS);
      sent?.();
      return;
    }
    if (report.type !== 'output') started.delete(report.id);
    sendWith([report], sent);
  };
}
