// Checkpoints: what turns have written over, and the way back to before one of them.
import { z } from 'zod';
import { Problem, type Checkpoint } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { problems, SessionParams } from './schemas.ts';

const path = z.string().describe('Relative to the workspace, or absolute in another directory.');
const CheckpointReply = z
  .object({
    id: z.string(),
    turn_id: z.string().describe('The turn that wrote the files.'),
    created_at: z.iso.datetime().describe('When it first wrote.'),
    files: z.array(path),
  })
  .meta({ id: 'Checkpoint', description: 'A turn that has written files, and how they were before it.' });

const RewindReply = z
  .object({
    restored: z.array(path).describe('Files that have their former content and mode again.'),
    removed: z.array(path).describe('Files that did not exist before.'),
    skipped: z.array(z.object({ path, reason: z.string() })).describe('Files that were left as they are, and why.'),
  })
  .meta({ id: 'Rewind', description: 'What a rewind has done, or would do.' });

export function checkpointRoutes(app: App): void {
  app.get(
    '/v1/sessions/:id/checkpoints',
    {
      schema: {
        summary: 'List the checkpoints, newest first',
        tags: ['sessions'],
        params: SessionParams,
        response: { 200: z.object({ data: z.array(CheckpointReply) }), ...problems },
      },
    },
    async (request) => {
      const { place } = await sessionOf(request);
      return { data: (await place.history.list()).map(written) };
    },
  );

  app.post(
    '/v1/sessions/:id/checkpoints/:checkpoint_id/rewind',
    {
      schema: {
        summary: 'Put the files back as they were before a turn',
        tags: ['sessions'],
        params: SessionParams.extend({ checkpoint_id: z.string().max(100).describe('Id of the checkpoint.') }),
        querystring: z.object({
          dry_run: z.enum(['true', 'false']).default('false').describe('Change nothing, only say what would be done.'),
        }),
        response: { 200: RewindReply, ...problems },
      },
    },
    async (request) => {
      const session = await sessionOf(request);
      const { checkpoint_id: id } = request.params;
      const dryRun = request.query.dry_run === 'true';
      const rewind = () => session.place.history.rewind(id, { dryRun });
      const rewound = await (dryRun ? rewind() : session.between(rewind));
      if (rewound === null) throw new Problem('checkpoint-not-found', `The session has no checkpoint ${id}: only the last 100 are kept.`);
      return { restored: [...rewound.restored], removed: [...rewound.removed], skipped: [...rewound.skipped] };
    },
  );
}

function written({ id, turnId, createdAt, files }: Checkpoint): z.infer<typeof CheckpointReply> {
  return { id, turn_id: turnId, created_at: new Date(createdAt).toISOString(), files: [...files] };
}
