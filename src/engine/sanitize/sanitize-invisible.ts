// Takes out of a text what a reader does not see: terminal escapes, control, invisible and direction characters.

const ESC = '\u001B';
const BEL = '\u0007';
const CSI = '\u009B';
const OSC = '\u009D';
const ST = '\u009C';
/** Where the text of a terminal string cannot go on, so that one without an end costs only its own length. */
const NOT_IN_STRING = `${BEL}${ESC}\u0090\u0098${CSI}-\u009F\r\n`;
const ESCAPES = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
    `(?:${ESC}[\\]PX^_]|${OSC}(?=\\d+;))[^${NOT_IN_STRING}]*(?:${BEL}|${ESC}\\\\|${ST})`,
    `${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);

const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;

const JOINING = '[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Telugu}]';
/** Invisible characters that belong to what is seen: parts of emoji, and joins inside words of some scripts. */
const BELONGING = [
  '\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{3,6}\\u{E007F}',
  '(?<=\\p{ExtPict})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  '(?<=\\p{ExtPict}|\\p{EMod}|\\p{ExtPict}\\uFE0F)\\u200D(?=\\p{ExtPict})',
  `(?<=${JOINING})\\u200C(?=${JOINING})`,
].join('|');
const INVISIBLE = new RegExp(`(${BELONGING})|[\\p{DI}\\p{NChar}\\uFFF9-\\uFFFB]|[^\\P{Cc}\\t\\n]`, 'gu');

/** No script stacks more marks on one letter. */
const MARK_FLOOD = /(\p{M}{8})\p{M}+/gu;

/** Gives valid Unicode whose only control characters are tab and newline. Applied twice it is applied once. */
export function dropInvisible(text: string): string {
  return text.toWellFormed().replace(ESCAPES, '').replace(LINE_ENDS, '\n').replace(INVISIBLE, '$1').replace(MARK_FLOOD, '$1');
}
