import type { CallContext, TaskSummary } from '../../src/contract/index.ts';
import { MAX_TIMEOUT_MS, type TaskOutputInput } from './input.ts';

/** The task once it has ended, its time is over or the call is stopped. @throws Error when there is no such task */
export async function waitForEnd(input: TaskOutputInput, { tasks, signal }: CallContext): Promise<TaskSummary> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  if (!input.block || signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const timer = setTimeout(stop, Math.min(input.timeout, MAX_TIMEOUT_MS));
  try {
    return await tasks.ended(input.task_id, over.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
