// Rules that would allow such calls from now on, the narrowest useful one first.
import { dirname } from 'node:path';
import { isWithin } from '../../contract/index.ts';
import { isPublicName } from '../patterns/domain-pattern.ts';
import { isInside, type Scope } from '../paths/place.ts';
import { ruleName } from './rule.ts';
import type { Touched, TouchedFile, TouchedItem, TouchedUrl } from '../touched/touched.ts';
import type { TouchedCommand } from '../touched/touched-command.ts';
import { escapeWildcard } from '../patterns/wildcard.ts';

const MAX_SUGGESTIONS = 5;
const MAX_CHARS = 300;
/** Programs whose second word says what they do, so that a rule may end there. */
const WITH_SUBCOMMANDS =
  /^(git|npm|pnpm|yarn|bun|cargo|go|docker|kubectl|make|pip|uv|poetry|dotnet|gh|gradle|mvn|deno|brew|apt|systemctl|terraform)$/;

export function suggestRules({ tool, items }: Touched, scope: Scope): readonly string[] {
  const suggestions = items
    .flatMap((item) => suggestFor(item, tool, scope))
    .filter((rule) => rule.length <= MAX_CHARS && !/[\n\r]/.test(rule));
  return [...new Set(suggestions)].slice(0, MAX_SUGGESTIONS);
}

function suggestFor(item: TouchedItem, tool: string, scope: Scope): string[] {
  switch (item.kind) {
    case 'file':
      return suggestFile(item, scope);
    case 'command':
      return suggestCommands(item, scope);
    case 'url':
      return suggestHost(item);
    case 'other':
      return [...(item.text === undefined || /[*()\\]/.test(item.text) ? [] : [`${tool}(${item.text})`]), tool];
  }
}

/** Only what lies inside can be allowed by a rule of the session. */
function suggestFile({ access, place }: Omit<TouchedFile, 'kind'>, scope: Scope): string[] {
  const { workspace } = scope;
  if (!isInside(place, access, scope) || place.shown !== place.real) return [];
  const tool = ruleName(access);
  const anchored = (path: string): string =>
    isWithin(workspace, path) ? escapePath(path.slice(workspace.length)) : `/${escapePath(path)}`;
  const directory = anchored(dirname(place.real));
  return [`${tool}(${anchored(place.real)})`, `${tool}(${directory === '/' ? '' : directory}/**)`];
}

function escapePath(path: string): string {
  return path.replace(/[*?[\]\\]/g, String.raw`\$&`);
}

function suggestCommands({ parts, reading }: TouchedCommand, scope: Scope): string[] {
  if (!reading.understood) return [];
  const exact: string[] = [];
  const wider: string[] = [];
  for (const { part, files } of parts) {
    for (const file of files.filter((each) => each.redirect).filter(({ access }) => access === 'write'))
      exact.push(...suggestFile(file, scope).slice(0, 1));
    const [name, second] = part.words.map(({ value }) => value);
    if (part.readOnly || part.opaque || part.assignments.length > 0 || name === undefined || name === null) continue;
    exact.push(`${ruleName('command')}(${escapeWildcard(part.text)})`);
    const begin = WITH_SUBCOMMANDS.test(name) && /^[a-z][\w:-]*$/.test(second ?? '') ? `${name} ${second}` : undefined;
    if (begin !== undefined) wider.push(`${ruleName('command')}(${begin}:*)`);
  }
  return [...exact, ...wider];
}

function suggestHost({ host }: TouchedUrl): string[] {
  return host !== null && isPublicName(host) ? [`${ruleName('url')}(domain:${host})`] : [];
}
