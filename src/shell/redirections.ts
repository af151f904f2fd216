import type { Redirect, Redirection } from 'unbash';
import { literalText, readArgument } from './arguments.ts';
import { isHarmlessPart } from './expansions.ts';
import type { Scope } from './scope.ts';

/** Whether a redirection writes nothing: to `/dev/null` or another descriptor, or from a file or a text. */
export function isReadingRedirection(redirection: Redirection, scope: Scope): boolean {
  if (redirection.descriptor?.type === 'FileDescriptorVariable') return false;
  switch (redirection.type) {
    case 'HereString':
      return redirection.target !== undefined && readArgument(redirection.target, scope) !== null;
    case 'HereDoc':
      if (redirection.closing === undefined || redirection.delimiter === undefined) return false;
      return redirection.delimiter.quoted || (redirection.body.parts ?? []).every((part) => isHarmlessPart(part, scope));
    case 'Redirect':
      return isReadingRedirect(redirection, scope);
  }
}

function isReadingRedirect({ operator, target, descriptor }: Redirect, scope: Scope): boolean {
  if (target === undefined) return false;
  const only = target.parts?.length === 1 ? target.parts[0] : undefined;
  if (operator === '<' && only?.type === 'ProcessSubstitution') return readArgument(target, scope) !== null;
  const text = literalText(target);
  if (text === null) return false;
  // Standard output may be given only what the three standard descriptors are: others may lead elsewhere.
  if (operator === '<&' && (descriptor?.type !== 'FileDescriptor' || descriptor.value === 0)) return /^(\d+-?|-)$/.test(text);
  if (operator === '<&' || operator === '>&') return /^([012]-?|-)$/.test(text);
  // Not `/dev/stdout`: what is behind it may be a file, which would be opened again for writing.
  if (operator !== '<') return text === '/dev/null';
  // Bash itself connects to the network for these names; a `~` stands for a text that is not known here.
  return text !== '' && !/^(~|\/dev\/(tcp|udp)\/)/.test(text);
}
