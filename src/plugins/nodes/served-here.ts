// Whether a request about a session is to be served at this node.
import type { FastifyRequest } from 'fastify';
import type { Whereabouts } from '../../cluster/whereabouts.ts';
import { Problem, type ProblemCode } from '../../contract/index.ts';
import { ownerOf } from '../access/auth.ts';
import type { Services } from '../services.ts';

/** The route of a session itself. */
export const SESSION = '/v1/sessions/:id';

export interface ServedHere {
  /** True when this node has the session, or has taken it because nobody had it. */
  isHere(request: FastifyRequest, sessionId: string): Promise<boolean>;
  /**
   * For a request that another node has passed on.
   * @throws Problem `session-elsewhere`, on which that node looks again
   */
  assertHere(request: FastifyRequest, sessionId: string): Promise<void>;
}

export function servedHere(sessions: Services['sessions'], whereabouts: Whereabouts): ServedHere {
  return {
    async isHere(request, sessionId) {
      const fault = await faultOf(request, sessionId);
      // A node that stops takes no sessions; when no other has it either, the client learns that.
      if (fault === 'draining') return (await whereabouts.find(sessionId, 0)) === null;
      // Whatever else is wrong with the session is told where it is served.
      return fault !== 'session-elsewhere';
    },
    async assertHere(request, sessionId) {
      const fault = removesSession(request) ? null : await faultOf(request, sessionId);
      if (fault !== 'session-elsewhere' && fault !== 'draining') return;
      throw new Problem('session-elsewhere', `This node does not have session ${sessionId} any more.`, { retryAfterSeconds: 1 });
    },
  };

  async function faultOf(request: FastifyRequest, sessionId: string): Promise<ProblemCode | null> {
    try {
      await sessions.get(ownerOf(request), sessionId);
      return null;
    } catch (error) {
      return error instanceof Problem ? error.code : 'internal';
    }
  }
}

/** A session is removed without being opened before. */
export function removesSession({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' && routeOptions.url === SESSION;
}
