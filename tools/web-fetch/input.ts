import { z } from 'zod';

export const fetchInput = z.strictObject({
  url: z.string().min(1).max(8_192).describe('Absolute URL of the page, beginning with https:// or http://.'),
  prompt: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe('What you want to know of the page, answered by a model that reads it for you. Leave it out to get the page itself.'),
});
export type FetchInput = z.output<typeof fetchInput>;

/** What is wrong with a URL as far as it can be seen without asking anyone; `null` when nothing is. */
export function urlFault(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return 'url is no absolute URL: give one such as https://example.com/page.';
  return /^https?:$/.test(url.protocol) ? null : 'url must begin with https:// or http://.';
}
