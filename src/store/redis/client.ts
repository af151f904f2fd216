import { createClient } from '@redis/client';

/** Commands that may be on their way at once: more than that is an outage, and a queue of it would only grow. */
const MOST_COMMANDS = 50_000;

export type Client = ReturnType<typeof newClient>;

/** A client for one connection, which is over once that breaks: whoever holds it makes the next one. */
export function newClient(url: string, connectTimeoutMs: number) {
  return createClient({
    url,
    name: 'toolexec',
    socket: { reconnectStrategy: false, connectTimeout: connectTimeoutMs },
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_COMMANDS,
    // Limits of the whole exchange are set by `Link.ask`: the client's own ends as soon as a command is sent.
    commandOptions: { timeout: 0 },
    maintNotifications: 'disabled',
    clientInfoTag: 'toolexec',
  });
}
