import { withoutSecrets } from '../../contract/index.ts';
import type { ServerSettings } from './server-settings.ts';

/** @returns a function that takes the values of a server's `env` and `headers` out of a text, should the server have repeated them */
export function withoutSecretsOf(settings: ServerSettings): (text: string) => string {
  const values = Object.values(settings.type === 'stdio' ? settings.env : settings.headers);
  // A text is often JSON, in which quotes and ends of lines are written differently.
  return withoutSecrets(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]));
}
