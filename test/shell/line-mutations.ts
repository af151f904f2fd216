// Lines that look like those which models write, bent in the ways that have fooled readers of shell lines.
import fc from 'fast-check';

/** Words that make a reading program write or run something, and spellings of them. */
const BAITS = [
  '-o out',
  '-oout',
  '--output=out',
  '--outp=out',
  '--output out',
  '-i',
  '-i.bak',
  '--in-place',
  '-delete',
  '-exec ./evil ;',
  '-x ./evil',
  '--pre=./evil',
  '--compress-program=./evil -S1',
  '--checkpoint-action=exec=./evil --checkpoint=1',
  '-f evil.sed',
  '-e w\\ out',
  "-e 'w out'",
  "'1e ./evil'",
  'w out',
  '; ./evil',
  '&& ./evil',
  '| ./evil',
  '|xargs ./evil',
  '| tee out',
  '> out',
  '>out',
  '2>out',
  '&> out',
  '>| out',
  '>> a.txt',
  '<> out',
  '>&out',
  '$(./evil)',
  '`./evil`',
  '"$(./evil)"',
  '<(./evil)',
  '>(./evil)',
  '${x:=`./evil`}',
  '${x:-$(./evil)}',
  '$((a[$(./evil)]))',
  '\n./evil',
  '\n./evil #',
  '& ./evil',
  '-- out',
  'out',
  '*',
  './*',
  '-*',
  '{-o,out}',
  '-{o,n}out',
  "$'\\x2do' out",
  '{x},-delete}',
  '{x},-oout}',
  '"$\\\n(./evil)"',
  '<\\\n(./evil)',
  "$'p;#\\\nw out'",
  '$[a[$(./evil)]]',
  '${ ./evil; }',
  '-""o out',
  '-\\o out',
  '#',
  "'",
  '"',
  '\\',
  '(',
  ')',
  '{',
  '}',
  '<<EOF\n$(./evil)\nEOF',
  "<<'EOF'\n$(./evil)\nEOF",
  '!',
  '-d',
  '-w',
  '-c',
  '-t',
  '-n',
  '-s',
  '-C',
  '-T',
  '-r',
  '-u',
] as const;

const NOISE = [
  "''",
  '""',
  '\\\n',
  ' ',
  '\t',
  '\\',
  "'",
  '"',
  '$',
  '`',
  '\n',
  ';',
  '-',
  '#',
  '{',
  '}',
  '(',
  ')',
  '&',
  '|',
  '>',
  '<',
  '~',
  '*',
] as const;

type Mutation = (line: string) => string;

/** @param other a line whose words are mixed in */
function mutation(lines: fc.Arbitrary<string>): fc.Arbitrary<Mutation> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const insert =
    (piece: string, at: number): Mutation =>
    (line) => {
      const index = Math.floor(at * (line.length + 1));
      return line.slice(0, index) + piece + line.slice(index);
    };
  const insertWord =
    (word: string, at: number): Mutation =>
    (line) => {
      const words = line.split(' ');
      return words.toSpliced(1 + Math.floor(at * words.length), 0, word).join(' ');
    };
  const replaceWord =
    (change: (word: string) => string, at: number): Mutation =>
    (line) => {
      const words = line.split(' ');
      const index = Math.floor(at * words.length);
      return words.with(index < words.length ? index : 0, change(words[index] ?? '')).join(' ');
    };
  const splice =
    (other: string, at: number): Mutation =>
    (line) => {
      const [words, others] = [line.split(' '), other.split(' ')];
      return [...words.slice(0, Math.ceil(at * words.length)), ...others.slice(Math.floor(at * others.length))].join(' ');
    };
  const spellings: readonly ((word: string) => string)[] = [
    (word) => `'${word}'`,
    (word) => `"${word}"`,
    (word) => `$'${word}'`,
    (word) => `\\${word}`,
    (word) => `$(echo ${word})`,
    (word) => `"$(echo ${word})"`,
    (word) => `{${word},}`,
    (word) => `${word.slice(0, 2)}''${word.slice(2)}`,
    (word) => `${word.slice(0, 1)}\\\n${word.slice(1)}`,
  ];
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...BAITS), place).map(([word, at]) => insertWord(word, at)) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...NOISE), place).map(([piece, at]) => insert(piece, at)) },
    { weight: 2, arbitrary: fc.tuple(lines, place).map(([other, at]) => splice(other, at)) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...spellings), place).map(([change, at]) => replaceWord(change, at)) },
  );
}

/** Lines of the corpus, each changed one to three times. */
export function mutatedLines(corpus: readonly string[]): fc.Arbitrary<string> {
  const lines = fc.constantFrom(...corpus);
  return fc
    .tuple(lines, fc.array(mutation(lines), { minLength: 1, maxLength: 3 }))
    .map(([line, mutations]) => mutations.reduce((changed, mutate) => mutate(changed), line));
}
