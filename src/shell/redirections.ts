import type { Redirect, Redirection } from 'unbash';
import { literalText, readArgument } from './arguments.ts';
import { isHarmlessPart, type JudgeScript } from './expansions.ts';

/** Whether a redirection writes nothing: to `/dev/null` or another descriptor, or from a file or a text. */
export function isReadingRedirection(redirection: Redirection, judge: JudgeScript): boolean {
  if (redirection.descriptor?.type === 'FileDescriptorVariable') return false;
  switch (redirection.type) {
    case 'HereString':
      return redirection.target !== undefined && readArgument(redirection.target, judge) !== null;
    case 'HereDoc':
      if (redirection.closing === undefined || redirection.delimiter === undefined) return false;
      return redirection.delimiter.quoted || (redirection.body.parts ?? []).every((part) => isHarmlessPart(part, judge));
    case 'Redirect':
      return isReadingRedirect(redirection);
  }
}

function isReadingRedirect({ operator, target }: Redirect): boolean {
  const text = target === undefined ? null : literalText(target);
  if (text === null) return false;
  if (operator === '<&' || operator === '>&') return /^(\d+-?|-)$/.test(text);
  if (operator !== '<') return text === '/dev/null';
  // Bash itself connects to the network for these names; a `~` stands for a text that is not known here.
  return text !== '' && !/^(~|\/dev\/(tcp|udp)\/)/.test(text);
}
