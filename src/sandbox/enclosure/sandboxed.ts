// Puts a session's commands into its sandbox: what the session may see is looked up anew for each, since files come and go.
import { mkdirSync } from 'node:fs';
import type { CommandRunner } from '../../contract/index.ts';
import { filterArguments, networkArguments, placeArguments, TELL_FIRST, type Bubblewrap } from './bubblewrap.ts';
import type { EnclosingRunner, Enclosure } from '../messages.ts';
import { planMounts } from './mounts.ts';
import type { SandboxLimits, SandboxProfile } from './sandbox-profile.ts';

/** Variables by which the loader and the C library would change bubblewrap itself, which runs outside. */
const LOADER_VARIABLE = /^(LD_|GLIBC_|MALLOC_|GCONV_PATH$|LOCPATH$|NLSPATH$|LANGUAGE$|TZDIR$|RES_OPTIONS$|HOSTALIASES$)/;

export interface SandboxOptions {
  readonly bubblewrap: Bubblewrap;
  /**
   * Asked before each command.
   * @param unprotected what is protected need not be looked up: people have agreed, or nothing can be written anyway
   */
  readonly profile: (unprotected: boolean) => SandboxProfile | Promise<SandboxProfile>;
}

/**
 * Commands (`run`) get what the profile says, those that only read without the right to write and without a network. Programs
 * of the service's own (`exec`) look at files on behalf of a session: they only read.
 * Both throw Error also when the sandbox cannot be set up: nothing runs without it.
 */
export function sandboxed(runner: EnclosingRunner, { bubblewrap, profile }: SandboxOptions): CommandRunner {
  return {
    async run(request) {
      const { readOnly = false, approved = false, ...asked } = request;
      using box = enclose(bubblewrap, { ...asked, profile: await profile(approved || readOnly), readOnly });
      const { args } = box.enclosure;
      return await runner.run({ ...request, env: box.env, enclosure: { ...box.enclosure, args: [...TELL_FIRST, ...args] } });
    },
    async exec(request) {
      using box = enclose(bubblewrap, { ...request, profile: await profile(true), readOnly: true });
      return await runner.exec({ ...request, env: box.env, enclosure: box.enclosure });
    },
    reattach: (outputFile, controls) => runner.reattach(outputFile, controls),
    forget: (outputFile) => runner.forget(outputFile),
  };
}

export interface Asked {
  readonly profile: SandboxProfile;
  readonly readOnly: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Box extends Disposable {
  readonly enclosure: Enclosure;
  readonly env: Readonly<Record<string, string>>;
}

/** Keeps what must not be made from being made until it is disposed of. @throws Error that says what to change */
export function enclose({ file, base, etc, filter, placeholders }: Bubblewrap, { profile, readOnly, cwd, env }: Asked): Box {
  mkdirSync(profile.tempDir, { recursive: true, mode: 0o700 });
  const plan = planMounts({ profile, readOnly, etc }, placeholders);
  const places = placeArguments({ mounts: plan.mounts, tempDir: profile.tempDir, readOnly });
  const filtered = filterArguments(filter, places.bound);
  const network = networkArguments(readOnly ? { kind: 'none' } : profile.network);
  const { outside, inside } = partsOf({ ...env, ...network.env, ...places.env });
  const variables = inside.flatMap(([name, value]) => ['--setenv', name, value]);
  return {
    enclosure: {
      file,
      args: [base, filtered.args, places.args, network.args, ['--remount-ro', '/', '--chdir', cwd], variables].flat(),
      bound: filtered.bound,
      shellEnv: { ...network.shellEnv, TOOLEXEC_LIMITS: limitOptions(profile.limits) },
    },
    env: outside,
    [Symbol.dispose]: () => plan[Symbol.dispose](),
  };
}

function partsOf(env: Readonly<Record<string, string>>): { outside: Record<string, string>; inside: [string, string][] } {
  const entries = Object.entries(env);
  return {
    outside: Object.fromEntries(entries.filter(([name]) => !LOADER_VARIABLE.test(name))),
    inside: entries.filter(([name]) => LOADER_VARIABLE.test(name)),
  };
}

/** Options of the shell's `ulimit`, which counts memory and files in kibibytes. */
function limitOptions({ processes, memoryBytes, fileBytes, openFiles }: SandboxLimits): string {
  const kibibytes = (bytes: number): number => Math.max(1, Math.floor(bytes / 1024));
  return `-c 0 -d ${kibibytes(memoryBytes)} -f ${kibibytes(fileBytes)} -n ${openFiles} -u ${processes}`;
}
