// Globs become regular expressions for ripgrep's linear-time engine. Its own `--glob` will not do: a glob there beats
// .gitignore, so that `**/*` would bring every ignored directory back.

const TOKEN = /\*\*\/|\*+|\?|\\.|\[[!^]?\]?[^\]]*\]|./gsu;
const ANY_BYTE = '(?s-u:.)';
const IN_SEGMENT = '(?-u:[^/])*';

/** What a glob is made of: wildcards, whole character classes, escaped and single characters. */
export function globTokens(glob: string): readonly string[] {
  return glob.match(TOKEN) ?? [];
}

/**
 * The pattern for a whole relative path, without a leading `./`. `*` and `?` stay within a segment, `**` spans them,
 * braces and character classes work, a backslash makes the next character literal.
 * @param glob one in which `globFault` finds nothing
 */
export function globRegex(glob: string): string {
  const tokens = globTokens(glob);
  let depth = 0;
  return tokens
    .map((token, index) => {
      if (token === '{') {
        depth += 1;
        return '(?:';
      }
      if (token === '}' && depth > 0) {
        depth -= 1;
        return ')';
      }
      if (token === ',' && depth > 0) return '|';
      return token.startsWith('*') ? stars(tokens, index) : translate(token);
    })
    .join('');
}

/** Two stars span segments only as a segment of their own. */
function stars(tokens: readonly string[], index: number): string {
  const token = tokens[index] ?? '';
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  const starts = before === undefined || before.endsWith('/') || before === '{' || before === ',';
  const ends = after === undefined || after === '}' || after === ',';
  if (token.endsWith('/')) return starts ? `(?:${ANY_BYTE}*/)?` : `${IN_SEGMENT}/`;
  return starts && ends && token.length > 1 ? `${ANY_BYTE}+` : IN_SEGMENT;
}

function translate(token: string): string {
  if (token === '?') return '[^/]';
  if (token.startsWith('\\') && token.length > 1) return literal(token.slice(1));
  if (token.startsWith('[') && token.length > 1) return characterClass(token.slice(1, -1));
  return literal(token);
}

function characterClass(body: string): string {
  const negated = /^[!^]/.test(body);
  const members = body.slice(negated ? 1 : 0).match(/.-.|./gsu) ?? [];
  const ranges = members.map((member) => member.replaceAll(/^.|.$/gsu, literal));
  return `[[${negated ? '^' : ''}${ranges.join('')}]&&[^/]]`;
}

function literal(char: string): string {
  return char.replaceAll(/[\\^$.|?*+()[\]{}&~-]/g, String.raw`\$&`);
}
