import { z } from 'zod';

const domains = z
  .array(
    z
      .string()
      .max(253)
      .regex(/^[^\s/:@?#\\]+$/, 'give the name of a host alone, such as docs.example.com'),
  )
  .max(20)
  .optional();

export const searchInput = z.strictObject({
  query: z.string().trim().min(2).max(400).describe('What to search for, in the words that a page about it would use.'),
  allowed_domains: domains.describe('Only results from these hosts and those below them, such as ["docs.example.com"].'),
  blocked_domains: domains.describe('No results from these hosts and those below them. Not together with allowed_domains.'),
});
export type SearchInput = z.output<typeof searchInput>;
