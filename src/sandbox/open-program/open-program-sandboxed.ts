import type { ServerProgram } from '../../contract/index.ts';
import { openProgram } from './open-program.ts';
import type { LongProgramRequest } from './open-program-invocation.ts';
import { enclose, type SandboxOptions } from '../enclosure/sandboxed.ts';

/**
 * Starts a program in a session's sandbox, with all that its commands may do, or only what reading ones may. What keeps the sandbox as it is, is held until
 * the program has ended: rules that change meanwhile do not reach it.
 * @throws Error also when the sandbox cannot be set up: nothing runs without it
 */
export async function openSandboxed(
  request: Omit<LongProgramRequest, 'enclosure'>,
  { bubblewrap, profile }: SandboxOptions,
  readOnly = false,
): Promise<ServerProgram> {
  using starting = new DisposableStack();
  const box = starting.use(enclose(bubblewrap, { ...request, profile: await profile(false), readOnly }));
  const program = await openProgram({ ...request, env: box.env, enclosure: box.enclosure });
  const held = starting.move();
  void program.exited.finally(() => held.dispose());
  return program;
}
