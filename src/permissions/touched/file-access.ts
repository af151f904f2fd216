// What a program does with the files that its words name. One that is not known may change them.
import type { CommandWord } from '../../contract/index.ts';

/** `either`: it may write, and nobody here knows. */
export type Access = 'read' | 'write' | 'either';

/** Every word may be what they change. */
const WRITERS = new Set(
  [
    'rm rmdir unlink shred mv tee touch truncate fallocate dd chmod chown chgrp mkdir mkfifo mknod patch ed ex vi vim nano sponge uniq',
    'gzip gunzip bzip2 bunzip2 xz unxz zstd unzip zip tar sqlite3 setfacl chattr script objcopy strip rimraf',
  ].flatMap((names) => names.split(' ')),
);
/** They read what they are given: scripts, tests, texts. */
const READERS = new Set(
  [
    'sh bash dash ash zsh ksh fish node nodejs tsx ts-node python python2 python3 php lua pytest vitest jest mocha',
    'cat head tail tac nl grep egrep fgrep zgrep rg ag wc diff cmp comm cut ls stat file du df od hexdump strings jq tr fold paste join',
    'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum basename dirname realpath readlink test [ cd pushd source .',
    'awk gawk mawk nawk sed perl ruby sort xargs find fd fdfind',
  ].flatMap((names) => names.split(' ')),
);
/** The last word is what they change. */
const COPIERS = new Set(['cp', 'install', 'ln', 'rsync', 'scp']);
/** They change the files they name with such an option. Long options may be cut short. */
const WRITING_OPTIONS: Readonly<Record<string, RegExp>> = {
  cp: /^(-[a-zA-Z]*t|--t)/,
  install: /^(-[a-zA-Z]*t|--t)/,
  ln: /^(-[a-zA-Z]*t|--t)/,
  sed: /^(-[a-zA-Z]*i|--i)/,
  perl: /^-[a-zA-Z]*i/,
  ruby: /^-[a-zA-Z]*i/,
  sort: /^(-[a-zA-Z]*o|--o)/,
  shuf: /^(-[a-zA-Z]*o|--o)/,
  iconv: /^(-[a-zA-Z]*o|--o)/,
  curl: /^(-[a-zA-Z#]*[oO]|--(o|remote-n))/,
  wget: /^(-[a-zA-Z]*[oOa]|--(o|a))/,
  find: /^-(delete$|f(print|ls))/,
  git: /^(rm|mv|checkout|restore|clean|apply|am|stash|reset|switch)$|^--ou/,
  awk: /^(-i|--include)/,
};
/** What git does that changes none of the files it names. */
const GIT_READS =
  /^(add|blame|branch|cat-file|commit|describe|diff|fetch|grep|log|ls-files|ls-tree|merge|merge-base|pull|push|rebase|reflog|remote|rev-list|rev-parse|shortlog|show|status|tag)$/;

/** @returns what each word of the program behind its name is to it */
export function accessOf(name: string, words: readonly CommandWord[]): (index: number) => Access {
  const has = (option: RegExp): boolean => words.some(({ value }) => value !== null && option.test(value));
  const option = Object.hasOwn(WRITING_OPTIONS, name) ? WRITING_OPTIONS[name] : undefined;
  if (WRITERS.has(name) || (option !== undefined && has(option))) return () => 'write';
  if (COPIERS.has(name)) return copierAccess(name, words);
  const reads = name === 'git' ? has(GIT_READS) && !has(/^(-o|-f|--fi)/) : READERS.has(name);
  return () => (reads ? 'read' : 'either');
}

function copierAccess(name: string, words: readonly CommandWord[]): (index: number) => Access {
  const last = words.findLastIndex(({ value }) => value === null || !value.startsWith('-'));
  // What stands behind an option may be its value: then another word is what is written.
  const unsure = words[last - 1]?.value?.startsWith('-') === true;
  // What has two names is changed under either.
  const links = name === 'ln' || words.some(({ value }) => value !== null && /^(-[a-zA-Z]*[ls]|--(l|sy))/.test(value));
  return (index) => {
    if (unsure || index === last) return 'write';
    return links && name !== 'rsync' && name !== 'scp' ? 'either' : 'read';
  };
}
