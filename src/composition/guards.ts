// All that stands between sessions and the world, joined: rules, hooks, the sandbox and the ways out.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { Problem, type Tool, type Report } from '../contract/index.ts';
import { detectSandbox, type SandboxDetection } from '../sandbox/enclosure/detect-sandbox.ts';
import type { EnclosingRunner } from '../sandbox/messages.ts';
import type { SandboxState, SessionAbout, SessionParts } from '../sessions/session-parts.ts';
import { SessionOptions, type SessionSettings } from '../sessions/settings/session-options.ts';
import { autoClassifier } from './auto-classifier.ts';
import { joinCommands, type HeldBy } from './commands.ts';
import { joinHooks } from './hooks.ts';
import { joinNetwork, type Network } from './network.ts';
import type { OperatorSettings } from './operator-settings.ts';
import { joinRules, type Rules } from './rules.ts';

export interface GuardOptions {
  readonly config: Config;
  readonly operator: OperatorSettings;
  readonly detection: SandboxDetection;
  readonly tools: readonly Tool[];
  readonly runner: EnclosingRunner;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: Report;
}

export interface JoinedGuards extends Pick<
  SessionParts,
  'allowedModes' | 'guard' | 'policyFor' | 'hooksFor' | 'commandsFor' | 'sandboxState'
> {
  readonly isDenied: Rules['isDenied'];
  readonly guardedFetch: Network['guardedFetch'];
  /** What holds the session's programs. */
  readonly sandboxFor: (settings: SessionSettings, session: SessionAbout) => HeldBy;
  /** What `/readyz` tells of the sandbox. */
  readonly sandbox: SandboxState;
  /** The session is gone. */
  readonly forget: (sessionId: string) => void;
  readonly close: () => Promise<void>;
}

/** Tries the sandbox out, for a service that has the data directory to itself. Never throws. */
export async function findSandbox({ sandbox, dataDir }: Pick<Config, 'sandbox' | 'dataDir'>): Promise<SandboxDetection> {
  if (sandbox === 'external') return { works: false, reason: 'The operator has set TOOLEXEC_SANDBOX to external.' };
  return detectSandbox(join(dataDir, 'sandbox'));
}

/** @throws Error for a sandbox that is required and does not work */
export async function joinGuards(options: GuardOptions): Promise<JoinedGuards> {
  const { config, operator, detection, tools, runner, environment, report } = options;
  if (config.sandbox === 'required' && !detection.works) throw new Error(`TOOLEXEC_SANDBOX is required. ${detection.reason}`);
  if (detection.works && !detection.filtersSystemCalls) {
    report('The kernel takes no filter for system calls: commands in the sandbox can reach its keyrings and trace one another.', undefined);
  }
  const network = await joinNetwork(operator.egress);
  try {
    const commands = joinCommands({ config, runner, detection, networkFor: network.networkFor });
    const rules = joinRules({
      config,
      operator: operator.permissions,
      tools,
      isSandboxed: (settings) => commands.state(settings).mode === 'on',
      isHeld: (settings) => commands.state(settings).mode !== 'off',
      ...(config.autoModeUrl !== undefined && { classifier: autoClassifier(config.autoModeUrl) }),
    });
    const hooks = joinHooks({ rules, operator: operator.hooks, environment, guardedFetch: network.guardedFetch, report });
    return {
      guard(settings) {
        const { mode } = settings.permissions;
        if (!config.allowedModes.includes(mode)) {
          const allowed = config.allowedModes.join(', ');
          throw new Problem('forbidden', `The operator does not allow the permission mode ${mode}: give one of ${allowed}.`);
        }
        for (const part of [rules, hooks, network, commands]) part.check(settings);
      },
      allowedModes: config.allowedModes,
      isDenied: rules.isDenied,
      guardedFetch: network.guardedFetch,
      sandboxFor: (settings, session) => commands.sandboxFor(settings, session, rules.pathsFor),
      policyFor: rules.policyFor,
      hooksFor: hooks.hooksFor,
      commandsFor: (settings, session) => commands.commandsFor(settings, session, rules.pathsFor),
      sandboxState: commands.state,
      sandbox: commands.state(SessionOptions.parse({})),
      forget: network.forget,
      close: network.close,
    };
  } catch (error) {
    await network.close();
    throw error;
  }
}
