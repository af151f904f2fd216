// What a model reads of a task: how it stands, then what is new.
import type { BackgroundTasks, TaskOutput, TaskSummary, ToolResult } from '../../src/contract/index.ts';
import { visible } from '../../src/shell/session-command/shown-output.ts';

/** No text has more characters than bytes. */
const MAX_BYTES = 30_000;

export interface TaskOutputAnswer extends TaskOutput {
  readonly task: TaskSummary;
}

export async function answerOf(task: TaskSummary, tasks: BackgroundTasks): Promise<ToolResult<TaskOutputAnswer>> {
  const news = await tasks.read(task.id, 'news', MAX_BYTES);
  const text = visible(news.text).replace(/\n+$/, '');
  const lines = [
    `Task ${task.id}: ${statusOf(task)}`,
    ...(news.passedOver > 0 ? [passedOverNote(news, tasks.outputFile(task.id))] : []),
    text || (news.size === 0 ? '(no output)' : '(nothing new)'),
  ];
  return { content: lines.join('\n'), output: { ...news, text, task } };
}

export function statusOf({ status, exit_code: code }: TaskSummary): string {
  return code === undefined ? status : `${status}, exit code ${code}`;
}

function passedOverNote({ passedOver, size }: TaskOutput, path: string): string {
  return `[... ${passedOver} bytes were passed over here; the whole output, ${size} bytes, is in ${path}, which Read can open ...]`;
}
