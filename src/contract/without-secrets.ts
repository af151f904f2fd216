/** Characters of a secret: shorter ones are words that occur anyway. */
const MIN_LENGTH = 6;

/**
 * Takes values that nobody is to see out of texts, should whoever was given them have repeated them.
 * @param values such as those of headers or environment variables; what follows `Bearer` and the like counts by itself too
 */
export function withoutSecrets(values: readonly string[]): (text: string) => string {
  const secrets = values
    .flatMap((value) => [value, value.replace(/^(Bearer|Basic|Token) +/i, '')])
    .filter((value) => value.length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}
