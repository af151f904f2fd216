// A stream a session. Its owner takes messages as a consumer named by its epoch, and takes one out only once it was handled:
// whatever a dead owner left is claimed by the next. Announcements say when to look.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, StaleEpochError, type Inbox, type InboxMessage } from '../../contract/index.ts';
import { isOutage } from './errors.ts';
import { sessionKeys } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';
import type { Announcements } from './wake-ups.ts';

/** Messages that may wait for one owner, and characters of one of them. */
const [MOST_MESSAGES, MOST_CHARS] = [1_000, 16 * 1024 * 1024];
/** Messages taken at once. */
const AT_ONCE = 16;
/** Milliseconds after which an inbox goes that nobody writes to. */
const STAYS_MS = 86_400_000;
/** How often a message is handed to an owner that then dies. */
const MOST_DELIVERIES = 5;
/** Milliseconds between attempts while the store is away. */
const PAUSE_MS = 500;

type Owner = Parameters<Inbox['receive']>[0];

export interface InboxOptions {
  readonly link: Link;
  readonly announcements: Announcements;
  readonly warn: (message: string) => void;
}

export function redisInbox(options: InboxOptions): Inbox {
  return {
    async send(sessionId, text) {
      if (text.length > MOST_CHARS) {
        throw new Problem(
          'payload-too-large',
          `A message to the owner of a session may have ${MOST_CHARS} characters; this one has ${text.length}.`,
        );
      }
      const { inbox, written } = sessionKeys(sessionId);
      if ((await options.link.run(SCRIPTS.inboxSend, [inbox], [text, MOST_MESSAGES, STAYS_MS, written])) !== null) return;
      throw new Problem('overloaded', 'Too many messages wait for the node that runs this session: try again later.', {
        retryAfterSeconds: 1,
      });
    },
    receive: (owner, handle, signal) => receiveAll(options, owner, { handle, signal }),
  };
}

async function receiveAll(
  { link, announcements, warn }: InboxOptions,
  owner: Owner,
  { handle, signal }: { handle: (message: InboxMessage) => Promise<void>; signal: AbortSignal },
): Promise<void> {
  const bell = newBell();
  const deafen = announcements.listen(sessionKeys(owner.sessionId).written, bell.ring);
  signal.addEventListener('abort', bell.ring);
  try {
    for (let takesOver = true; !signal.aborted;) {
      bell.mute();
      const { messages, givenUp } = await outlasting(signal, () => take(link, owner, takesOver));
      for (const id of givenUp) warn(`Message ${id} to session ${owner.sessionId} was given up: ${MOST_DELIVERIES} owners died with it.`);
      for (const message of messages) {
        if (signal.aborted) return;
        await handle(message);
        await outlasting(signal, () => link.run(SCRIPTS.inboxFinish, [sessionKeys(owner.sessionId).inbox], [message.id]));
      }
      takesOver &&= messages.length > 0;
      if (messages.length === 0) await bell.rung();
    }
  } catch (error) {
    // Whatever was not finished stays for the next owner.
    if (!(error instanceof Stopped)) throw error;
  } finally {
    deafen();
    signal.removeEventListener('abort', bell.ring);
  }
}

/** @throws StaleEpochError */
async function take(link: Link, { sessionId, epoch }: Owner, takesOver: boolean) {
  const { inbox, epoch: epochKey } = sessionKeys(sessionId);
  const taken = await link.run(SCRIPTS.inboxTake, [inbox, epochKey], [epoch, AT_ONCE, Number(takesOver), MOST_DELIVERIES]);
  if (taken === null) throw new StaleEpochError({ sessionId, epoch });
  const [messages, givenUp] = taken as [[id: string, text: string][], string[]];
  return { messages: messages.map(([id, text]): InboxMessage => ({ id, text })), givenUp };
}

/** The signal aborted while the store was away. */
class Stopped extends Error {}

/** Tries again for as long as the store is away. */
async function outlasting<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {
      throw new Stopped();
    });
  }
}

/** Rings stay until it is muted, so that one which comes in between is not missed. */
function newBell() {
  let next = Promise.withResolvers<void>();
  return {
    ring: (): void => next.resolve(),
    mute: (): void => {
      next = Promise.withResolvers<void>();
    },
    rung: (): Promise<void> => next.promise,
  };
}
