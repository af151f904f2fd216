// What ripgrep says of a pattern, in the words of this tool: its own options and its wrapping of the pattern are not the model's.

/** Characters of a pattern that are shown with the place where it breaks. */
const MAX_SHOWN = 200;

/** Each stands at the start of a line, where no pattern that is quoted can. */
const KNOWN: readonly (readonly [said: RegExp, explanation: string])[] = [
  [/^rg: the literal .* is not allowed in a regex/m, 'The pattern has a line end in it: set multiline to true to match across lines.'],
  [/^error: look-around/m, 'Look-around is not supported: write the pattern without (?=…), (?!…), (?<=…) and (?<!…).'],
  [/^error: backreferences/m, String.raw`Back-references such as \1 are not supported: write out what they stand for.`],
  [/^rg: .*exceeds size limit/m, 'The pattern is too large: use smaller repetitions, or a simpler pattern.'],
];

/** What to write for a character that was meant as itself. */
const LITERAL: readonly (readonly [fault: RegExp, advice: string])[] = [
  [/^un(closed|opened) group/, String.raw`Write \( or \) for the bracket itself.`],
  [/^unclosed character class/, String.raw`Write \[ for the bracket itself.`],
  [/^repetition quantifier|^unclosed counted repetition/, String.raw`Write \{ for the brace itself.`],
  [/^repetition operator missing/, String.raw`Write \*, \+ or \? for the character itself.`],
  [/^unrecognized escape/, String.raw`Write \\ for a backslash itself.`],
];

/** @param stderr of a search that could not be made; `null` when it tells of nothing known */
export function explainPattern(stderr: string): string | null {
  const known = KNOWN.find(([said]) => said.test(stderr));
  if (known) return known[1];
  const [, type] = /^rg: unrecognized file type: (.*)/m.exec(stderr) ?? [];
  if (type !== undefined) return `The type ${type} is not known: give one that ripgrep has, such as js, py or rust, or use glob instead.`;
  const [, fault] = /^rg: regex parse error:[^]*?^error: (.*)/m.exec(stderr) ?? [];
  if (fault === undefined) return null;
  const advice = LITERAL.find(([pattern]) => pattern.test(fault))?.[1];
  return [`The pattern cannot be used: ${fault}.${advice === undefined ? '' : ` ${advice}`}`, ...placeOf(stderr)].join('\n');
}

/** The pattern as the model wrote it, and under it where it breaks. */
function placeOf(stderr: string): string[] {
  const [, wrapped, spaces, carets] = /regex parse error:\n {4}\(\?:(.*)\)\n {4}( *)(\^+)\n/.exec(stderr) ?? [];
  if (wrapped === undefined || spaces === undefined || wrapped.length > MAX_SHOWN) return [];
  const at = spaces.length - '(?:'.length;
  // The place of a bracket that closes the wrapping says nothing about the pattern.
  return at < 0 || at >= wrapped.length ? [`    ${wrapped}`] : [`    ${wrapped}`, `    ${' '.repeat(at)}${carets}`];
}
