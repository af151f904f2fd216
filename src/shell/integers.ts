import type { SyntaxNode, Script, Word } from 'unbash';
import { arithmeticTargets } from './arithmetic.ts';
import { walk } from './parse.ts';

const NAME = /^[a-z][a-z0-9_]*$/;
/** What of a script sets variables in ways that are not looked into. */
const SETTERS = new Set(['read', 'mapfile', 'readarray', 'getopts', 'printf', 'wait', 'select', 'coproc']);

/** The variables that a script sets, and never to anything but an integer. */
export function integerVariables(script: Script): ReadonlySet<string> {
  const integers = new Set<string>();
  const others = new Set<string>();
  walk(script, (node) => {
    for (const { name, integer } of settings(node)) (integer ? integers : others).add(name);
  });
  return new Set([...integers].filter((name) => !others.has(name)));
}

interface Setting {
  readonly name: string;
  readonly integer: boolean;
}

function settings(node: SyntaxNode): Setting[] {
  switch (node.type) {
    case 'Assignment':
      return [
        {
          name: node.name,
          integer: node.value.type === 'Word' && node.append !== true && node.index === undefined && isInteger(node.value),
        },
      ];
    case 'For':
      return [{ name: node.name.text, integer: node.wordlist?.every(isInteger) ?? false }];
    case 'ArithmeticFor':
      return [node.initialize, node.update].flatMap((part) => (part === undefined ? [] : integersOf(arithmeticTargets(part))));
    case 'ArithmeticCommand':
      return node.expression === undefined ? [] : integersOf(arithmeticTargets(node.expression));
    case 'Command':
      // A name among the words of such a command counts as set by it, whatever it is there for.
      return SETTERS.has(node.name?.value ?? '')
        ? node.args.map((word) => ({ name: word.type === 'Word' ? word.value : word.name, integer: false }))
        : [];
    default:
      return [];
  }
}

function integersOf(names: readonly string[]): Setting[] {
  return names.filter((name) => NAME.test(name)).map((name) => ({ name, integer: true }));
}

function isInteger({ parts, text }: Word): boolean {
  if (parts === undefined) return /^\d+$/.test(text);
  return (
    parts.length === 1 &&
    (parts[0]?.type === 'ArithmeticExpansion' || (parts[0]?.type === 'BraceExpansion' && /^\{\d+\.\.\d+\}$/.test(text)))
  );
}
