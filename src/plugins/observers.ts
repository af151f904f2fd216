import type { SessionObserver } from '../sessions/session-parts.ts';

/** Tells several observers, in this order. */
export function observers(...all: readonly SessionObserver[]): SessionObserver {
  return {
    turnQueued: (record, session) => all.forEach((one) => one.turnQueued(record, session)),
    turnStarted: (record, session) => all.forEach((one) => one.turnStarted(record, session)),
    callChanged: (event, record, session) => all.forEach((one) => one.callChanged(event, record, session)),
    callEnded: (call, record, session) => all.forEach((one) => one.callEnded(call, record, session)),
    turnEnded: (record, session) => all.forEach((one) => one.turnEnded(record, session)),
    turnLeft: (record, session) => all.forEach((one) => one.turnLeft(record, session)),
  };
}
