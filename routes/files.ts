// The files of a session's workspace, read and written by whoever owns it. The rules of a session are about the calls of
// its model and do not apply here.
import { basename, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Problem, TREE_ENTRY_TYPES, type OpenTreeFile, type WorkspaceTree } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import type {} from '../src/plugins/limits/transfers.ts';
import { beginPart } from './byte-range.ts';
import { bodyOf, takeRawBodies } from './file-body.ts';
import { isKnown, preconditionOf } from './file-conditions.ts';
import { tellFileErrors } from './file-problems.ts';
import { typeOfFile } from './file-types.ts';
import { PageQuery, problems, SessionParams } from './schemas.ts';

const FileParams = SessionParams.extend({ '*': z.string().describe('Path relative to the workspace.') });

const FileEntry = z
  .object({
    name: z.string(),
    type: z.enum(TREE_ENTRY_TYPES).describe('Links are not followed. `other`: a pipe, a socket, a device.'),
    size: z.int().describe('Bytes.'),
    modified_at: z.iso.datetime(),
  })
  .meta({ id: 'FileEntry', description: 'Something in a directory of the workspace.' });

const DirectoryReply = z
  .object({
    path: z.string().describe('Relative to the workspace; empty for the workspace itself.'),
    data: z.array(FileEntry).describe('In the order of code points.'),
    next_cursor: z.string().exactOptional(),
  })
  .meta({ id: 'Directory', description: 'A page of what a directory holds.' });

const FileReply = z
  .object({ path: z.string().describe('Relative to the workspace.'), size: z.int().describe('Bytes.'), etag: z.string() })
  .meta({ id: 'WrittenFile', description: 'A file as it was written.' });

export function fileRoutes(app: App): void {
  const { sessions } = app.services;
  takeRawBodies(app);
  tellFileErrors(app);

  app.get(
    '/v1/sessions/:id/files',
    {
      schema: {
        summary: 'List the workspace',
        tags: ['files'],
        params: SessionParams,
        querystring: PageQuery,
        response: { 200: DirectoryReply, ...problems },
      },
    },
    async (request) => {
      const { place } = await sessionOf(request);
      return listDirectory(place.tree, '', request.query);
    },
  );

  app.get(
    '/v1/sessions/:id/files/*',
    {
      config: { transfer: 'file' },
      schema: {
        summary: 'Read a file, or list a directory',
        tags: ['files'],
        params: FileParams,
        querystring: PageQuery,
        response: { 200: DirectoryReply, 206: z.unknown(), 304: z.null(), ...problems },
      },
    },
    async (request, reply) => {
      const { place } = await sessionOf(request);
      const { workspace, tree } = place;
      const path = relative(workspace, resolve(workspace, request.params['*']));
      const { type } = await tree.look(request.params['*']);
      if (type === 'directory') return listDirectory(tree, path, request.query);
      return sendFile(reply, await tree.open(request.params['*']), path);
    },
  );

  app.put(
    '/v1/sessions/:id/files/*',
    {
      config: { transfer: 'file' },
      schema: {
        summary: 'Make or replace a file',
        tags: ['files'],
        params: FileParams,
        response: { 200: FileReply, 201: FileReply, ...problems },
      },
    },
    async (request, reply) => {
      const { place } = await sessionOf(request);
      sessions.assertAccepting();
      const path = request.params['*'];
      if (path.endsWith('/')) throw new Problem('invalid-request', 'A path that ends with / is that of a directory: leave it out.');
      const { body, length } = bodyOf(reply);
      const { created, size, etag } = await place.tree.put(path, { body, length, precondition: preconditionOf(request.headers) });
      void reply.status(created ? 201 : 200).header('etag', etag);
      return { path: relative(place.workspace, resolve(place.workspace, path)), size, etag };
    },
  );

  app.delete(
    '/v1/sessions/:id/files/*',
    {
      schema: {
        summary: 'Remove a file, a link or a directory',
        tags: ['files'],
        params: FileParams,
        querystring: z.object({
          recursive: z.enum(['true', 'false']).default('false').describe('Also a directory that is not empty, with all that is in it.'),
        }),
        response: { 204: z.null(), ...problems },
      },
    },
    async (request, reply) => {
      const { place } = await sessionOf(request);
      sessions.assertAccepting();
      const recursive = request.query.recursive === 'true';
      await place.tree.remove(request.params['*'], { recursive, precondition: preconditionOf(request.headers) });
      return reply.status(204).send(null);
    },
  );
}

async function listDirectory(
  tree: WorkspaceTree,
  path: string,
  page: z.output<typeof PageQuery>,
): Promise<z.output<typeof DirectoryReply>> {
  const { entries, nextCursor } = await tree.list(path, page);
  const data = entries.map(({ name, type, size, modifiedAt }) => ({ name, type, size, modified_at: new Date(modifiedAt).toISOString() }));
  return { path, data, ...(nextCursor !== null && { next_cursor: nextCursor }) };
}

/** Closes the file, whatever becomes of the reply. */
async function sendFile(reply: FastifyReply, file: OpenTreeFile, path: string): Promise<FastifyReply> {
  try {
    const part = answerPart(reply, file, path);
    if (part === null) {
      await file[Symbol.asyncDispose]();
      // For HEAD this keeps the length that was told.
      return await reply.send(reply.request.method === 'HEAD' ? Readable.from([]) : undefined);
    }
    const bytes = Readable.from(part, { objectMode: false });
    // Also for a client that left before the first byte was read.
    bytes.once('close', () => void file[Symbol.asyncDispose]());
    return await reply.send(bytes);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

/** Sets status and headers. @returns the bytes to send, `null` for none. @throws Problem `precondition-failed`, `range-not-satisfiable` */
function answerPart(reply: FastifyReply, file: OpenTreeFile, path: string): AsyncIterable<Uint8Array> | null {
  const { size, etag } = file;
  const { 'if-match': wanted, 'if-none-match': known, 'if-range': ifRange, range: asked } = reply.request.headers;
  preconditionOf({ 'if-match': wanted })?.(etag);
  const { type, save } = typeOfFile(basename(path));
  void reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'last-modified': new Date(file.modifiedAt).toUTCString(),
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
  if (isKnown(known, etag)) {
    void reply.status(304);
    return null;
  }
  const part = beginPart(reply, size, { header: ifRange === undefined || ifRange === etag ? asked : undefined });
  void reply.type(type);
  if (save) void reply.header('content-disposition', 'attachment');
  return reply.request.method === 'HEAD' ? null : file.read(part);
}
