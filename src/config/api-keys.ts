// Who may use the service: names and keys, from a variable or a file.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import { shownValue } from './parse-settings.ts';

export interface ApiKey {
  /** What is made with the key belongs to this name. */
  readonly name: string;
  /** SHA-256 of the key, which itself is not kept. */
  readonly digest: Buffer;
}

/** What a header can carry. */
const KEY_ENTRY = /^([^:]{1,100}):([\x21-\x7e]{8,1000})$/;

/** @throws ConfigError */
export function readKeys(setting: string): readonly ApiKey[] {
  const text = setting.startsWith('@') ? readKeyFile(setting.slice(1)) : setting;
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const keys = parts.map((part) => {
    const [, name, secret] = KEY_ENTRY.exec(part) ?? [];
    if (name === undefined || secret === undefined) {
      throw new ConfigError('TOOLEXEC_API_KEYS: each entry is name:key, with a key of at least 8 visible ASCII characters.');
    }
    return { name, digest: createHash('sha256').update(secret).digest() };
  });
  if (hasTwice(keys.map(({ name }) => name))) throw new ConfigError('TOOLEXEC_API_KEYS: two keys have the same name.');
  if (hasTwice(keys.map(({ digest }) => digest.toString('hex')))) throw new ConfigError('TOOLEXEC_API_KEYS: two names have the same key.');
  return keys;
}

/** @throws ConfigError for a name that no key has */
export function operatorKeys(names: readonly string[], keys: readonly ApiKey[]): readonly string[] {
  const unknown = names.find((name) => !keys.some((key) => key.name === name));
  if (unknown !== undefined)
    throw new ConfigError(`TOOLEXEC_OPERATOR_KEYS has ${shownValue(unknown)}, which is no name in TOOLEXEC_API_KEYS.`);
  return names;
}

function hasTwice(words: readonly string[]): boolean {
  return new Set(words).size < words.length;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(`TOOLEXEC_API_KEYS: the file ${path} could not be read.`);
  }
}
