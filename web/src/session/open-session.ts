// The session whose page is open, for the parts of the page that are not below it.
import { signal } from '@preact/signals';
import type { LiveSession } from './live-session.ts';

export const openSession = signal<LiveSession | null>(null);
