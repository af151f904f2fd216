// One server from its start to its end, and how it is asked.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { LanguageAnswer, LanguageQuestion, OpenProgram } from '../contract/index.ts';
import { answerServer, initializeParams } from './client-answers.ts';
import { diagnose } from './diagnose.ts';
import { Documents } from './documents.ts';
import type { LanguageServerLimits } from './ports.ts';
import { followProgress } from './progress.ts';
import { keepPublished } from './published.ts';
import { REQUESTS } from './questions.ts';
import { openConnection, ServerRefusal, type ServerConnection } from './server-connection.ts';
import type { LanguageServerSetting } from './settings.ts';
import { TooLate } from './within.ts';

/** Codes of answers that only mean that the server was at something else: the file has changed, or it gave up by itself. */
const ASK_AGAIN = new Set([-32801, -32802]);
const TRIES = 4;
const AGAIN_MS = 250;

const Initialized = z.looseObject({
  capabilities: z.looseObject({
    positionEncoding: z.literal('utf-16', { error: 'It counts characters in another way than UTF-16.' }).nullish(),
  }),
});
type Abilities = Readonly<Record<string, unknown>>;

export interface ServerStart {
  readonly settings: LanguageServerSetting;
  /** Absolute real path. */
  readonly workspace: string;
  readonly languageOf: (path: string) => string;
  readonly openProgram: OpenProgram;
  readonly limits: LanguageServerLimits;
  /** Fires when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

export interface RunningServer {
  /** Fires when it has ended; its reason is an Error. */
  readonly ended: AbortSignal;
  /** @throws Error fit for a model, after `The language server … ` */
  ask(question: LanguageQuestion): Promise<LanguageAnswer>;
  /** Asks it to end, then kills it; resolves when nothing is left of it. Never throws. */
  stop(): Promise<void>;
}

/** @throws Error with the reason; nothing runs then */
export async function startServer(start: ServerStart): Promise<RunningServer> {
  const { settings, workspace, openProgram, limits, signal } = start;
  const { command, args, env, sandbox = true, startup_ms: ms } = settings;
  const connection = openConnection(await openProgram({ command, args, env, sandbox, cwd: workspace }), limits);
  const { messages } = connection;
  try {
    const offered = answerServer(messages, workspace);
    const documents = new Documents({ connection, languageOf: start.languageOf, max: limits.documents });
    const published = keepPublished(messages, (path) => documents.isOpen(path));
    const progress = followProgress(messages);
    messages.listen();
    const answer = await connection.request('initialize', initializeParams(workspace, settings.initialization_options), { signal, ms });
    const abilities = abilitiesOf(answer);
    connection.notify('initialized', {});
    const offers = (method: string, ability: string): boolean => Boolean(abilities[ability]) || offered.has(method);
    return serverOf({ connection, documents, published, progress, offers, limits });
  } catch (error) {
    await connection.end('It was not started.');
    throw error;
  }
}

function abilitiesOf(answer: unknown): Abilities {
  const parsed = Initialized.safeParse(answer);
  if (parsed.success) return parsed.data.capabilities;
  const issue = parsed.error.issues.find(({ path }) => path.length > 1);
  throw new Error(issue?.message ?? 'It did not say what it can do.');
}

interface ServerParts {
  readonly connection: ServerConnection;
  readonly documents: Documents;
  readonly published: ReturnType<typeof keepPublished>;
  readonly progress: ReturnType<typeof followProgress>;
  readonly offers: (method: string, ability: string) => boolean;
  readonly limits: LanguageServerLimits;
}

function serverOf({ connection, documents, published, progress, offers, limits }: ServerParts): RunningServer {
  let isFirst = true;
  return {
    ended: connection.ended,
    async ask(question) {
      const { operation, path } = question;
      const signal = AbortSignal.any([question.signal, connection.ended]);
      const ask = (method: string, params: unknown): Promise<unknown> => askPatiently(connection, { method, params, signal, limits });
      connection.begin();
      await documents.sync(question);
      if (isFirst) await progress.begun({ signal, ms: limits.beginMs });
      isFirst = false;
      await progress.still({ signal, ms: limits.loadingMs });
      if (operation === 'diagnostics') {
        const isAsked = offers('textDocument/diagnostic', 'diagnosticProvider');
        const reopen = async (): Promise<void> => {
          published.forget(path);
          documents.close(path);
          await documents.sync(question);
        };
        return { kind: 'diagnostics', diagnostics: await diagnose({ path, signal, limits, published, isAsked, ask, reopen }) };
      }
      const { method, ability, what, params, read } = REQUESTS[operation];
      if (!offers(method, ability)) throw new Error(`It cannot tell ${what}.`);
      return read(await ask(method, params(question)), question);
    },
    async stop() {
      const { ended } = connection;
      await connection.request('shutdown', undefined, { signal: ended, ms: limits.stopMs }).catch(() => {
        // It does not answer: then it is killed.
      });
      if (!ended.aborted) connection.notify('exit', undefined);
      await connection.end('It was stopped.');
    },
  };
}

interface PatientRequest {
  readonly method: string;
  readonly params: unknown;
  readonly signal: AbortSignal;
  readonly limits: LanguageServerLimits;
}

/** A server that does not answer in time is taken for dead: the next question starts it anew. */
async function askPatiently(connection: ServerConnection, { method, params, signal, limits }: PatientRequest): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connection.request(method, params, { signal, ms: limits.requestMs });
    } catch (error) {
      if (error instanceof TooLate) void connection.end(error.message);
      if (!(error instanceof ServerRefusal)) throw error;
      if (!ASK_AGAIN.has(error.code) || tries === TRIES) throw new Error(`It answered: ${error.message}`, { cause: error });
      await wait(AGAIN_MS * tries, undefined, { signal }).catch(() => {
        // It is stopped, or the server has ended: the next request tells.
      });
    }
  }
}
