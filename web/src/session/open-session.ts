// The session whose page is open, for the parts of the page that are not below it.
import { computed, signal } from '@preact/signals';
import type { LiveSession } from './live-session.ts';

export const openSession = signal<LiveSession | null>(null);

/** What people know it by; absent until that is known. */
export const openName = computed(() => {
  const session = openSession.value;
  return session !== null && session.version.value >= 0 ? session.model.name : undefined;
});
