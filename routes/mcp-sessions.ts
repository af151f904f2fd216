// The sessions behind MCP clients: what such a client lists and calls, said to a session.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { late, Problem } from '../src/contract/index.ts';
import { inputFromValue } from '../src/formats/call-input.ts';
import type { HostClient, HostedCall, ToolHost, ToolHosts } from '../src/mcp/server/ports.ts';
import { answerApprovals } from '../src/sessions/people/answer-approvals.ts';
import { answerClientCall } from '../src/sessions/people/answer-client-call.ts';
import { beginOneCall, cancelOneCall, watchOneCall, type OneCall } from '../src/sessions/input/one-call.ts';
import type { Session } from '../src/sessions/session.ts';
import { SessionOptions, type SessionSettings } from '../src/sessions/settings/session-options.ts';

/** Where tools answer differently: a client of MCP knows no reference to a tool, and takes its definition as text. */
const FORMAT = 'openai_chat';
/** A tool that one call has found is forgotten by the next, where each has a session of its own. */
const LISTS_ALL = { search: 'off' } as const;

export interface SessionHosts extends ToolHosts {
  /** Resolves when every session that was let go of is removed. */
  settled(): Promise<void>;
}

/** Where the sessions of clients are made and removed. */
interface Maker {
  readonly create: (client: HostClient, tools?: z.input<typeof SessionOptions>['tools']) => Promise<Session>;
  /** @throws Problem `session-not-found` */
  readonly find: (client: HostClient, id: string) => Promise<Session>;
  /** Never throws. */
  readonly remove: (session: Session) => Promise<void>;
}

export function sessionHosts(server: FastifyInstance): SessionHosts {
  const { sessions } = server.services;
  const removals = new Set<Promise<void>>();
  const maker: Maker = {
    create: (client, tools = {}) => sessions.create(client.owner, settingsFor(client, tools), { repeatable: false }),
    find: (client, id) => sessions.get(client.owner, id),
    remove({ id, owner }) {
      const removal = sessions.remove(owner, id).catch((error: unknown) => {
        const gone = error instanceof Problem && error.code === 'session-not-found';
        if (!gone) server.log.error({ err: error, session_id: id }, "a client's session was not removed: it goes when its time is over");
      });
      const done = removal.finally(() => removals.delete(done));
      removals.add(done);
      return done;
    },
  };
  return {
    own: (client) => ownHost(client, maker),
    existing: (client, sessionId) => hostOf(client, () => maker.find(client, sessionId), { alone: false }),
    oneShots: (client) => oneShotHost(client, maker),
    async settled() {
      await Promise.all(removals);
    },
  };
}

/** Its session is made when it is first needed, and goes with the client. */
function ownHost(client: HostClient, { create, find, remove }: Maker): ToolHost {
  const own = late(() => create(client), remove);
  let closed = false;
  const host = hostOf(
    client,
    async () => {
      if (closed) throw new Problem('session-not-found', 'The connection has ended: make another one.');
      return find(client, (await own.get()).id);
    },
    { alone: true },
  );
  return {
    ...host,
    async close() {
      closed = true;
      await host.close();
      await own.close();
    },
  };
}

/** A session for each list and each call, which goes with it. */
function oneShotHost(client: HostClient, { create, remove }: Maker): ToolHost {
  return {
    async list(signal) {
      const session = await create(client, LISTS_ALL);
      try {
        return await exportTools(session, signal);
      } finally {
        await remove(session);
      }
    },
    async begin(call) {
      const session = await create(client, LISTS_ALL);
      try {
        const { turn, toolUseId } = begin(session, call);
        const over = (): Promise<void> => session.turns.idle().then(() => remove(session));
        turn.done.then(over, over);
        return { ...hostedCall(session, { turn, toolUseId }, { client, alone: true }), ids: { tool_use_id: toolUseId } };
      } catch (error) {
        await remove(session);
        throw error;
      }
    },
    look: () => {},
    close: () => Promise.resolve(),
  };
}

/** Nobody is asked where the client cannot ask. */
function settingsFor(client: HostClient, tools: z.input<typeof SessionOptions>['tools']): SessionSettings {
  const settings = SessionOptions.parse({ tools });
  return client.asks() ? settings : { ...settings, permissions: { ...settings.permissions, ask_timeout_ms: 0 } };
}

