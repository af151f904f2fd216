// A commit that an outage meets is tried again while its lease holds: what has run meanwhile is kept once Redis is back.
// Whether an attempt was written before its answer was lost is not known, so each attempt has the same id, and the script
// tells a repeat of the session's last commit. Nothing else is written to the session in between: commits follow one another,
// and whoever takes the session over has another epoch.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Commit } from '../../contract/index.ts';
import { commitStep } from './commit.ts';
import { isOutage } from '../outages.ts';
import type { Link } from './link.ts';

/** Milliseconds between two attempts, and up to half of that more, by chance. */
const PAUSE_MS = 200;
/** Milliseconds after which it is given up, for an outage in which leases can still be renewed: a Redis whose memory is full. */
const LONGEST_MS = 60_000;

let commits = 0;

/** @throws as `Store.commit` */
export async function commitInTime(link: Link, commit: Commit): Promise<void> {
  const { until, epoch } = commit;
  if (until === undefined || epoch === undefined) return commitStep(link, commit);
  const id = `${epoch}.${(commits += 1)}`;
  const since = performance.now();
  for (;;) {
    try {
      return await commitStep(link, commit, id);
    } catch (error) {
      if (!isOutage(error) || performance.now() - since > LONGEST_MS || !(await pause(until))) throw error;
    }
  }
}

/** @returns false when the lease is lost meanwhile */
async function pause(until: AbortSignal): Promise<boolean> {
  await sleep(PAUSE_MS * (1 + Math.random() / 2), undefined, { signal: until }).catch(() => {
    // It has fired, which is what the caller is told.
  });
  return !until.aborted;
}
