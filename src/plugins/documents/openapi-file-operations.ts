// What an API user wants to know of reading and writing a session's files.
import { schemaRef } from './document-schemas.ts';

const TAR = { 'application/x-tar': { schema: { type: 'string', format: 'binary' } } } as const;
const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } as const;

/** A part of `OPERATIONS`. */
export const FILE_OPERATIONS = {
  'GET /v1/sessions/{id}/files': { operationId: 'listFiles' },
  'GET /v1/sessions/{id}/files/{path}': {
    operationId: 'readFile',
    description:
      'The bytes of a file, as they are; what a browser would run comes with `Content-Disposition: attachment`. A directory answers with a page of what it holds. Links are followed where they stay inside the workspace. The rules of the session are about the calls of its model: they do not apply here.',
    headers: ['Range', 'IfNoneMatch'],
    replies: {
      '200': {
        description: 'The file, or the directory.',
        headers: ['ETag', 'AcceptRanges'],
        content: { 'application/json': { schema: schemaRef('Directory') }, ...BYTES },
      },
      '206': {
        description: 'The part that was asked for.',
        headers: ['ETag', 'ContentRange'],
        content: BYTES,
      },
      '304': { description: 'The file is as it was.', headers: ['ETag'] },
    },
  },
  'PUT /v1/sessions/{id}/files/{path}': {
    operationId: 'writeFile',
    description:
      'The body is the file, of any content type and length. It is put into place in one step when all of it has come, and its parents are made: nobody ever sees a part of it, and a client that leaves midway leaves nothing behind. A model that has read the file has to read it again before it may change it.',
    headers: ['IfMatch', 'IfNoneMatchAny'],
    rawBody: BYTES,
    replies: {
      '200': { description: 'The file was replaced.', headers: ['ETag'] },
      '201': { description: 'The file was made.', headers: ['ETag'] },
    },
  },
  'DELETE /v1/sessions/{id}/files/{path}': {
    operationId: 'removeFile',
    description: 'A link is removed, not what it leads to. The workspace itself cannot be removed.',
    headers: ['IfMatch'],
  },
  'GET /v1/sessions/{id}/archive': {
    operationId: 'packFiles',
    description:
      'Made while it is sent: what changes meanwhile is in it as it was when its turn came. Links are stored as links; pipes, sockets and devices are left out.',
    replies: { '200': { description: 'A tar archive.', content: TAR } },
  },
  'PUT /v1/sessions/{id}/archive': {
    operationId: 'unpackFiles',
    rawBody: TAR,
    description:
      'The body is a tar archive, not compressed. Files are put into place when all of it has come and every entry was found harmless: paths that are absolute or have `..`, links that lead out, hard links, devices and pipes are refused, and then nothing is unpacked. What is there and not in the archive stays.',
  },
} as const;
