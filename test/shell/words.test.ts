// Whoever judges a line must read its words as bash does. So bash is asked.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { literalText } from '../../src/shell/arguments.ts';
import { parseShell } from '../../src/shell/parse.ts';

const SEED = 7;
const PIECES =
  String.raw`a|-|o|\|'|"|$'|$"|\x2d|\055|\u002d|\c|\0|\x{2d}|\E|\n|{|}|,|..|1|~|*|[|]|?|!|#|=|${'`'}|$|(|)|é|\xff|\\|\"|\'|+|@|^|%|:|/|&|;`
    .split('|')
    .concat('|', ' ', '\t', '\\\n', '\n', '{x},', '${', '$(');

/** The words of a line that calls `printf`, if every one of them is known; otherwise `null`. */
function knownWords(line: string): string[] | null {
  const statements = parseShell(line)?.commands ?? [];
  const [statement] = statements;
  const only = statement?.command;
  if (statements.length !== 1 || statement?.background === true || only?.type !== 'Command' || only.prefix.length > 0) return null;
  const words = only.suffix.map((word) => (word.type === 'Word' ? literalText(word) : null));
  const known = words.flatMap((word) => (word === null || /(^|[=:])~/.test(word) ? [] : [word]));
  return known.length === words.length && known.length > 1 ? known.slice(1) : null;
}

/** What bash makes of the words, in a shell that can neither write nor start anything. */
function wordsOfBash(lines: readonly string[]): string[][] {
  const script = `while IFS= read -r -d '' line; do (eval "$line") </dev/null; printf '\\1'; done`;
  const args = ['--restricted', '--norc', '--noprofile', '-c', script];
  const { stdout } = spawnSync('/bin/bash', args, {
    cwd: '/',
    input: lines.map((line) => `${line}\0`).join(''),
    env: { PATH: '/nonexistent', LANG: 'C.UTF-8' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .toString()
    .split('\u0001')
    .map((printed) => printed.split('\0').slice(0, -1));
}

test('a word that is known is the word that bash sees, however it is quoted', () => {
  const word = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
  const lines = fc.sample(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `printf '%s\\0' ${words.join(' ')}`),
    { seed: SEED, numRuns: 10_000 },
  );
  const known = lines.flatMap((line) => {
    const words = knownWords(line);
    return words === null ? [] : [{ line, words }];
  });
  assert.ok(known.length > 1_000, `${known.length}`);
  const seen = wordsOfBash(known.map(({ line }) => line));
  for (const [index, { line, words }] of known.entries()) assert.deepEqual(words, seen[index], line);
});
