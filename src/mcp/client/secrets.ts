import type { ServerSettings } from './server-settings.ts';

/** Shorter ones are words that occur anyway. */
const MIN_LENGTH = 6;

/** @returns a function that takes the values of a server's `env` and `headers` out of a text, should the server have repeated them */
export function withoutSecretsOf(settings: ServerSettings): (text: string) => string {
  const values = Object.values(settings.type === 'stdio' ? settings.env : settings.headers);
  const secrets = values
    .flatMap((value) => [value, value.replace(/^(Bearer|Basic|Token) +/i, '')])
    .filter((value) => value.length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}
