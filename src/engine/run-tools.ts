// The engine's way in: calls go in, batches of ordered events come out, and leaving the loop stops what runs.
import type { EngineEvent, ToolUse } from '../contract/index.ts';
import { Outbox } from './release/outbox.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { StreamingExecutor } from './streaming-executor.ts';

/**
 * Runs the calls of one turn, known at once or still arriving. Each step yields all events since the last, in order and
 * never empty; asking for the next step says that the former is dealt with (journalled), which calls with effects wait
 * for. A consumer that does not ask slows the turn; one that leaves ends it, and nothing of it runs on.
 */
export async function* runTools(
  calls: Iterable<ToolUse> | AsyncIterable<ToolUse>,
  options: ExecutionOptions,
): AsyncGenerator<EngineEvent[], void> {
  const outbox = new Outbox(options.limits.bufferedEvents);
  const executor = new StreamingExecutor(options, outbox);
  const finished = executor.run(calls).finally(() => outbox.close());
  finished.catch(() => {
    // Reported below by `await finished`; a reader that left has no use for it.
  });
  let ended = false;
  try {
    for (let batch; (batch = await outbox.next()) !== undefined;) yield batch;
    await finished;
    ended = true;
  } finally {
    if (!ended) options.control.abort('Nobody reads the results of this turn any more.');
    executor.endInput();
    outbox.close();
    await finished.catch(() => {});
  }
}
