// JSON bodies: plain JSON.parse (a model may well say "__proto__"), then a limit on depth, so that nothing after it can
// be made to recurse too far.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../contract/index.ts';
import { MAX_JSON_NODES, measure } from '../formats/json-depth.ts';

/** @throws Problem `invalid-request` with the parser's position */
export function parseJson(text: string, maxDepth: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Problem('invalid-request', `This is not JSON: ${error instanceof Error ? error.message : 'it could not be parsed'}`);
  }
  const fault = measure(value, maxDepth);
  if (fault === 'deep') throw new Problem('invalid-request', `The JSON is nested deeper than ${maxDepth} levels.`);
  if (fault === 'wide') throw new Problem('invalid-request', `The JSON holds more than ${MAX_JSON_NODES} values.`);
  return value;
}

export const jsonBody = fastifyPlugin<{ maxDepth: number }>((app: FastifyInstance, { maxDepth }, done) => {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser(['application/json', 'application/merge-patch+json'], { parseAs: 'string' }, (_request, body, next) => {
    const text = String(body);
    if (text.trim() === '') return next(null, undefined);
    try {
      next(null, parseJson(text, maxDepth));
    } catch (error) {
      next(error as Error);
    }
  });
  done();
});
