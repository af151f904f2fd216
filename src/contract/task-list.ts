// What a model plans to do, kept by the session. Not to be confused with background tasks, which run.
import { z } from 'zod';

export const TASK_ITEM_STATUSES = ['pending', 'in_progress', 'completed'] as const;

export interface TaskItem {
  /** Counts from 1, as text; never used again. */
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly status: (typeof TASK_ITEM_STATUSES)[number];
  readonly owner?: string;
  /** Ids of tasks that cannot begin before this one is completed. */
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const MAX_TASK_ITEMS = 500;
/** Characters of a whole list as JSON: each change of it travels to every reader. */
const MAX_LIST_CHARS = 100_000;
const MAX_METADATA_CHARS = 5_000;

/** What calls may say of a task. */
export const TaskItemFields = {
  taskId: z.string().min(1).max(20).describe('Id of the task, such as "3".'),
  subject: z.string().min(1).max(200).describe('What is to be done, in a few words: "Fix the login form".'),
  description: z.string().max(5_000).describe('What belongs to it, and when it is done.'),
  activeForm: z.string().min(1).max(200).describe('What is shown while it is in progress: "Fixing the login form".'),
  metadata: z.record(z.string(), z.unknown()).describe('Anything else to remember with it, as an object.'),
};

/** What is wrong with the size of a task's metadata, for the model; `undefined` when nothing is. */
export function metadataFault(metadata: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (metadata === undefined || JSON.stringify(metadata).length <= MAX_METADATA_CHARS) return undefined;
  return `metadata is longer than ${MAX_METADATA_CHARS} characters as JSON: keep what is long in a file, and its path here.`;
}

/** @throws Error fit for a model when the list has become too large */
export function assertTaskListFits(tasks: readonly TaskItem[]): void {
  if (tasks.length > MAX_TASK_ITEMS) throw new Error(`The list holds ${MAX_TASK_ITEMS} tasks, the most it can: delete some first.`);
  if (JSON.stringify(tasks).length > MAX_LIST_CHARS) throw new Error('The tasks are too long together: delete some, or say less.');
}

/** Ids of the tasks that are not completed. */
export function openTaskIds(tasks: readonly TaskItem[]): ReadonlySet<string> {
  return new Set(tasks.flatMap(({ id, status }) => (status === 'completed' ? [] : [id])));
}

/**
 * One line: `#2 [pending] Write tests (blocked by #1)`.
 * @param open ids of the tasks that are not completed
 */
export function taskLine({ id, status, subject, owner, blockedBy }: TaskItem, open: ReadonlySet<string>): string {
  const blockers = status === 'completed' ? [] : blockedBy.filter((other) => open.has(other)).map((other) => `#${other}`);
  const notes = [
    ...(owner === undefined ? [] : [`owner ${owner}`]),
    ...(blockers.length === 0 ? [] : [`blocked by ${blockers.join(', ')}`]),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return `#${id} [${status}] ${subject}${note}`.replace(/\s+/g, ' ');
}
