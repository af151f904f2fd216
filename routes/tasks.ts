// What goes on in the background of a session: listed, read while it grows, stopped.
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Problem, type TaskSummary } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { Task } from '../src/plugins/documents/wire-schemas.ts';
import type { Session } from '../src/sessions/session.ts';
import { wantsJson } from './preferences.ts';
import { problems, SessionParams } from './schemas.ts';
import { outputInFile, outputInMemory, sendOutput } from './send-range.ts';

/** Bytes of output in one JSON reply; the client asks again for more. */
const MAX_JSON_BYTES = 1_000_000;

const TaskParams = SessionParams.extend({ task_id: z.string().max(100).describe('Id of the task.') });
const TaskOutputReply = Task.extend({
  output: z.string().describe('What was put out from `offset` on, in whole characters: at most 1 MB of it.'),
  offset: z.int().describe('Where `output` begins, in bytes.'),
  next_offset: z.int().describe('Where the next request goes on.'),
});

export function taskRoutes(app: App): void {
  app.get(
    '/v1/sessions/:id/tasks',
    {
      schema: {
        summary: 'List what runs in the background and the last 100 that ended, newest first',
        tags: ['tasks'],
        params: SessionParams,
        response: { 200: z.object({ data: z.array(Task) }), ...problems },
      },
    },
    async (request) => ({ data: (await sessionOf(request)).tasks.list() }),
  );

  app.get(
    '/v1/sessions/:id/tasks/:task_id',
    {
      schema: {
        summary: 'Read the output of a task as text, `Range` honoured; with `Accept: application/json` the task with it',
        tags: ['tasks'],
        params: TaskParams,
        querystring: z.object({
          offset: z.coerce
            .number()
            .int()
            .min(0)
            .default(0)
            .describe('Bytes to pass over. A `Range` wins over it, and counts from the beginning.'),
        }),
        response: {
          200: {
            description: 'The output so far, or the task with it.',
            content: { 'text/plain': { schema: z.string() }, 'application/json': { schema: TaskOutputReply } },
          },
          206: z.string(),
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const session = await sessionOf(request);
      const task = findTask(session, request.params.task_id);
      const { offset } = request.query;
      void reply.header('vary', 'accept').header('toolexec-task-status', task.status);
      if (wantsJson(request)) return sendWithOutput(reply, { session, task, offset });
      const output = (await outputInFile(session.tasks.outputFile(task.id))) ?? outputInMemory('');
      return sendOutput(reply, output, { header: request.headers.range, from: offset });
    },
  );

  app.post(
    '/v1/sessions/:id/tasks/:task_id/stop',
    {
      schema: {
        summary: 'Stop a task; answers when it has ended',
        tags: ['tasks'],
        params: TaskParams,
        response: { 200: Task, ...problems },
      },
    },
    async (request) => {
      const session = await sessionOf(request);
      return session.tasks.stop(findTask(session, request.params.task_id).id);
    },
  );
}

/** @throws Problem `task-not-found` */
function findTask(session: Session, taskId: string): TaskSummary {
  const task = session.tasks.get(taskId);
  if (task === undefined) throw new Problem('task-not-found', `The session has no task ${taskId}: it never was, or is forgotten.`);
  return task;
}

async function sendWithOutput(
  reply: FastifyReply,
  { session, task, offset }: { session: Session; task: TaskSummary; offset: number },
): Promise<FastifyReply> {
  const part = await session.tasks.read(task.id, offset, MAX_JSON_BYTES);
  return reply.send({ ...task, output: part.text, offset: part.offset, next_offset: part.nextOffset });
}
