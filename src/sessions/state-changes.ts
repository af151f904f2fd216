// Changes of a session's state as they travel, and back.
import type { SessionState, StateChanges } from '../contract/index.ts';

/** Without what is nobody's business outside of the session. */
export function toTravel({ cwd, mode, todos, loadedTools, taskList, schedules, grants }: Partial<SessionState>): StateChanges {
  return {
    ...(cwd !== undefined && { cwd }),
    ...(mode !== undefined && { mode }),
    ...(todos !== undefined && { todos }),
    ...(loadedTools !== undefined && { loaded_tools: loadedTools }),
    ...(taskList !== undefined && { task_list: taskList }),
    ...(schedules !== undefined && { schedules }),
    ...(grants !== undefined && { grants }),
  };
}

export function fromTravel({ loaded_tools, task_list, ...changes }: StateChanges): Partial<SessionState> {
  return {
    ...changes,
    ...(loaded_tools !== undefined && { loadedTools: loaded_tools }),
    ...(task_list !== undefined && { taskList: task_list }),
  };
}
