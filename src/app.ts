// The composition root: the only place that knows all parts and joins them.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyWebsocket from '@fastify/websocket';
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import { approvalRoutes } from '../routes/approvals.ts';
import { auditRoutes } from '../routes/audit.ts';
import { callOutputRoutes } from '../routes/call-output.ts';
import { eventRoutes } from '../routes/events.ts';
import { messageRoutes } from '../routes/messages.ts';
import { operationRoutes } from '../routes/operations.ts';
import { planRoutes } from '../routes/plan.ts';
import { sessionRoutes } from '../routes/sessions.ts';
import { streamRoutes } from '../routes/stream.ts';
import { toolRoutes } from '../routes/tools.ts';
import { turnRoutes } from '../routes/turns.ts';
import type { Config } from './config.ts';
import { NO_HOOKS, Problem, type CommandRunner, type EnableContext, type Store, type Tool } from './contract/index.ts';
import { modePolicy } from './permissions/mode-policy.ts';
import { auth } from './plugins/auth.ts';
import { documents } from './plugins/documents.ts';
import { idempotency } from './plugins/idempotency.ts';
import { jsonBody } from './plugins/json-body.ts';
import { createMetrics, metricsRoute } from './plugins/metrics.ts';
import { problemDetails } from './plugins/problem-details.ts';
import type {} from './plugins/services.ts';
import { observers, turnLog } from './plugins/turn-log.ts';
import { SocketRegistry } from './plugins/sockets.ts';
import { startCommandRunner } from './sandbox/command-runner.ts';
import { SessionRegistry } from './sessions/registry.ts';
import type { SessionParts, ToolPool } from './sessions/session-parts.ts';
import { SessionOptions, type SessionSettings } from './sessions/session-options.ts';
import { openSqliteStore } from './store/sqlite.ts';
import { assemblePool } from './toolbox/assemble.ts';
import { loadTools } from './toolbox/load-tools.ts';
import { createPlaces, removePlaceUnder } from './workspace/places.ts';

export interface AppOptions {
  readonly config: Config;
  readonly logger: FastifyBaseLogger | undefined;
  /** Tools beside the built-in ones. */
  readonly extraTools?: readonly Tool[];
}

const TOOLS_DIRECTORY = new URL('../tools/', import.meta.url);
const ROUTES = [
  sessionRoutes,
  messageRoutes,
  planRoutes,
  turnRoutes,
  approvalRoutes,
  auditRoutes,
  callOutputRoutes,
  eventRoutes,
  streamRoutes,
  toolRoutes,
  operationRoutes,
];

/** Builds the service without listening. Closing the app aborts what runs and closes everything that was opened here. */
export async function buildApp({ config, logger, extraTools = [] }: AppOptions): Promise<FastifyInstance> {
  const assemble = poolAssembler([...(await loadTools(TOOLS_DIRECTORY)), ...extraTools]);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const store = openSqliteStore({ file: join(config.dataDir, 'toolexec.sqlite') });
  const commands = startCommandRunner({ maxProcesses: config.maxProcesses });
  const release = async (): Promise<void> => {
    await commands.close();
    await store.close();
  };
  try {
    return await joinParts({ config, logger, store, commands, assemble, release });
  } catch (error) {
    await release();
    throw error;
  }
}

interface Parts {
  readonly config: Config;
  readonly logger: FastifyBaseLogger | undefined;
  readonly store: Store;
  readonly commands: CommandRunner;
  readonly assemble: (settings: SessionSettings) => ToolPool;
  /** Closes what was opened before the app. */
  readonly release: () => Promise<void>;
}

async function joinParts({ config, logger, store, commands, assemble, release }: Parts): Promise<FastifyInstance> {
  const metrics = createMetrics();
  const sockets = new SocketRegistry(config.limits.sockets_per_key);
  const sessions = new SessionRegistry({
    store,
    assemble,
    limits: sessionLimits(config),
    observer: observers(metrics.observer, turnLog(logger)),
    guard: (settings) => guardSettings(settings, config),
    policyFor: () => modePolicy,
    hooksFor: () => NO_HOOKS,
    commandsFor: () => commands,
    place: createPlaces({ dataDir: config.dataDir, roots: config.workspaceRoots }),
    removePlace: removePlaceUnder(config.dataDir),
    report: (what, error) => logger?.error({ err: error }, what),
  });
  await sessions.recover();
  metrics.watch({ sockets: () => sockets.size, sessions: () => sessions.openCount });
  const app = fastify({
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.limits.body_bytes,
    // A client that drips its request must not keep a connection for ever.
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 300 },
  });
  app.decorate('services', { config, sessions, store, sockets, defaultPool: assemble(SessionOptions.parse({})) });
  app.setValidatorCompiler(validatorCompiler);
  // Replies are documented by their schemas; checking each again would only slow them down.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.addHook('preClose', async () => {
    await sessions.drain(config.drainGraceMs);
    sockets.closeAll(1001, 'the service is shutting down: reconnect with ?after=');
  });
  app.addHook('onClose', release);
  await registerPlugins(app, config);
  await app.register(metricsRoute, { registry: metrics.registry });
  for (const routes of ROUTES) {
    await app.register((scope, _options, done) => {
      routes(scope);
      done();
    });
  }
  return app;
}

async function registerPlugins(app: FastifyInstance, config: Config): Promise<void> {
  const { keys, allowedOrigins, allowedHosts, limits } = config;
  await app.register(problemDetails);
  await app.register(jsonBody, { maxDepth: limits.json_depth });
  await app.register(fastifyWebsocket, {
    options: {
      maxPayload: limits.body_bytes,
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has('toolexec.v1') ? 'toolexec.v1' : false),
    },
  });
  await app.register(auth, { keys, allowedOrigins, allowedHosts });
  await app.register(idempotency, { store: app.services.store });
  await app.register(documents);
}

function sessionLimits({ limits, maxConcurrency }: Config): SessionParts['limits'] {
  return {
    maxConcurrency,
    graceMs: limits.grace_ms,
    bufferedEvents: 1_000,
    queuedTurns: limits.queued_turns,
    callsPerTurn: limits.calls_per_turn,
    sessionsPerOwner: limits.sessions_per_key,
    reconnectMs: limits.reconnect_ms,
    log: { events: limits.log_events, turns: limits.log_turns },
  };
}

/** One pool for all sessions that ask for the same tools. */
function poolAssembler(builtIn: readonly Tool[]): (settings: SessionSettings) => ToolPool {
  const enable: EnableContext = { platform: process.platform, flags: new Set() };
  const pools = new Map<string, ToolPool>();
  return ({ tools: { include, exclude } }) => {
    const key = JSON.stringify([include, exclude]);
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = assemblePool({ builtIn, include, exclude, enable });
      if (pools.size >= 100) pools.clear();
      pools.set(key, pool);
    }
    return pool;
  };
}

/** @throws Problem `forbidden` for what the operator does not allow */
function guardSettings(settings: SessionSettings, config: Config): void {
  const { mode } = settings.permissions;
  if (!config.allowedModes.includes(mode)) throw new Problem('forbidden', `The operator does not allow the permission mode ${mode}.`);
  if (mode === 'auto') throw new Problem('forbidden', 'The mode auto needs a classifier, and this version has none.');
  if (settings.sandbox.mode === 'required') {
    throw new Problem('forbidden', 'This version has no sandbox, so a session that requires one cannot start.');
  }
}
