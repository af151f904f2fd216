// The tools of a session, from everywhere they come from: built in, brought along by the session, and on servers elsewhere.
import {
  NO_REMOTE_TOOLS,
  Problem,
  ToolDefinitionError,
  type RemoteTools,
  type SkillSummary,
  type Tool,
  type Toolbox,
  type DescribeContext,
} from '../contract/index.ts';
import type { Config } from '../config.ts';
import type { ChildOf } from '../sessions/child.ts';
import { createCustomTools, type CustomToolPorts } from '../custom/create-custom-tools.ts';
import type { SessionParts } from '../sessions/session-parts.ts';
import { SessionOptions, type SessionSettings } from '../sessions/settings/session-options.ts';
import { schemaFault } from '../toolbox/input/check-schema.ts';
import { createToolboxes } from '../toolbox/toolbox.ts';
import type { SessionTools } from '../toolbox/toolbox-contents.ts';
import type { Rules } from './rules.ts';

export interface ToolboxesOptions {
  readonly builtIn: readonly Tool[];
  /** What the operator lets sessions have, wherever it comes from. */
  readonly operator: Config['tools'];
  /** What the service has beside its core. */
  readonly features: ReadonlySet<string>;
  /** How deep agents may start agents. */
  readonly agentDepth: number;
  /** Those that every session has. */
  readonly operatorSkills: readonly SkillSummary[];
  /** Names of the keys that are the operator's. */
  readonly operatorKeys: readonly string[];
  readonly isDenied: Rules['isDenied'];
  /** The guarded way out, for addresses that come from a session. */
  readonly fetch: CustomToolPorts['fetch'];
  /** What servers elsewhere give the session. */
  readonly remoteFor: (settings: SessionSettings, session: Parameters<SessionParts['toolboxFor']>[1]) => RemoteTools;
  readonly warn: (message: string) => void;
}

export interface Toolboxes {
  readonly toolboxFor: SessionParts['toolboxFor'];
  /** Of a new session of this key with default options. */
  readonly defaultTools: (owner: string) => { readonly toolbox: Toolbox; readonly described: DescribeContext };
  /** @throws Problem `invalid-request` for a custom tool that cannot be used */
  readonly check: (settings: SessionSettings) => void;
}

export function joinToolboxes(options: ToolboxesOptions): Toolboxes {
  const { builtIn, operator, features, operatorSkills, isDenied, fetch, remoteFor, warn } = options;
  const open = createToolboxes({ builtIn, enable: { platform: process.platform, flags: features } });
  const custom = customTools({ fetch, checkSchema });
  const names = new Set(builtIn.flatMap(({ name, aliases }) => [name, ...aliases]));
  const toolboxOf = (settings: SessionSettings, session: Pick<SessionTools, 'remote' | 'state' | 'context' | 'flags'>): Toolbox => {
    const { include, exclude, search } = settings.tools;
    const onLeftOut = (name: string, reason: string): void => warn(`The tool ${name} is left out: ${reason}.`);
    const choice = { include: both(include, operator.include), exclude: [...exclude, ...operator.exclude], search };
    return open({ ...session, custom: custom(settings), choice, isDenied: isDenied(settings), onLeftOut });
  };
  const described = { workspace: '(the workspace of the session)', skills: operatorSkills };
  const defaultsOf = (owner: string): ReturnType<Toolboxes['defaultTools']> => ({
    toolbox: toolboxOf(SessionOptions.parse({}), {
      remote: NO_REMOTE_TOOLS,
      state: () => ({ loadedTools: [] }),
      context: described,
      flags: flagsOf({ owner, skills: operatorSkills.length }, options),
    }),
    described,
  });
  // Keys differ in nothing else.
  const known = new Map<boolean, ReturnType<Toolboxes['defaultTools']>>();
  return {
    toolboxFor: (settings, session) =>
      toolboxOf(settings, {
        remote: remoteFor(settings, session),
        state: () => session.state,
        context: { workspace: session.place.workspace, skills: session.place.skills.list() },
        flags: flagsOf({ ...session, skills: session.place.skills.list().length }, options),
      }),
    defaultTools(owner) {
      const isOperator = options.operatorKeys.includes(owner);
      const defaults = known.get(isOperator) ?? defaultsOf(owner);
      known.set(isOperator, defaults);
      return defaults;
    },
    check(settings) {
      const issues = settings.tools.custom.flatMap(({ name }, index) =>
        names.has(name) ? [{ path: `tools.custom[${index}].name`, message: `${name} is a tool of the service: choose another name` }] : [],
      );
      if (issues.length > 0) throw new Problem('invalid-request', 'Some custom tools have names that are taken; see errors.', { issues });
      custom(settings);
    },
  };
}

/** Names that are in both lists; `null` is all. */
function both(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((name) => other.includes(name));
}

/** The tools of settings, made once for as long as the settings are there. */
function customTools(ports: CustomToolPorts): (settings: SessionSettings) => readonly Tool[] {
  const made = new WeakMap<object, readonly Tool[]>();
  return ({ tools: { custom } }) => {
    const tools = made.get(custom) ?? createCustomTools(custom, ports);
    made.set(custom, tools);
    return tools;
  };
}

function checkSchema(tool: Tool): void {
  const fault = schemaFault(tool);
  if (fault !== undefined) throw new ToolDefinitionError(fault);
}

interface Flagged {
  readonly owner: string;
  readonly child?: Pick<ChildOf, 'depth' | 'member'> | undefined;
  readonly skills: number;
}

/** What a session has that some tools are there for. */
function flagsOf({ owner, child, skills }: Flagged, { features, agentDepth, operatorKeys }: ToolboxesOptions): string[] {
  return [
    ...(skills > 0 ? ['skills'] : []),
    ...(child === undefined ? ['person'] : []),
    ...(child === undefined && operatorKeys.includes(owner) ? ['operator'] : []),
    ...(child?.member === undefined ? [] : ['member']),
    ...(features.has('model') && (child?.depth ?? 0) < agentDepth ? ['agent-depth'] : []),
  ];
}
