/** A key that says by itself where it ends. */
const PLAIN_KEY = /^[\p{L}_$-][\p{L}\p{N}_$-]*$/u;

/** Writes a path as code does, such as `todos[0].activeForm`; the empty string stands for the whole. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!PLAIN_KEY.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
