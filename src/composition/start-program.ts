// Programs that run for as long as a session uses them: in its sandbox, or as they are where the operator lets them.
import { mkdir } from 'node:fs/promises';
import type { ProgramOrder, ServerProgram } from '../contract/index.ts';
import { openProgram } from '../sandbox/open-program/open-program.ts';
import { openSandboxed } from '../sandbox/open-program/open-program-sandboxed.ts';
import type { SessionAbout } from '../sessions/session-parts.ts';
import { BASE_ENVIRONMENT } from '../shell/base-environment.ts';
import type { HeldBy } from './commands.ts';

export interface StartOrder extends ProgramOrder {
  /** True for what is there to look: it can then write nothing that is kept. */
  readonly readOnly?: boolean;
}

/** @throws Error where the program would have to be held, and nothing holds it */
export async function startProgram(order: StartOrder, { place }: SessionAbout, sandbox: HeldBy): Promise<ServerProgram> {
  const { home } = place;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const { command, args, cwd } = order;
  const request = { command, args, cwd, env: { ...BASE_ENVIRONMENT, HOME: home, ...order.env } };
  if (!order.sandbox || sandbox.mode === 'external') return openProgram(request);
  if (sandbox.mode === 'on') return openSandboxed(request, sandbox.options, order.readOnly);
  throw new Error(`It would have to run in the sandbox, and there is none: ${sandbox.reason}`);
}
