import type { Argument } from '../arguments.ts';
import { cannotBeOption, isOneWord } from '../options.ts';
import type { Judge, Programs } from './program.ts';

/** Tests and actions of `find` that only read, with the number of words that follow. */
const EXPRESSIONS: ReadonlyMap<string, number> = new Map([
  ...`( ) ! , -H -L -P -a -and -o -or -not -true -false -empty -depth -d -daystart -follow -mount -xdev -noleaf -ignore_readdir_race
  -noignore_readdir_race -warn -nowarn -executable -readable -writable -nouser -nogroup -prune -quit -print -print0 -ls`
    .split(/\s+/)
    .map((name): [string, number] => [name, 0]),
  ...`-D -regextype -maxdepth -mindepth -amin -anewer -atime -cmin -cnewer -ctime -mmin -mtime -newer -fstype -gid -group -uid -user
  -ilname -iname -inum -ipath -iregex -iwholename -links -lname -name -path -perm -regex -samefile -size -type -used
  -wholename -xtype -context -printf`
    .split(/\s+/)
    .map((name): [string, number] => [name, 1]),
]);

const FIND: Judge = (given) => {
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index];
    if (argument === undefined) break;
    const values = valuesAfter(argument);
    if (values === null || !given.slice(index + 1, index + 1 + values).every(isOneWord)) return false;
    index += values;
  }
  return true;
};

/** How many words belong to this one: 0 for a path; `null` when it may be more than a test. */
function valuesAfter(argument: Argument): number | null {
  if (argument.kind === 'literal') {
    const known = EXPRESSIONS.get(argument.text);
    if (known !== undefined) return known;
    if (/^-(newer[aBcm][aBcmt]|O[0-3])$/.test(argument.text)) return argument.text.startsWith('-O') ? 0 : 1;
    if (argument.text === '--help' || argument.text === '--version') return 0;
  }
  return cannotBeOption(argument) && !isOperator(argument) ? 0 : null;
}

function isOperator(argument: Argument): boolean {
  return 'prefix' in argument && /^[(),!]/.test(argument.prefix);
}

export const FIND_PROGRAMS: Programs = { find: FIND };
