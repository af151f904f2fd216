export const MAX_ARGUMENT_CHARS = 10_000;
/** A text that names its arguments often could grow far beyond what it is. */
const MAX_FILLED_CHARS = 200_000;
const PLACE = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;

/**
 * The text with the arguments in the places of `$ARGUMENTS` and `$1` to `$9`. Where it names none they stand below it.
 * Without arguments `$1` and its like stay as they are, for they may be sums of money.
 * @throws Error fit for a model when the result would be too long
 */
export function fillIn(text: string, args: string): string {
  if (args.trim() === '') return text.replaceAll(/\$ARGUMENTS\b/g, '');
  const words = Array.from(args.matchAll(WORD), ([, double, single, plain]) => double ?? single ?? plain ?? '');
  const value = (position: string | undefined): string => (position === undefined ? args : (words[Number(position) - 1] ?? ''));
  const places = [...text.matchAll(PLACE)];
  const length = places.reduce((sum, [place, position]) => sum + value(position).length - place.length, text.length);
  if (length > MAX_FILLED_CHARS)
    throw new Error(`The skill and its args make ${length} characters, too many to be read: give shorter args.`);
  if (places.length === 0) return `${text}\n\nArguments: ${args}`;
  return text.replaceAll(PLACE, (_place, position: string | undefined) => value(position));
}
