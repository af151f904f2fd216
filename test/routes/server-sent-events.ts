import type { Json } from '../support/server.ts';

/** The events in the text of a stream, in order; comments are passed over. */
export function parseEvents(text: string): Json[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json);
}
