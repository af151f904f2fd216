// Permission rules as sessions use them: the operator's and the session's own, over one understanding of command lines.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { Problem, type HookedCall, type PermissionContext, type Policy, type Tool } from '../contract/index.ts';
import type { AutoClassifier } from '../permissions/matter.ts';
import { parseRules, type RuleTexts } from '../permissions/rules/parse-rules.ts';
import { createPolicy } from '../permissions/policy.ts';
import { findRepositories } from '../permissions/repositories.ts';
import { createRuleMatcher, toolDenier } from '../permissions/rules/rule-matcher.ts';
import { sandboxPaths, type SandboxPaths } from '../permissions/sandbox-paths.ts';
import type { SessionPlace } from '../sessions/session-parts.ts';
import type { SessionSettings } from '../sessions/settings/session-options.ts';
import { createCommandReader } from '../shell/command-parts.ts';
import { isReadOnlyCommand } from '../shell/read-only.ts';
import { realPath } from '../workspace/resolve-real.ts';

export interface RuleOptions {
  readonly config: Pick<Config, 'dataDir' | 'sandboxSettings'>;
  /** The rules that hold before those of any session. */
  readonly operator: RuleTexts;
  readonly tools: readonly Tool[];
  readonly classifier?: AutoClassifier;
  /** Whether the session's commands run in a sandbox of ours. */
  readonly isSandboxed: (settings: SessionSettings) => boolean;
  /** Whether that or what is around the service holds them. */
  readonly isHeld: (settings: SessionSettings) => boolean;
}

export interface Rules {
  readonly canonicalName: (name: string) => string;
  /** @throws Problem `invalid-request` for a text that is no rule */
  readonly check: (settings: SessionSettings) => void;
  /** What is wrong with one rule, or `undefined`. */
  readonly checkRule: (rule: string) => string | undefined;
  readonly policyFor: (settings: SessionSettings, place: SessionPlace) => Policy;
  /** Whether the session's rules, or the operator's, take this tool away altogether. */
  readonly isDenied: (settings: SessionSettings) => (tool: Tool) => boolean;
  readonly matches: (rule: string, call: HookedCall, context: PermissionContext) => Promise<boolean>;
  /** What the session's sandbox must keep a command from. @param approved whether people, or a mode that asks nobody, have said yes to it */
  readonly pathsFor: (settings: SessionSettings, place: SessionPlace, approved: boolean) => Promise<SandboxPaths>;
}

export function joinRules({ config, operator, tools, classifier, isSandboxed, isHeld }: RuleOptions): Rules {
  const canonicalName = canonicalNames(tools);
  const deniedByOperator = toolDenier(operator, { owner: 'operator', canonicalName });
  const commands = createCommandReader(isReadOnlyCommand);
  const shared = { canonicalName, commands, realPath, dataDir: config.dataDir };
  // A rule that names a home directory means the one of the commands, which is each session's own.
  const matcher = createRuleMatcher({ ...shared, home: join(config.dataDir, 'home') });
  /** Those that were there before the session's first command. */
  const repositories = new WeakMap<SessionPlace, Promise<readonly string[]>>();
  const issuesOf = (texts: SessionSettings['permissions']) => parseRules(texts, { owner: 'session', canonicalName }).issues;
  return {
    canonicalName,
    isDenied({ permissions }) {
      const bySession = toolDenier(permissions, { owner: 'session', canonicalName });
      return ({ name }) => deniedByOperator(name) || bySession(name);
    },
    matches: matcher,
    check({ permissions }) {
      const issues = issuesOf(permissions);
      if (issues.length === 0) return;
      throw new Problem('invalid-request', 'Some permission rules cannot be read; see errors.', {
        issues: issues.map(({ path, message }) => ({ path: `permissions.${path}`, message })),
      });
    },
    checkRule: (rule) => parseRules({ allow: [], ask: [rule], deny: [] }, { owner: 'session', canonicalName }).issues[0]?.message,
    policyFor: (settings, place) =>
      createPolicy({
        ...shared,
        operator,
        session: settings.permissions,
        sandboxed: isSandboxed(settings),
        autoAllowCommands: isHeld(settings) && settings.sandbox.auto_allow_bash && config.sandboxSettings.auto_allow_bash,
        home: place.home,
        ...(classifier && { classifier }),
      }),
    async pathsFor(settings, place, approved) {
      const known = repositories.get(place) ?? findRepositories(place.writableRoots);
      repositories.set(place, known);
      return sandboxPaths({
        operator,
        session: settings.permissions,
        canonicalName,
        scope: { workspace: place.workspace, readable: place.readableRoots, writable: place.writableRoots, home: place.home },
        realPath,
        // What a session makes in a directory that goes with it is nobody else's.
        protects: approved ? 'none' : place.ephemeral ? 'there' : 'all',
        ...(!place.ephemeral && { repositories: await known }),
      });
    },
  };
}

function canonicalNames(tools: readonly Tool[]): (name: string) => string {
  const names = new Map(tools.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name] as const)));
  for (const { name } of tools) names.set(name, name);
  return (name) => names.get(name) ?? name;
}
