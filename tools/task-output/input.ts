import { z } from 'zod';

const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_TIMEOUT_MS = 600_000;

export const taskOutputInput = z.strictObject({
  task_id: z.string().min(1).describe('Id of the task, as it was told when the task began: task_….'),
  block: z.boolean().default(true).describe('Whether to wait until the task has ended. Default: true.'),
  timeout: z
    .number()
    .min(0)
    .default(DEFAULT_TIMEOUT_MS)
    .describe(`Milliseconds to wait at most. Default: ${DEFAULT_TIMEOUT_MS}; more than ${MAX_TIMEOUT_MS} counts as that.`),
});

export type TaskOutputInput = z.output<typeof taskOutputInput>;
