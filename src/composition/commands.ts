// Where a session's commands run: in its sandbox where that works, as the operator and the session want it.
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { Problem, type CommandOwner, type CommandRunner } from '../contract/index.ts';
import type { SandboxDetection } from '../sandbox/enclosure/detect-sandbox.ts';
import type { CommandRunnerOptions } from '../sandbox/command-runner.ts';
import type { EnclosingRunner } from '../sandbox/messages.ts';
import { DEFAULT_LIMITS, type SandboxNetwork, type SandboxProfile } from '../sandbox/enclosure/sandbox-profile.ts';
import { sandboxed, type SandboxOptions } from '../sandbox/enclosure/sandboxed.ts';
import { ripgrepPath } from '../search/ripgrep.ts';
import type { SandboxState, SessionAbout, SessionPlace } from '../sessions/session-parts.ts';
import type { SessionSettings } from '../sessions/settings/session-options.ts';
import type { Rules } from './rules.ts';

export interface CommandOptions {
  readonly config: Config;
  readonly runner: EnclosingRunner;
  readonly detection: SandboxDetection;
  /** The only way out of a session's sandbox. */
  readonly networkFor: (settings: SessionSettings, session: SessionAbout) => Promise<SandboxNetwork>;
}

/**
 * How long commands go on without the service. With other nodes, one of which takes the session over, for half of a lease at
 * most: nothing that was started under a lease then runs when that is over, whatever has become of the node.
 */
export function helperTimes({
  store,
  leaseTtlMs,
}: Pick<Config, 'store' | 'leaseTtlMs'>): Pick<CommandRunnerOptions, 'orphanMs' | 'watchdogMs'> {
  if (store === 'sqlite') return {};
  const half = Math.floor(leaseTtlMs / 2);
  return { orphanMs: half, watchdogMs: half };
}

const STRICTNESS = { off: 0, external: 0, auto: 1, required: 2 } as const;

/** A sandbox and how to set it up, what is around the service, or nothing. */
export type HeldBy =
  | { readonly mode: 'on'; readonly options: SandboxOptions }
  | { readonly mode: 'external' }
  | { readonly mode: 'off'; readonly reason: string };

export interface Commands {
  readonly state: (settings: SessionSettings) => SandboxState;
  /** @throws Problem `forbidden` for less than the operator wants, or more than there is */
  readonly check: (settings: SessionSettings) => void;
  /** What holds the session's programs. */
  readonly sandboxFor: (settings: SessionSettings, session: SessionAbout, paths: Rules['pathsFor']) => HeldBy;
  readonly commandsFor: (settings: SessionSettings, session: SessionAbout, paths: Rules['pathsFor']) => CommandRunner;
}

export function joinCommands({ config, runner, detection, networkFor }: CommandOptions): Commands {
  const state = ({ sandbox: { mode } }: SessionSettings): SandboxState => {
    if (config.sandbox === 'external') return { mode: 'external' };
    if ((mode ?? config.sandbox) === 'off')
      return { mode: 'off', reason: mode === 'off' ? 'The session wants none.' : 'The operator wants none unless a session asks for it.' };
    return detection.works ? { mode: 'on' } : { mode: 'off', reason: detection.reason };
  };
  const sandboxFor: Commands['sandboxFor'] = (settings, session, pathsFor) => {
    const now = state(settings);
    if (now.mode === 'off') return now;
    if (now.mode === 'external') return { mode: 'external' };
    if (!detection.works) return { mode: 'off', reason: detection.reason };
    const profile = async (approved: boolean): Promise<SandboxProfile> => {
      const paths = await pathsFor(settings, session.place, approved);
      if (!paths.complete) throw new Error('The session has too many files for its rules to be held: use rules without wildcards.');
      return { ...(await profileOf(session.place, config)), ...paths, network: await networkFor(settings, session) };
    };
    return { mode: 'on', options: { bubblewrap: detection.bubblewrap, profile } };
  };
  return {
    state,
    sandboxFor,
    check(settings) {
      const { mode } = settings.sandbox;
      if (mode !== undefined && STRICTNESS[mode] < STRICTNESS[config.sandbox]) {
        const least = config.sandbox === 'required' ? 'required' : 'auto or required';
        throw new Problem('forbidden', `sandbox.mode ${mode} is less than the operator wants: leave it out, or give ${least}.`);
      }
      const now = state(settings);
      if (now.mode !== 'off') return;
      if (mode === 'required') throw new Problem('forbidden', `The session requires a sandbox, and there is none: ${now.reason}`);
      if (settings.sandbox.network.allowed_domains.length > 0) {
        throw new Problem('forbidden', `Without a sandbox nothing keeps commands to allowed_domains: leave the list empty. ${now.reason}`);
      }
    },
    commandsFor(settings, session, pathsFor) {
      const sandbox = sandboxFor(settings, session, pathsFor);
      // Where there is one key, its sessions are all that there is to be fair between.
      const owned = ownedBy(runner, { key: config.keys.length > 1 ? session.owner : session.id, session: session.id });
      return sandbox.mode === 'on' ? sandboxed(owned, sandbox.options) : owned;
    },
  };
}

function ownedBy(runner: EnclosingRunner, owner: CommandOwner): EnclosingRunner {
  return { ...runner, run: (request) => runner.run({ ...request, owner }), exec: (request) => runner.exec({ ...request, owner }) };
}

async function profileOf(place: SessionPlace, config: Config): Promise<Omit<SandboxProfile, 'masked' | 'readOnly' | 'network'>> {
  const { workspace, home, temp, readableRoots, writableRoots } = place;
  const ripgrep = dirname(await ripgrepPath());
  return {
    workspace,
    home,
    tempDir: temp,
    writable: writableRoots.filter((root) => root !== workspace),
    readable: [...readableRoots.filter((root) => !writableRoots.includes(root)), ripgrep, ...config.sandboxSettings.readable],
    hidden: [config.dataDir],
    limits: { ...DEFAULT_LIMITS, memoryBytes: config.commandMemoryBytes },
  };
}