/** @param find the session, made or opened when it is needed */
function hostOf(client: HostClient, find: () => Promise<Session>, { alone }: { alone: boolean }): ToolHost {
  const closing = new AbortController();
  let followed: Session | undefined;
  /** Hash of the tools that the client knows of, or has been told that there are others. */
  let listed: string | undefined;

  async function use(): Promise<Session> {
    const session = await find();
    if (client.connected && followed !== session && !closing.signal.aborted) {
      followed = session;
      void follow(session);
    }
    return session;
  }

  /** Tells the client of what becomes of its session, which stays in memory meanwhile. Never throws. */
  async function follow(session: Session): Promise<void> {
    try {
      const { log } = session;
      for await (const items of log.read({ after: log.lastSeq, follow: true, signal: closing.signal })) {
        if (items.some(({ type }) => type === 'context_changed' || type === 'turn_completed')) look();
      }
    } catch (error) {
      session.parts.report(`an MCP client could not follow session ${session.id}`, error);
    }
    if (!closing.signal.aborted) client.ended();
  }

  function look(): void {
    if (followed === undefined || listed === undefined || closing.signal.aborted) return;
    try {
      const { toolsHash } = followed;
      if (toolsHash !== listed && client.toolsChanged()) listed = toolsHash;
    } catch (error) {
      followed.parts.report(`the tools of session ${followed.id} could not be compared for an MCP client`, error);
    }
  }

  return {
    look,
    async list(signal) {
      const session = await use();
      const tools = await exportTools(session, signal);
      listed = session.toolsHash;
      return tools;
    },
    async begin(call) {
      const session = await use();
      return hostedCall(session, begin(session, call), { client, alone });
    },
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

async function exportTools(session: Session, signal: AbortSignal): Promise<unknown[]> {
  await session.toolbox.connect(signal);
  return session.toolbox.export('mcp', session.described);
}

function begin(session: Session, call: Parameters<ToolHost['begin']>[0]): OneCall {
  return beginOneCall(session, { name: call.name, ...inputFromValue(call.arguments) }, FORMAT);
}

/** What a call that asks the client itself is told where there is none that could. */
const NO_ANSWER = 'Nobody can answer this here: the client is connected over MCP. Go on without an answer, and say what you have assumed.';

interface CallOfClient {
  readonly client: HostClient;
  /** True when the session is this connection's own: no other client is there to run a call. */
  readonly alone: boolean;
}

function hostedCall(session: Session, call: OneCall, { client, alone }: CallOfClient): HostedCall {
  const { turn, toolUseId } = call;
  return {
    ids: { tool_use_id: toolUseId, turn_id: turn.id, session_id: session.id },
    async step(watch) {
      let result = await watchOneCall(session, call, { ...watch, untilEnd: !client.asks() && !alone });
      const approval = result.pending.find(({ type }) => type === 'approval');
      if (approval !== undefined && 'reason' in approval) {
        const { calls, approvals } = turn.record;
        return { kind: 'asked', approval, byTool: approvals.has(approval.id) && calls.get(toolUseId)?.state === 'executing' };
      }
      if (alone && result.pending.some(({ type }) => type === 'client_call')) {
        await answerClientCall(session, { toolUseId, turnId: turn.id, content: NO_ANSWER, isError: true });
      }
      // It lies with another client of the session.
      if (result.outcome === null) result = await watchOneCall(session, call, { ...watch, untilEnd: true });
      const { outcome, isError, content, coerced } = result;
      return { kind: 'ended', outcome: outcome ?? 'aborted', isError, content: content ?? '', coerced };
    },
    async answer(approvalId, answer) {
      const message = answer.behavior === 'deny' ? { message: 'The user declined this call.' } : {};
      try {
        await answerApprovals(session, [{ approvalId, ...answer, ...message }]);
      } catch (error) {
        const isTooLate = error instanceof Problem && (error.code === 'approval-already-resolved' || error.code === 'approval-not-found');
        if (!isTooLate) throw error;
      }
    },
    cancel: () => cancelOneCall(session, call),
  };
}
