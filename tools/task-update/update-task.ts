// One change of the task list: the task, its links to others on both sides, or all of that taken away.
import { assertTaskListFits, metadataFault, openTaskIds, type SessionState, type TaskItem } from '../../src/contract/index.ts';

export interface TaskChange {
  readonly taskId: string;
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly status?: TaskItem['status'] | 'deleted' | undefined;
  readonly owner?: string | undefined;
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface Updated {
  readonly state: SessionState;
  /** As it is now; `undefined` when it was deleted. */
  readonly task: TaskItem | undefined;
  readonly tasks: readonly TaskItem[];
  /** Tasks that waited for something before, and for nothing now. */
  readonly freed: readonly TaskItem[];
}

/** @throws Error fit for a model when a task is not there, tasks would wait for each other, or the list becomes too long */
export function updateTask(state: SessionState, change: TaskChange): Updated {
  const before = state.taskList ?? [];
  const { taskId, status } = change;
  const task = find(before, taskId);
  const tasks = status === 'deleted' ? withoutTask(before, taskId) : withLinks(changed(before, task, change), change);
  assertTaskListFits(tasks);
  const [openBefore, openNow] = [openTaskIds(before), openTaskIds(tasks)];
  const waits = ({ blockedBy }: TaskItem, open: ReadonlySet<string>): boolean => blockedBy.some((id) => open.has(id));
  const waiting = new Set(before.flatMap((each) => (waits(each, openBefore) ? [each.id] : [])));
  const freed = tasks.filter((each) => waiting.has(each.id) && openNow.has(each.id) && !waits(each, openNow));
  return { state: { ...state, taskList: tasks }, task: tasks.find(({ id }) => id === taskId), tasks, freed };
}

function find(tasks: readonly TaskItem[], id: string): TaskItem {
  const found = tasks.find((task) => task.id === id);
  if (found === undefined) throw new Error(`There is no task ${id}: TaskList shows those that there are.`);
  return found;
}

function changed(tasks: readonly TaskItem[], task: TaskItem, change: TaskChange): readonly TaskItem[] {
  const { subject, description, activeForm, status, owner } = change;
  const { owner: ownerBefore, metadata: metadataBefore, ...kept } = task;
  const ownerNow = owner ?? ownerBefore;
  const metadata = merged(metadataBefore, change.metadata);
  const next: TaskItem = {
    ...kept,
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { activeForm }),
    ...(status !== undefined && status !== 'deleted' && { status }),
    ...(ownerNow !== undefined && ownerNow !== '' && { owner: ownerNow }),
    ...(metadata !== undefined && { metadata }),
  };
  return tasks.map((each) => (each === task ? next : each));
}

function merged(before: TaskItem['metadata'], change: TaskChange['metadata']): TaskItem['metadata'] {
  if (change === undefined) return before;
  const entries = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  const metadata = entries.length === 0 ? undefined : Object.fromEntries(entries);
  const fault = metadataFault(metadata);
  if (fault !== undefined) throw new Error(fault);
  return metadata;
}

function withLinks(tasks: readonly TaskItem[], { taskId, addBlocks = [], addBlockedBy = [] }: TaskChange): readonly TaskItem[] {
  const links = [...addBlocks.map((id) => [taskId, id] as const), ...addBlockedBy.map((id) => [id, taskId] as const)];
  for (const [first, then] of links) for (const id of [first, then]) find(tasks, id);
  const linked = links.reduce<readonly TaskItem[]>(
    (list, [first, then]) =>
      list.map((task) => {
        if (task.id === first && !task.blocks.includes(then)) return { ...task, blocks: [...task.blocks, then] };
        if (task.id === then && !task.blockedBy.includes(first)) return { ...task, blockedBy: [...task.blockedBy, first] };
        return task;
      }),
    tasks,
  );
  if (links.length > 0 && waitsForItself(linked, taskId)) {
    throw new Error(`Task ${taskId} would wait for itself: these tasks block each other in a ring. Leave one of the links out.`);
  }
  return linked;
}

/** Every new link is one of this task, so that a new ring goes through it. */
function waitsForItself(tasks: readonly TaskItem[], id: string): boolean {
  const blocks = new Map(tasks.map((task) => [task.id, task.blocks]));
  const seen = new Set<string>();
  const next = [...(blocks.get(id) ?? [])];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (at === id) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    next.push(...(blocks.get(at) ?? []));
  }
  return false;
}

function withoutTask(tasks: readonly TaskItem[], gone: string): readonly TaskItem[] {
  const others = (ids: readonly string[]): readonly string[] => (ids.includes(gone) ? ids.filter((id) => id !== gone) : ids);
  return tasks.filter(({ id }) => id !== gone).map((task) => ({ ...task, blocks: others(task.blocks), blockedBy: others(task.blockedBy) }));
}
