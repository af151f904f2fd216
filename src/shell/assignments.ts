import type { Assignment } from 'unbash';
import { literalText } from './arguments.ts';
import { isHarmlessWord } from './expansions.ts';
import type { Scope } from './scope.ts';

/** Names that neither the shell nor a program gives a meaning: those are in capitals, but for a few. */
const PLAIN_NAME = /^(?!histchars$|auto_resume$|npm_|.*_proxy$)[a-z][a-z0-9_]*$/;
/** Variables that only change how a program's output looks, with values that name no file. */
const OF_APPEARANCE = /^(NO_COLOR|FORCE_COLOR|CLICOLOR|TERM|COLUMNS|LANGUAGE|CI)$/;
const OF_LOCALE = /^(LANG|LC_[A-Z]+)$/;
const PLAIN_VALUE = /^[\w.:,@+-]*$/;
/** Other character sets could make a backslash the half of a character. */
const LOCALE = /^(|C|POSIX|en_US|(C|[a-z]{2,3}_[A-Z]{2})\.(UTF-8|utf8))$/;
const TIME_ZONE = /^[A-Za-z][\w+-]*(\/[A-Za-z][\w+-]*)*$/;

/** Whether a script may set this variable and still only read: `PATH`, for one, decides what runs next. */
export function isPlainVariable(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** Whether a command may be given this variable with this value. */
export function isHarmlessVariable(name: string, value: string): boolean {
  if (name === 'TZ') return TIME_ZONE.test(value);
  if (OF_LOCALE.test(name)) return LOCALE.test(value);
  return OF_APPEARANCE.test(name) && PLAIN_VALUE.test(value);
}

/** Whether an assignment in front of a command is harmless. `read` alone looks at `IFS`. */
export function isHarmlessPrefix({ name, value, append, index }: Assignment, program: string): boolean {
  const text = value.type === 'Word' ? literalText(value) : null;
  if (text === null || append === true || index !== undefined) return false;
  return (name === 'IFS' && program === 'read') || isHarmlessVariable(name, text);
}

/** Whether an assignment that stands alone only gives a variable of the script a value. */
export function isPlainAssignment({ name, value, index }: Assignment, scope: Scope): boolean {
  return isPlainVariable(name) && index === undefined && value.type === 'Word' && isHarmlessWord(value, scope);
}
