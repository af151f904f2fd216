import type { SessionObserver } from '../sessions/session-parts.ts';

/**
 * Tells several observers, in this order. Of what has ended they are told once what the loop is at is done: a result does not
 * wait until its line is in the log.
 */
export function observers(...all: readonly SessionObserver[]): SessionObserver {
  return {
    turnQueued: (record, session) => all.forEach((one) => one.turnQueued(record, session)),
    turnResumed: (record, session) => all.forEach((one) => one.turnResumed?.(record, session)),
    turnStarted: (record, session) => all.forEach((one) => one.turnStarted(record, session)),
    callChanged: (event, record, session) => all.forEach((one) => one.callChanged(event, record, session)),
    callEnded: (call, record, session) => process.nextTick(() => all.forEach((one) => one.callEnded(call, record, session))),
    turnEnded: (record, session) => process.nextTick(() => all.forEach((one) => one.turnEnded(record, session))),
    turnLeft: (record, session) => process.nextTick(() => all.forEach((one) => one.turnLeft(record, session))),
  };
}
