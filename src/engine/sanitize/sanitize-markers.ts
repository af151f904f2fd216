// The markers by which models and their hosts tell who speaks, where a tool's call begins and where our own wrapper
// ends. One character of each is swapped for a visible one that is not it: nothing is taken away, so nothing can close
// up to a new marker.
import { foldLookalikes } from './sanitize-fold.ts';

interface Marker {
  /** Matches the one character to swap, and looks around it. */
  readonly find: RegExp;
  readonly put: string;
}

const ANGLE = '\u2039';
const ANGLE_CLOSE = '\u203A';
const SQUARE = '\u2045';

const TEXT_END = '(?![^])';
const LEAD = '\\s*(?:\\/\\s*)?';
const END = `\\s*(?:\\/\\s*)?(?:>|${TEXT_END})`;
/** `List<Parameter>` is a type, though `<Parameter>` alone is a tag. */
const NO_TYPE = '(?!(?<=[\\w$]<)[A-Z][a-z]+>)';
const ATTRIBUTE = '\\s+[\\w:.-]+\\s*=';

/** Names that are nothing but markers, in any case and form: open, closing, with attributes, cut off. */
const MARKER_NAMES = `(?:[\\w-]{1,20}:)?(?i:${[
  'system',
  'assistant',
  'tools',
  'tools?[_-](?:calls?|responses?|results?|use|use[_-]error|error|outputs?|code)',
  'function[_-](?:calls?|results?|responses?|outputs?)',
  'available[_-](?:tools|functions)',
  'invoke',
  'parameter',
  'think(?:ing)?',
  'system[_-](?:reminder|prompt|message|instructions?)',
  'command-(?:name|message|args)',
  '(?:bash|local-command)-(?:input|stdout|stderr|caveat)',
  'task-notification',
  'arg_(?:key|value)',
  '(?:start|end|begin)_of_(?:turn|utterance|role|text|sentence|image)',
  '(?:start|end)_function_(?:call|declaration|response)',
  'im_(?:start|end|sep|middle|system|user|assistant)',
  'endoftext|endofprompt|eot(?:_id)?|fim_(?:prefix|suffix|middle|pad)',
  'unused\\d{1,4}|extra_id_\\d{1,4}|ctrl\\d{1,4}',
].join('|')})`;

/** Names of roles that are also names of types and elements: bare tags, and lower-case ones with attributes. */
const ROLES = 'user|human|model|function|tool|developer';
const TYPES = 'User|Human|Model|Function|Tool|Developer';

const BARRED = '\\|[^\\s<>|\u2039\u203A]{1,100}\\|';
const HALF_BARRED = '\\|[A-Za-z_][\\w.:-]{0,63}>|\\/?[A-Za-z_][\\w.:-]{0,63}\\|>';
const SPACED_BARRED =
  '\\s*\\|\\s*(?i:im_\\w{1,20}|system|user|assistant|end|start|\\w{1,20}_(?:of_)?(?:text|turn|id|role|header|sentence))\\s*\\|\\s*>';

const SQUARE_NAMES = [
  'AVAILABLE_TOOLS',
  'TOOL_[A-Z_]{1,20}',
  'SYSTEM(?:_PROMPT)?',
  'USER',
  'ASSISTANT',
  'MODEL_SETTINGS',
  'THINK',
  'CALL_ID',
  'gMASK',
  'sMASK',
].join('|');

const SPEAKERS = 'Human|Assistant|HUMAN|ASSISTANT';
const HEADINGS = '(?:#+[ \\t]*[*_]{0,2}(?i:human|assistant|system|user|developer)|###[ \\t]*(?i:instructions?|response|input))';

function marker(pattern: string, put: string): Marker {
  return { find: new RegExp(pattern, 'gm'), put };
}

const angle = (ahead: string): Marker => marker(`<(?=${ahead})`, ANGLE);
const square = (ahead: string): Marker => marker(`\\[(?=${ahead})`, SQUARE);
const colonAfter = (behind: string): Marker => marker(`(?<=${behind}[*_]{0,2}[ \\t]*):`, '\u00B7');

const MARKERS: readonly Marker[] = [
  angle(`${NO_TYPE}\\/?${MARKER_NAMES}(?:[\\s/>=]|${TEXT_END})`),
  angle(`${NO_TYPE}${LEAD}${MARKER_NAMES}(?:${END}|${ATTRIBUTE})`),
  angle(`${LEAD}(?i:system|assistant)[\\s/>]`),
  angle(`${LEAD}(?![A-Z][a-z])(?i:${ROLES})${END}`),
  angle(`(?![A-Z][a-z]|model)(?i:${ROLES})${ATTRIBUTE}`),
  angle('(?i:function|tool)\\s*='),
  angle(`${NO_TYPE}${LEAD}(?:${TYPES})\\s*>`),
  angle(`${LEAD}(?i:antml)\\s*:`),
  angle('\\/?(?:s|bos|eos|pad|unk|sop|eop)>'),
  angle(`\\/?${BARRED}|${HALF_BARRED}|${SPACED_BARRED}`),
  angle('<\\s*(?:\\/\\s*)?(?i:SYS)\\s*>>'),
  square(`${LEAD}(?i:INST)[\\s\\]=:]`),
  square(`${LEAD}(?:${SQUARE_NAMES})\\s*\\]`),
  square('ARGS\\]\\s*\\{'),
  marker('(?<=\\])~(?=!?b[\\][])|(?<=\\[e)~(?=\\[)', '-'),
  marker('(?<=\\])<(?=\\]\\w{1,20}\\[>\\[)', ANGLE),
  angle('\\s*!\\s*\\[\\s*(?i:CDATA)\\s*\\['),
  marker('(?<=\\]\\])>', ANGLE_CLOSE),
  marker('(?<=``)`', "'"),
  // Compilers underline with tildes around a caret; such a line is no fence.
  marker('(?<=^(?:[^\\S\\n]|>)*~~)~(?![~ ]*\\^[~^ ]*$)', '-'),
  colonAfter(`^[ \\t>]*[*_]{0,2}(?:${SPEAKERS})`),
  colonAfter('\\n\\n[*_]{0,2}(?:System|User|SYSTEM|USER)'),
  colonAfter(`^[ \\t>]*${HEADINGS}`),
];

/** Breaks every marker, also those written in lookalike letters. The text keeps its number of characters. */
export function breakMarkers(text: string): string {
  const folded = foldLookalikes(text);
  // For each place of the text the number of the marker that is found there; 0 where none is.
  const found = new Uint8Array(text.length);
  let count = 0;
  for (const [number, { find }] of MARKERS.entries()) {
    for (const { index } of folded.text.matchAll(find)) {
      found[folded.origin(index)] = number + 1;
      count += 1;
    }
  }
  return count === 0 ? text : swapFound(text, found);
}

function swapFound(text: string, found: Uint8Array): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [index, number] of found.entries()) {
    if (number === 0) continue;
    pieces.push(text.slice(at, index), MARKERS[number - 1]?.put ?? '');
    at = index + String.fromCodePoint(text.codePointAt(index) ?? 0).length;
  }
  return pieces.join('') + text.slice(at);
}
