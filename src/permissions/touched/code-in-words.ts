// Text that a program gets in its words and runs as commands; `null` for what it runs and no word holds in full. Rules that
// forbid look into it. What an interpreter such as python is given is not looked into: only a sandbox holds that.
import type { CommandWord } from '../../contract/index.ts';
import { isElusive } from './elusive.ts';
import { codeForGit } from './git-code.ts';
import { optionValues } from './option-values.ts';

export type Code = readonly (string | null)[];

/** Variables whose value programs run. */
const CODE_VARIABLE =
  /^(PS[04]|PROMPT_COMMAND|(MAN|GIT_|SYSTEMD_|BAT_)?PAGER|(GIT_|GIT_SEQUENCE_|SUDO_)?EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|(GIT_|SSH_|SUDO_)ASKPASS|(RSYNC|CVS)_RSH|GIT_(EXTERNAL_DIFF|SSH|SSH_COMMAND|PROXY_COMMAND|CONFIG_VALUE_\d+))$/;
/** Variables that lead to commands in a way that is not followed. */
const HIDING_VARIABLE = /^(GIT_CONFIG_PARAMETERS|TAR_OPTIONS|BASH_FUNC_.*)$/;

/** @param value `null` when only the shell knows it */
export function codeInAssignment(name: string, value: string | null): Code {
  if (HIDING_VARIABLE.test(name)) return [null];
  if (name === 'BASH_ENV' || name === 'ENV') return value === null || isElusive(value) ? [null] : [];
  return CODE_VARIABLE.test(name) ? [value?.replace(/^!/, '') ?? null] : [];
}

type CodeReader = (words: readonly CommandWord[]) => Code;

const sources: CodeReader = (words) => {
  const value = operandsOf(words)[0]?.value ?? null;
  return value === null || isElusive(value) ? [null] : [];
};
/** They run a text only behind such an option. */
const behind =
  (option: RegExp): CodeReader =>
  (words) =>
    words.some(({ value }) => value !== null && option.test(value)) ? [null, ...textsOf(words)] : [];
/** The value of these options; of an action of tar what it runs. */
const valueOf =
  (option: RegExp): CodeReader =>
  (words) =>
    optionValues(option, words).map((value) => value?.replace(/^exec=/, '') ?? null);
const assigns: CodeReader = (words) =>
  words.flatMap(({ value, written }) => {
    const [, name, text] = /^(\w+)=(.*)$/s.exec(value ?? written) ?? [];
    return name === undefined ? [] : codeInAssignment(name, value === null ? null : (text ?? null));
  });

const READERS: Readonly<Record<string, CodeReader>> = {
  eval: (words) => [words.some(({ value }) => value === null) ? null : textsOf(words).join(' ')],
  trap: (words) => (operandsOf(words).length === 0 ? [] : [operandsOf(words)[0]?.value ?? null]),
  alias: (words) => words.flatMap(({ value, written }) => (written.includes('=') ? [value?.replace(/^[^=]*=/, '') ?? null] : [])),
  source: sources,
  '.': sources,
  hash: behind(/^-[a-z]*p/),
  enable: behind(/^-[a-z]*f/),
  bind: behind(/^-[a-z]*x/),
  mapfile: behind(/^-[a-z]*C/),
  readarray: behind(/^-[a-z]*C/),
  compgen: behind(/^-[a-zA-Z]*[CFW]/),
  complete: behind(/^-[a-zA-Z]*[CFW]/),
  export: assigns,
  declare: assigns,
  typeset: assigns,
  local: assigns,
  readonly: assigns,
  env: (words) => [...assigns(words), ...splitByEnv(words)],
  git: codeForGit,
  split: valueOf(/^--fil[a-z]*/),
  sort: valueOf(/^--co[a-z-]*/),
  tar: valueOf(/^(-[IF]|--(to-c|use-c|rsh-|info-s|new-vol|checkpoint-a)[a-z-]*)/),
  rsync: valueOf(/^(-e|--(rsh|rsync-path))/),
  scp: valueOf(/^-[So]/),
  sftp: valueOf(/^-[So]/),
  rg: valueOf(/^--(pre(?!-)|hostname-bin)/),
  man: valueOf(/^(-[PH]|--(pager|html))/),
  zip: valueOf(/^(-TT|--unzip-command)/),
};

/** @param words those behind the name */
export function codeIn(name: string, words: readonly CommandWord[]): Code {
  return Object.hasOwn(READERS, name) ? (READERS[name]?.(words) ?? []) : [];
}

/** `env` splits the value of such an option into words of its own, nearly as a shell does. */
function splitByEnv(words: readonly CommandWord[]): Code {
  const at = words.findIndex(({ value }) => value !== null && /^(-[a-zA-Z0]*S|--s)/.test(value));
  const option = words[at]?.value;
  if (option === undefined || option === null) return [];
  const attached = option.startsWith('--') ? (/=(.*)$/s.exec(option)?.[1] ?? '') : option.slice(option.indexOf('S') + 1);
  const text = [attached, ...words.slice(at + 1).map(({ value }) => value ?? '"$X"')].join(' ');
  return [`env ${text}`, ...(/[\\$]/.test(attached) ? [null] : [])];
}

function operandsOf(words: readonly CommandWord[]): readonly CommandWord[] {
  const at = words.findIndex(({ value }) => value === null || !/^-./.test(value));
  return at === -1 ? [] : words.slice(at);
}

function textsOf(words: readonly CommandWord[]): readonly string[] {
  return words.flatMap(({ value }) => (value === null || value.startsWith('-') ? [] : [value]));
}
