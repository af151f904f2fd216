import type { Store, Report } from '../contract/index.ts';
import { orphanedSessions } from '../sandbox/supervisor/orphaned-sessions.ts';
import type { SessionRegistry } from '../sessions/registry/registry.ts';
import { isElsewhere } from '../sessions/recovery/take-lease.ts';

interface TakingUp {
  readonly store: Pick<Store, 'session'>;
  readonly sessions: Pick<SessionRegistry, 'get'>;
  readonly report: Report;
}

/** Opens the sessions whose background commands outlived the process of the service before this one: they are taken up again with that. */
export async function takeUpOrphans({ store, sessions, report }: TakingUp): Promise<void> {
  for (const id of await orphanedSessions()) {
    try {
      const row = await store.session(id);
      if (row !== null) await sessions.get(row.owner, id);
    } catch (error) {
      // Their end is for the node that has the session now.
      if (!isElsewhere(error)) report(`commands of session ${id} that run on could not be taken up`, error);
    }
  }
}
