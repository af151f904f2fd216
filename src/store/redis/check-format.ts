// How sessions lie in Redis has a number, so that no release writes among those of another that it cannot read.
import { FORMAT_KEY } from './keys.ts';
import type { Link } from './link.ts';

const FORMAT = '2';

/** Whoever comes first sets the number. @throws Error when the sessions in Redis were written by a release that keeps them differently */
export async function checkFormat(link: Link): Promise<void> {
  const set = await link.ask(FORMAT_KEY, (client, key) => client.set(key, FORMAT, { condition: 'NX' }));
  if (set !== null) return;
  const format = await link.ask(FORMAT_KEY, (client, key) => client.get(key));
  if (format !== FORMAT)
    throw new Error(
      `It holds sessions of another version of toolexec (form ${format}, not ${FORMAT}): use that version, or another database.`,
    );
}
