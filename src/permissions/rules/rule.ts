// A permission rule as data: `Tool` for every call of a tool, `Tool(spec)` for some. What a spec means hangs on the tool it
// is written for: paths for those that read and write files, text for commands, hosts for the web.
import { parseCommandPattern, type CommandPattern } from '../patterns/command-pattern.ts';
import { parseDomain, type DomainPattern } from '../patterns/domain-pattern.ts';
import { parsePathPattern, type PathBases, type PathPattern } from '../patterns/path-pattern.ts';
import type { Scope } from '../paths/place.ts';
import { parseWildcard, type Wildcard } from '../patterns/wildcard.ts';

export type RuleBehavior = 'allow' | 'ask' | 'deny';
/** Whose rule it is: only the operator's can open what lies outside of the workspace. */
export type RuleOwner = 'operator' | 'session';

/** What the name in front of a spec stands for. Everything else is a tool, and its spec is about what calls of that tool touch. */
export type RuleForm = 'read' | 'write' | 'command' | 'url' | 'tool';

export interface Rule {
  /** As it was given. */
  readonly text: string;
  readonly behavior: RuleBehavior;
  readonly owner: RuleOwner;
  readonly form: RuleForm;
  /** Primary names of the tools that it is for. */
  readonly tool: Wildcard;
  /** True when it is for every call. */
  readonly bare: boolean;
  readonly path?: PathPattern;
  readonly command?: CommandPattern;
  readonly domain?: DomainPattern;
  readonly other?: Wildcard;
  /** As {@link other}, for tools whose calls name programs that rules cannot read. */
  readonly script?: CommandPattern;
}

/** What is written in front of rules that hold for whatever reads files, writes files, runs commands or reaches the web. */
const FORMS = { Read: 'read', Edit: 'write', Bash: 'command', WebFetch: 'url' } as const;
const FORM_OF: ReadonlyMap<string, RuleForm> = new Map(Object.entries(FORMS));

/** The name that rules of this form begin with. */
export function ruleName(form: Exclude<RuleForm, 'tool'>): string {
  return Object.entries(FORMS).find(([, each]) => each === form)?.[0] ?? form;
}

const MAX_CHARS = 1_000;
const SHAPE = /^([A-Za-z0-9_*-]{1,200})(?:\((.*)\))?$/s;
/** A name with stars may allow only what one server offers. */
const SERVER = /^mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__/;

export interface RuleContext {
  readonly behavior: RuleBehavior;
  readonly owner: RuleOwner;
  /** Primary name of the tool that a name or alias stands for; the name itself when there is none. */
  readonly canonicalName: (name: string) => string;
}

/** @throws Error that says what to change */
export function parseRule(text: string, context: RuleContext): Rule {
  if (text.length > MAX_CHARS) throw new Error(`a rule has at most ${MAX_CHARS} characters, and this one has ${text.length}`);
  const [, given, inner] = SHAPE.exec(text.trim()) ?? [];
  if (given === undefined)
    throw new Error('write the name of a tool, or a name and what the rule is for in brackets, such as Read(./src/**)');
  const name = given.includes('*') ? given : context.canonicalName(given);
  const spec = inner?.trim();
  if (spec === '') throw new Error(`leave the brackets out to mean every call of ${name}, or write in them what the rule is for`);
  if (name.includes('*') && context.behavior === 'allow' && !SERVER.test(name)) {
    throw new Error('to allow by a name with *, begin it with one server, such as mcp__docs__*');
  }
  if (name.startsWith('mcp__') && spec !== undefined) throw new Error('leave the brackets out: rules for tools of servers have none');
  const form = FORM_OF.get(name) ?? 'tool';
  const bare = spec === undefined || /^\*+$/.test(spec);
  const head = { text: text.trim(), behavior: context.behavior, owner: context.owner, form, tool: toolPattern(name) };
  return bare ? { ...head, bare } : { ...head, bare, ...parseSpec(spec, head) };
}

/** `mcp__server` stands for all tools of the server. */
function toolPattern(name: string): Wildcard {
  return parseWildcard(/^mcp__(?:(?!__).)+$/.test(name) ? `${name}__*` : name);
}

type Spec = Pick<Rule, 'path' | 'command' | 'domain' | 'other' | 'script'>;

function parseSpec(spec: string, { form, behavior }: Pick<Rule, 'form' | 'behavior'>): Spec {
  const broad = behavior !== 'allow';
  switch (form) {
    case 'read':
    case 'write':
      return { path: parsePathPattern(spec, broad) };
    case 'command':
      return { command: parseCommandPattern(spec) };
    case 'url':
      if (!spec.startsWith('domain:'))
        throw new Error('write domain: and a host name in the brackets, such as WebFetch(domain:example.com)');
      return { domain: parseDomain(spec.slice('domain:'.length)) };
    case 'tool':
      return {
        path: parsePathPattern(spec, broad),
        other: parseWildcard(spec),
        script: parseCommandPattern(spec),
        ...(spec.startsWith('domain:') && { domain: parseDomain(spec.slice('domain:'.length)) }),
      };
  }
}

/** Where the paths in a rule start. @param source where `/x` in the operator's rules does; the workspace when absent */
export function basesOf(
  { owner }: Rule,
  { home, workspace, readable }: Pick<Scope, 'home' | 'workspace' | 'readable'>,
  source?: string,
): PathBases {
  return { home, workspace, roots: readable, source: (owner === 'operator' ? source : undefined) ?? workspace };
}

/** What stands for a rule that forbids and cannot be read: every call of the tool it begins with, or every call there is. */
export function widestRule(text: string, { behavior, owner, canonicalName }: RuleContext): Rule {
  const [name = '*'] = /^[A-Za-z0-9_-]{1,200}/.exec(text.trim()) ?? [];
  const tool = canonicalName(name);
  return { text, behavior, owner, form: FORM_OF.get(tool) ?? 'tool', tool: toolPattern(tool), bare: true };
}
