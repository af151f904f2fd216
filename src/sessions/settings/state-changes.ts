// Changes of a session's state as they travel, and back.
import type { SessionState, StateChanges } from '../../contract/index.ts';

/** Without what is nobody's business outside of the session. */
export function toTravel(changes: Partial<SessionState>): StateChanges {
  const { cwd, mode, todos, loadedTools, modeBefore, taskList, taskListLast, schedules, grants } = changes;
  return {
    ...(cwd !== undefined && { cwd }),
    ...(mode !== undefined && { mode }),
    ...(todos !== undefined && { todos }),
    ...(loadedTools !== undefined && { loaded_tools: loadedTools }),
    // That there is no mode to go back to any more has to travel as well.
    ...('modeBefore' in changes && { mode_before: modeBefore ?? null }),
    ...(taskList !== undefined && { task_list: taskList }),
    ...(taskListLast !== undefined && { task_list_last: taskListLast }),
    ...(schedules !== undefined && { schedules }),
    ...(grants !== undefined && { grants }),
  };
}

export function fromTravel({ loaded_tools, mode_before, task_list, task_list_last, ...changes }: StateChanges): Partial<SessionState> {
  return {
    ...changes,
    ...(loaded_tools !== undefined && { loadedTools: loaded_tools }),
    ...(mode_before !== undefined && { modeBefore: mode_before ?? undefined }),
    ...(task_list !== undefined && { taskList: task_list }),
    ...(task_list_last !== undefined && { taskListLast: task_list_last }),
  };
}
