import { Problem, type Lease, type Leases } from '../../contract/index.ts';

/** @throws Problem `session-elsewhere`, `store-unavailable` */
export async function takeLease(leases: Leases, id: string): Promise<Lease> {
  const lease = await leases.acquire(id);
  if (lease !== null) return lease;
  const detail = `Another node of the cluster works on session ${id}: try again in a moment.`;
  throw new Problem('session-elsewhere', detail, { retryAfterSeconds: 1 });
}

/** True of what {@link takeLease} throws where another node has the session. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof Problem && error.code === 'session-elsewhere';
}
