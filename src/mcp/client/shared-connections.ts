// Connections that several sessions of one owner use: only those to servers that remember nothing of who asks.
import type { Connection } from './connection.ts';

interface Shared {
  readonly connection: Connection;
  users: number;
}

export interface SharedConnections {
  /** One that is open under this key: whoever takes it lets it go once. */
  take(key: string): Connection | undefined;
  /** Offers a new one to others, its first user being who offers it. Where there is one already, or it may not be shared, it stays private. */
  offer(key: string, connection: Connection): void;
  /** Closes it when nobody else uses it. */
  letGo(connection: Connection): Promise<void>;
}

export function createSharedConnections(): SharedConnections {
  const open = new Map<string, Shared>();

  function forget(connection: Connection): void {
    for (const [key, shared] of open) if (shared.connection === connection) open.delete(key);
  }

  return {
    take(key) {
      const shared = open.get(key);
      if (shared !== undefined) shared.users += 1;
      return shared?.connection;
    },
    offer(key, connection) {
      if (connection.stateful || open.has(key)) return;
      open.set(key, { connection, users: 1 });
      connection.onEnd(() => forget(connection));
    },
    async letGo(connection) {
      const shared = [...open.values()].find((each) => each.connection === connection);
      if (shared !== undefined) shared.users -= 1;
      if (shared !== undefined && shared.users > 0) return;
      forget(connection);
      await connection.close();
    },
  };
}
