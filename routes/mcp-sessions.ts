// The sessions behind MCP clients: what such a client lists and calls, said to a session.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { inputFromValue } from '../src/formats/call-input.ts';
import type { HostClient, HostedCall, ToolHost, ToolHosts } from '../src/mcp/server/ports.ts';
import { answerApprovals } from '../src/sessions/answer-approvals.ts';
import { beginOneCall, cancelOneCall, watchOneCall, type OneCall } from '../src/sessions/one-call.ts';
import type { Session } from '../src/sessions/session.ts';
import { SessionOptions, type SessionSettings } from '../src/sessions/session-options.ts';

/** Where tools answer differently: a client of MCP knows no reference to a tool, and takes its definition as text. */
const FORMAT = 'openai_chat';
/** A tool that one call has found is forgotten by the next, where each has a session of its own. */
const LISTS_ALL = { search: 'off' } as const;

export interface SessionHosts extends ToolHosts {
  /** Resolves when every session that was let go of is removed. */
  settled(): Promise<void>;
}

export function sessionHosts(server: FastifyInstance): SessionHosts {
  const { sessions } = server.services;
  const removals = new Set<Promise<void>>();

  const create = (client: HostClient, tools = {}): Promise<Session> =>
    sessions.create(client.owner, settingsFor(client, tools), { repeatable: false });

  /** Never throws. */
  function remove({ id, owner }: Session): Promise<void> {
    const removal = sessions.remove(owner, id).catch((error: unknown) => {
      const gone = error instanceof Problem && error.code === 'session-not-found';
      if (!gone) server.log.error({ err: error, session_id: id }, "a client's session was not removed: it goes when its time is over");
    });
    const done = removal.finally(() => removals.delete(done));
    removals.add(done);
    return done;
  }

  return {
    own(client) {
      let made: Promise<Session> | undefined;
      let closed = false;
      const find = async (): Promise<Session> => {
        if (closed) throw new Problem('session-not-found', 'The connection has ended: make another one.');
        made ??= create(client).catch((error: unknown) => {
          made = undefined;
          throw error;
        });
        return sessions.get(client.owner, (await made).id);
      };
      const host = hostOf(client, find);
      return {
        ...host,
        async close() {
          closed = true;
          await host.close();
          const session = await made?.catch(() => undefined);
          if (session !== undefined) await remove(session);
        },
      };
    },

    existing: (client, sessionId) => hostOf(client, () => sessions.get(client.owner, sessionId)),

    oneShots: (client) => ({
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
          const over = (): Promise<void> => session.idle().then(() => remove(session));
          turn.done.then(over, over);
          return { ...hostedCall(session, { turn, toolUseId }, client), ids: { tool_use_id: toolUseId } };
        } catch (error) {
          await remove(session);
          throw error;
        }
      },
      close: () => Promise.resolve(),
    }),

    async settled() {
      await Promise.all(removals);
    },
  };
}

/** Nobody is asked where the client cannot ask. */
function settingsFor(client: HostClient, tools: z.input<typeof SessionOptions>['tools']): SessionSettings {
  const settings = SessionOptions.parse({ tools });
  return client.asks() ? settings : { ...settings, permissions: { ...settings.permissions, ask_timeout_ms: 0 } };
}

/** @param find the session, made or opened when it is needed */
function hostOf(client: HostClient, find: () => Promise<Session>): ToolHost {
  const closing = new AbortController();
  let followed: Session | undefined;
  /** Hash of the tools that the client knows of. */
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
        if (listed === undefined || !items.some(({ type }) => type === 'context_changed' || type === 'turn_completed')) continue;
        const now = hashOf(session);
        if (now !== listed) client.toolsChanged();
        listed = now;
      }
    } catch (error) {
      session.parts.report(`an MCP client could not follow session ${session.id}`, error);
    }
    if (!closing.signal.aborted) client.ended();
  }

  return {
    async list(signal) {
      const session = await use();
      const tools = await exportTools(session, signal);
      listed = hashOf(session);
      return tools;
    },
    async begin(call) {
      const session = await use();
      return hostedCall(session, begin(session, call), client);
    },
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

function hashOf({ toolbox, place }: Session): string {
  return toolbox.hash({ workspace: place.workspace });
}

async function exportTools({ toolbox, place }: Session, signal: AbortSignal): Promise<unknown[]> {
  await toolbox.connect(signal);
  return toolbox.export('mcp', { workspace: place.workspace });
}

function begin(session: Session, call: Parameters<ToolHost['begin']>[0]): OneCall {
  return beginOneCall(session, { name: call.name, ...inputFromValue(call.arguments) }, FORMAT);
}

function hostedCall(session: Session, call: OneCall, client: HostClient): HostedCall {
  const { turn, toolUseId } = call;
  return {
    ids: { tool_use_id: toolUseId, turn_id: turn.id, session_id: session.id },
    async step(watch) {
      let result = await watchOneCall(session, call, { ...watch, untilEnd: !client.asks() });
      const approval = result.pending.find(({ type }) => type === 'approval');
      if (approval !== undefined && 'reason' in approval) return { kind: 'asked', approval };
      // It lies with another client of the session.
      if (result.outcome === null) result = await watchOneCall(session, call, { ...watch, untilEnd: true });
      const { outcome, isError, content, coerced } = result;
      return { kind: 'ended', outcome: outcome ?? 'aborted', isError, content: content ?? '', coerced };
    },
    async answer(approvalId, behavior) {
      const message = behavior === 'deny' ? { message: 'The user declined this call.' } : {};
      try {
        await answerApprovals(session, [{ approvalId, behavior, ...message }]);
      } catch (error) {
        const late = error instanceof Problem && (error.code === 'approval-already-resolved' || error.code === 'approval-not-found');
        if (!late) throw error;
      }
    },
    cancel: () => cancelOneCall(session, call),
  };
}
