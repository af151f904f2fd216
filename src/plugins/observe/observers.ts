import type { Report } from '../../contract/index.ts';
import type { Onlooker, SessionObserver } from '../../sessions/session-parts.ts';

/**
 * Tells several onlookers, in this order. Of what has ended they are told once what the loop is at is done: a result does not
 * wait until its line is in the log. One that fails then is reported, and costs nothing else.
 */
export function observers(report: Report, ...all: readonly Onlooker[]): SessionObserver {
  const tellLater = (tell: (one: Onlooker) => void): void => process.nextTick(() => all.forEach((one) => told(one, tell, report)));
  return {
    turnQueued: (record, session) => all.forEach((one) => one.turnQueued?.(record, session)),
    turnResumed: (record, session) => all.forEach((one) => one.turnResumed?.(record, session)),
    turnStarted: (record, session) => all.forEach((one) => one.turnStarted?.(record, session)),
    callChanged: (event, record, session) => all.forEach((one) => one.callChanged?.(event, record, session)),
    callEnded: (call, record, session) => tellLater((one) => one.callEnded?.(call, record, session)),
    turnEnded: (record, session) => tellLater((one) => one.turnEnded?.(record, session)),
    turnLeft: (record, session) => tellLater((one) => one.turnLeft?.(record, session)),
  };
}

function told(onlooker: Onlooker, tell: (one: Onlooker) => void, report: Report): void {
  try {
    tell(onlooker);
  } catch (error) {
    report('one that looks on at turns failed', error);
  }
}
