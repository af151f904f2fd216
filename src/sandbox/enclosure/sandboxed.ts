// Puts a session's commands into its sandbox: what the session may see is looked up anew for each, since files come and go.
import { mkdirSync } from 'node:fs';
import { atOneMoment, type CommandRunner } from '../../contract/index.ts';
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
  const together = atOneMoment<Layout>();
  /** Of all that begins at one moment there is one: it holds nothing that one of them could give back too early. */
  const toRead = (): Promise<Layout> => together('', async () => layOut(bubblewrap, { profile: await profile(true), readOnly: true }));
  return {
    async run(request) {
      const { readOnly = false, approved = false } = request;
      using layout = readOnly ? await toRead() : layOut(bubblewrap, { profile: await profile(approved), readOnly });
      const box = boxOf(layout, request);
      const { args } = box.enclosure;
      return await runner.run({ ...request, env: box.env, enclosure: { ...box.enclosure, args: [...TELL_FIRST, ...args] } });
    },
    async exec(request) {
      const box = boxOf(await toRead(), request);
      return await runner.exec({ ...request, env: box.env, enclosure: box.enclosure });
    },
    reattach: (outputFile, controls) => runner.reattach(outputFile, controls),
    forget: (outputFile) => runner.forget(outputFile),
  };
}

interface Seen {
  readonly profile: SandboxProfile;
  readonly readOnly: boolean;
}

interface Started {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export type Asked = Seen & Started;

/** All of a sandbox but what runs in it. */
interface Layout extends Disposable, Pick<Enclosure, 'file' | 'args' | 'bound' | 'shellEnv'> {
  readonly env: Readonly<Record<string, string>>;
}

interface Boxed {
  readonly enclosure: Enclosure;
  readonly env: Readonly<Record<string, string>>;
}

export type Box = Boxed & Disposable;

/** Keeps what must not be made from being made until it is disposed of. @throws Error that says what to change */
export function enclose(bubblewrap: Bubblewrap, { profile, readOnly, cwd, env }: Asked): Box {
  const layout = layOut(bubblewrap, { profile, readOnly });
  return { ...boxOf(layout, { cwd, env }), [Symbol.dispose]: () => layout[Symbol.dispose]() };
}

function layOut({ file, base, etc, filter, placeholders }: Bubblewrap, { profile, readOnly }: Seen): Layout {
  mkdirSync(profile.tempDir, { recursive: true, mode: 0o700 });
  const plan = planMounts({ profile, readOnly, etc }, placeholders);
  const places = placeArguments({ mounts: plan.mounts, tempDir: profile.tempDir, readOnly });
  const filtered = filterArguments(filter, places.bound);
  const network = networkArguments(readOnly ? { kind: 'none' } : profile.network);
  return {
    file,
    args: [base, filtered.args, places.args, network.args, ['--remount-ro', '/']].flat(),
    bound: filtered.bound,
    shellEnv: { ...network.shellEnv, TOOLEXEC_LIMITS: limitOptions(profile.limits) },
    env: { ...network.env, ...places.env },
    [Symbol.dispose]: () => plan[Symbol.dispose](),
  };
}

function boxOf({ file, args, bound, shellEnv, env: own }: Layout, { cwd, env }: Started): Boxed {
  const { outside, inside } = partsOf({ ...env, ...own });
  const variables = inside.flatMap(([name, value]) => ['--setenv', name, value]);
  return { enclosure: { file, args: [...args, '--chdir', cwd, ...variables], bound, shellEnv }, env: outside };
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
