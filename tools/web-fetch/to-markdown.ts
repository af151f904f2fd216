import TurndownService from 'turndown';
import type { DomElement, DomNode } from './dom.ts';
import { tableRules } from './table-rules.ts';

/** A part of a cleaned page as Markdown. @throws RangeError when it nests deeper than the stack */
export function toMarkdown(part: DomNode): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    emDelimiter: '_',
  });
  // Names are read as they are spelt: a backslash in front of each underscore would be copied along.
  service.escape = (text) => text;
  service.addRule('struck', { filter: ['del', 's'], replacement: (content) => `~~${content}~~` });
  service.addRule('summary', { filter: 'summary', replacement: (content) => `\n\n${content}\n\n` });
  service.addRule('first heading', {
    filter: (node) => node.nodeName === 'H2' && node.getAttribute('data-level') === '1',
    replacement: (content) => `\n\n# ${content}\n\n`,
  });
  service.addRule('code block', { filter: 'pre', replacement: (_, node) => codeBlock(node) });
  service.addRule('link without text', { filter: (node) => node.nodeName === 'A' && isEmpty(node), replacement: () => '' });
  for (const [name, rule] of Object.entries(tableRules)) service.addRule(name, rule);
  return service.turndown(part).trim();
}

function isEmpty(link: DomElement): boolean {
  return link.textContent?.trim() === '' && link.querySelector('img') === null;
}

function codeBlock(pre: DomElement): string {
  for (const lineBreak of pre.querySelectorAll('br')) lineBreak.replaceWith('\n');
  const code = (pre.textContent ?? '').replace(/^\n/, '').trimEnd();
  if (code === '') return '';
  const longest = [...code.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${pre.getAttribute('data-language') ?? ''}\n${code}\n${fence}\n\n`;
}
